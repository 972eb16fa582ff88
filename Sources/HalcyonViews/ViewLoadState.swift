import HalcyonImaging
import HalcyonPipeline

/// The state of an ``ImageViewLoad``. A revalidation or a reload in the background does not change it.
enum ViewLoadState: Sendable {
  typealias Result = Swift.Result<ImageResponse, ImageViewError>

  /// Not started.
  case created
  /// Waits until the display has a size, or may hold an image.
  case waiting
  /// The image is being loaded.
  case loading
  /// The result waits for the minimum time of the placeholder, or for the group.
  case pending(Swift.Result<ImageResponse, ImageError>)
  /// The image appears.
  case transitioning(Transition)
  /// The image is shown.
  case shown(DecodedImage)
  /// The hidden view shows its placeholder instead of its image, or the failure to load it again.
  case released(ImageError?)
  /// The load has ended without an image.
  case failed(ImageViewError)

  /// One appearance of an image; a class, so that it is equal only to itself.
  final class Transition: Sendable {
    let response: ImageResponse
    init(_ response: ImageResponse) { self.response = response }
  }

  /// Whether the load has a result and its completion has been called.
  var isFinished: Bool {
    switch self {
    case .shown, .released, .failed: true
    case .created, .waiting, .loading, .pending, .transitioning: false
    }
  }

  /// Whether no result is being shown or has been shown yet.
  var isLoading: Bool {
    switch self {
    case .created, .waiting, .loading, .pending: true
    case .transitioning, .shown, .released, .failed: false
    }
  }

  /// The image that the view shows.
  var image: DecodedImage? {
    switch self {
    case .transitioning(let transition): transition.response.image
    case .shown(let image): image
    case .created, .waiting, .loading, .pending, .released, .failed: nil
    }
  }

  /// Why the view does not show the image; `nil` while it does, or while the image is being loaded.
  var error: ImageViewError? {
    switch self {
    case .failed(let error): error
    case .released(let error): error.map { .loading($0) }
    case .created, .waiting, .loading, .pending, .transitioning, .shown: nil
    }
  }

  /// The phase of a view that shows `content`.
  ///
  /// - Parameter isReloading: Whether a released image is being loaded again.
  func phase(showing content: DisplayContent, _ progress: LoadProgress?, isReloading: Bool) -> ImagePhase {
    switch self {
    case .transitioning(let transition): return .success(transition.response.image)
    case .shown(let image): return .success(image)
    case .loading, .pending:
      if content.hasLoadedImage, let image = content.image { return .preview(image, progress) }
      return .loading(progress)
    case .created, .waiting, .released, .failed:
      if case .loading(let error) = error { return .failure(error) }
      return isReloading ? .loading(nil) : .empty
    }
  }

  /// Ends the load before its image is shown, or the transition of its image.
  ///
  /// - Returns: The result of the load; `nil` if it had one before.
  mutating func end(_ error: ImageViewError) -> Result? {
    switch self {
    case .shown, .released, .failed: return nil
    case .transitioning(let transition):
      self = .shown(transition.response.image)
      return .success(transition.response)
    case .created, .waiting, .loading, .pending:
      self = .failed(error)
      return .failure(error)
    }
  }

  /// A transition has ended.
  ///
  /// - Returns: The result of the load; `nil` if another image has appeared meanwhile, or the load has ended.
  mutating func end(_ transition: Transition) -> Result? {
    guard case .transitioning(let current) = self, current === transition else { return nil }
    self = .shown(transition.response.image)
    return .success(transition.response)
  }
}
