public import HalcyonImaging
public import HalcyonPipeline

/// The phase of a view's load, for views that are built from their state.
///
/// ```swift
/// func caption(of phase: ImagePhase) -> String {
///   switch phase {
///   case .loading: "Loading"
///   default: ""
///   }
/// }
/// ```
@nonexhaustive
public enum ImagePhase: Sendable {
  /// There is nothing to load, the load was cancelled, or it waits for the size of the view.
  case empty
  /// The image is being loaded; the progress is `nil` until the first bytes have arrived.
  case loading(LoadProgress?)
  /// An image is shown while the image is being loaded: a preview of it, or the one before, which stays
  /// (``ImageViewOptions/keepsCurrentImage``).
  case preview(DecodedImage, LoadProgress?)
  /// The image is shown: of an animation, its current frame.
  case success(DecodedImage)
  /// The load has failed.
  case failure(ImageError)

  /// The image or the preview; `nil` in other phases.
  public var image: DecodedImage? {
    switch self {
    case .preview(let image, _), .success(let image): image
    default: nil
    }
  }

  /// Why the load has failed; `nil` in other phases.
  public var error: ImageError? {
    if case .failure(let error) = self { return error }
    return nil
  }

  /// The progress of the load, once bytes have arrived; `nil` in other phases.
  public var progress: LoadProgress? {
    switch self {
    case .loading(let progress), .preview(_, let progress): progress
    default: nil
    }
  }

  /// Whether the image is being loaded, with or without a preview.
  public var isLoading: Bool {
    switch self {
    case .loading, .preview: true
    default: false
    }
  }

  /// Whether a view of this phase looks the same.
  func isSame(as other: ImagePhase) -> Bool {
    switch (self, other) {
    case (.empty, .empty), (.failure, .failure): true
    case (.loading(let progress), .loading(let otherProgress)): progress == otherProgress
    case (.preview(let image, let progress), .preview(let otherImage, let otherProgress)):
      image.bitmap.address == otherImage.bitmap.address && progress == otherProgress
    case (.success(let image), .success(let otherImage)): image.bitmap.address == otherImage.bitmap.address
    default: false
    }
  }
}
