import HalcyonImaging
import HalcyonPipeline

/// The arguments of one `setImage` call.
struct ViewRequest {
  /// The image to load, with the default options of the pipeline filled in; `nil` shows only the placeholder.
  let request: ImageRequest?
  let placeholder: ImagePlaceholder?
  let options: ImageViewOptions
  /// The pipeline of the load, its retries and reloads.
  let pipeline: ImagePipeline
  /// Whether this repeats a request that has failed.
  var isRetry = false

  init(
    _ request: ImageRequest?, _ placeholder: ImagePlaceholder?, _ options: ImageViewOptions, _ pipeline: ImagePipeline
  ) {
    self.request = request.map { pipeline.completed($0) }
    self.options = options.completed(by: pipeline)
    self.placeholder = placeholder ?? self.options.placeholder
    self.pipeline = pipeline
  }

  /// Whether the image is decoded at the size of the display.
  var usesDisplaySize: Bool {
    guard let request else { return false }
    return request.size == nil && options.sizing != .original
  }

  /// The size of the image in device pixels; `nil` while the display has no size, and for ``ViewSizing/original``.
  @MainActor func pixelSize(of display: any ImageDisplay) -> PixelSize? {
    guard case .view(let factor) = options.sizing ?? .view else { return nil }
    return PixelSize(display.displaySize, scale: display.displayScale * factor)
  }

  /// The request at a size; a size that it sets itself stays.
  func sized(_ request: ImageRequest, to size: PixelSize?, mode: ImageDisplayMode) -> ImageRequest {
    guard let size, request.size == nil else { return request }
    var request = request
    request.size =
      switch mode {
      case .fit: .fit(width: size.width, height: size.height)
      case .fill: .fill(width: size.width, height: size.height)
      case .stretch: .exact(width: size.width, height: size.height, enlarges: false)
      }
    return request
  }
}

extension PixelSize {
  /// Larger than any screen, and small enough for multiplications.
  private static let sideLimit = 1e6

  /// Rounds up to whole pixels; `nil` unless both sides are positive and finite.
  fileprivate init?(_ size: ViewSize, scale: Double) {
    guard let width = Self.side(size.width, scale), let height = Self.side(size.height, scale) else { return nil }
    self.init(width: width, height: height)
  }

  private static func side(_ points: Double, _ scale: Double) -> Int? {
    let pixels = points * scale
    guard pixels > 0, pixels.isFinite, points > 0 else { return nil }
    // 33.3 points at a scale of 3 are 99.9 pixels, rounded up to 100; 100.0001 is a floating-point error, and also 100.
    return max(1, Int(min(sideLimit, (pixels - 1e-3).rounded(.up))))
  }
}
