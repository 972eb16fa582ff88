import HalcyonImaging
import HalcyonPipeline

/// What a view was asked to show.
struct ViewRequest {
  /// `nil` asks for the placeholder alone.
  var request: ImageRequest?
  var placeholder: ImagePlaceholder?
  var options: ImageViewOptions
  /// Whether the same was asked for before, and failed.
  var isRetry = false

  /// Whether the image's size follows the display's.
  var followsDisplay: Bool {
    guard request?.size == .original, case .view = options.sizing else { return false }
    return true
  }

  /// The device pixels that the image is wanted for; `nil` while the display has no size.
  @MainActor func pixelSize(on display: any ImageDisplay) -> PixelSize? {
    guard case .view(let factor) = options.sizing else { return nil }
    return ViewTarget.pixelSize(of: display, factor: factor)
  }

  /// The request as it is loaded; a size that it names itself stays.
  @MainActor func request(_ request: ImageRequest, at size: PixelSize?, on display: any ImageDisplay) -> ImageRequest {
    var request = request
    if let size, request.size == .original {
      request.size = ViewTarget.targetSize(size, mode: display.displayMode)
    }
    return request
  }
}
