public import HalcyonSupport
public import HalcyonPipeline

/// Why a view does not show the image that it was set to.
@nonexhaustive
public enum ImageViewError: Error, Sendable {
  /// The view was set to no image.
  case emptySource
  /// The view was set to another image or released; the result is that of the superseded load.
  case superseded(Result<ImageResponse, ImageError>, request: ImageRequest?)
  /// The load was cancelled.
  case cancelled(request: ImageRequest?)
  /// The load failed.
  case loading(ImageError)
}

extension ImageViewError {
  /// Whether a retry makes sense.
  var canRetry: Bool {
    switch self {
    case .cancelled, .loading: true
    case .emptySource, .superseded: false
    }
  }

  var isCancellation: Bool {
    if case .cancelled = self { return true }
    return false
  }
}

extension ImageViewError: DescribedError {
  /// What happened and what to do about it, in one or two sentences.
  public var description: String {
    switch self {
    case .emptySource: "The view was given no image. Pass a URL or a request."
    case .superseded(.success, let request):
      "The image was loaded, but its view has been set to another image or has been released\(Self.of(request))."
    case .superseded(.failure(let error), let request):
      "The view has been set to another image or has been released\(Self.of(request)). \(error)"
    case .cancelled(let request): "The view's load was cancelled\(Self.of(request))."
    case .loading(let error): error.description
    }
  }
  private static func of(_ request: ImageRequest?) -> String { request.map { ": \($0)" } ?? "" }
}
