public import HalcyonPipeline

/// Why a view does not show the image that it was given.
@nonexhaustive
public enum ImageViewError: Error, Sendable {
  /// The view was given no image to load.
  case emptySource
  /// The view was given something else, or is gone; this is what came of the load.
  case superseded(Result<ImageResponse, ImageError>)
  /// The load was cancelled.
  case cancelled
  /// The image could not be loaded.
  case loading(ImageError)
}

extension ImageViewError: CustomStringConvertible {
  /// What happened and what to do about it, in one or two sentences.
  public var description: String {
    switch self {
    case .emptySource: "The view was given no image. Give it an address or a request."
    case .superseded(.success): "The image was loaded, but its view shows something else by now, or is gone."
    case .superseded(.failure(let error)): "The view shows something else by now, or is gone. \(error)"
    case .cancelled: "The view's load was cancelled."
    case .loading(let error): error.description
    }
  }
}
