public import HalcyonImaging
import HalcyonSupport

/// Resizes an image with the Lanczos filter that decoding uses.
package struct ResizeProcessor: GeometryProcessor {
  private let target: TargetSize
  private let implementation: LanczosImplementation
  private let graphs = ResampleGraphCache()

  /// Creates a processor; its copies share a cache of resampling filters.
  package init(_ target: TargetSize, implementation: LanczosImplementation = .standard) {
    (self.target, self.implementation) = (target, implementation)
  }

  package var identifier: String { "halcyon.resize \(target)" }

  package func geometry(of bitmap: Bitmap) throws -> BitmapGeometry? {
    guard target.isValid else { throw ImageProcessingError.invalidTargetSize(target) }
    let geometry = target.geometry(for: bitmap.size)
    let (size, limit) = (geometry.outputSize, max(bitmap.size.pixelCount, ImageLimits().pixelCount))
    // The sides are checked first, since their product may overflow.
    guard max(size.width, size.height) <= limit, size.pixelCount <= limit else {
      throw ImageProcessingError.resultTooLarge(size, limit: limit)
    }
    if size == bitmap.size, geometry.window == target.whole(of: bitmap.size) { return nil }
    return BitmapGeometry(geometry)
  }

  package func draw(_ geometry: BitmapGeometry, of bitmap: Bitmap) throws -> Bitmap {
    let resampler = RowResampler(
      format: .png, geometry: geometry.resizing, graphs: graphs, implementation: implementation,
      isCancelled: { CancellationFlag.isCurrentCancelled })
    do {
      var resized = try resampler.bitmap(isOpaque: bitmap.isOpaque, dynamicRange: bitmap.dynamicRange) {
        BitmapRowSource(bitmap)
      }
      resized.colorSpace = bitmap.colorSpace
      return resized
    } catch ImageDecodingError.cancelled {
      throw CancellationError()
    }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Resizes the image with the Lanczos filter that decoding uses; only ``TargetSize/exact(width:height:enlarges:)``
  /// enlarges.
  ///
  /// A request's ``ImageRequest/size`` resizes while decoding, in less time and memory. Use the processor between other
  /// steps, such as after a crop. A side below 1 is an error, and so is a result of more pixels than the image and the
  /// default ``ImageLimits``.
  public static func resize(_ size: TargetSize) -> Self { BuiltInProcessor(ResizeProcessor(size)) }
}

extension TargetSize {
  fileprivate func whole(of size: PixelSize) -> PixelRectangle { TargetSize.original.geometry(for: size).window }
}
