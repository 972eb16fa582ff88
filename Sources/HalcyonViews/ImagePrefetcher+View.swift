import Foundation
public import HalcyonImaging
public import HalcyonPipeline

extension ImagePrefetcher {
  /// Creates a prefetcher of images for views like this one: at its size, scale and mode, and in its colour space, so that
  /// it finds them in memory.
  ///
  /// - Parameter view: A view that has been laid out, such as that of a visible cell; a later change of it has no effect. While
  ///   it has no size, images go to the store only.
  @MainActor
  public convenience init(for view: ImageViewProxy) {
    let sample = view.binder.display.map {
      ViewRequest(nil, nil, view.options, view.pipeline).sized(ImageRequest(url: URL(filePath: "/")), for: $0).request
    }
    self.init(view.pipeline, priority: .low, concurrencyLimit: 5) { request in
      request.size = request.size ?? sample?.size
      request.colorSpace = request.colorSpace ?? sample?.colorSpace
    }
  }

  /// Creates a prefetcher of images for views of a size.
  ///
  /// - Parameters:
  ///   - size: The size of the views in points.
  ///   - scale: Device pixels per point, such as the scale of a screen.
  ///   - mode: How the views scale images.
  ///   - colorSpace: The space of images whose requests and pipeline name none: ``TargetColorSpace/source`` for wide screens.
  ///     Default: sRGB.
  ///   - pipeline: The pipeline of the views.
  public convenience init(
    for size: ViewSize, scale: Double, mode: ImageDisplayMode, colorSpace: TargetColorSpace? = nil,
    pipeline: ImagePipeline
  ) {
    let target = PixelSize(size, scale: scale).map { mode.target($0) }
    self.init(pipeline, priority: .low, concurrencyLimit: 5) { request in
      request.size = request.size ?? target
      request.colorSpace = request.colorSpace ?? pipeline.completed(request).colorSpace ?? colorSpace
    }
  }
}
