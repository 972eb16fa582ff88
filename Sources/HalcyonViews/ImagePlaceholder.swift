public import HalcyonImaging

/// Content shown instead of an image that is loading or has failed.
///
/// ```swift
/// view.hc.setImage(with: url, placeholder: .icon("image-x-generic"))
/// ```
@nonexhaustive
public enum ImagePlaceholder: Sendable {
  /// An image.
  case image(DecodedImage)
  /// An icon that the toolkit looks up by its name, such as one of the theme or of the app.
  case icon(String)
  /// A view of the toolkit, created each time it is shown. A value that is not a view of the toolkit shows nothing.
  case view(@MainActor @Sendable () -> Any)
  /// An image created when it is shown, for example from a compact hash; `nil` shows nothing.
  ///
  /// The closure runs on the main actor, so it has to be fast.
  case made(@MainActor @Sendable () -> DecodedImage?)
  /// A placeholder with a delay of its own; see ``delayed(by:)``.
  indirect case after(Duration, ImagePlaceholder)

  /// This placeholder, shown if the image is not loaded after a delay: in place of ``ImageViewOptions/placeholderDelay``.
  ///
  /// ```swift
  /// view.hc.setImage(with: url, placeholder: .icon("image-x-generic").delayed(by: .seconds(3)))
  /// ```
  public func delayed(by delay: Duration) -> ImagePlaceholder { .after(delay, self) }

  /// Its own delay.
  var delay: Duration? {
    if case .after(let delay, _) = self { delay } else { nil }
  }

  /// The blurred image of a hash, decoded when it is shown.
  ///
  /// ``ImagePipeline/cachedPlaceholder(for:)`` returns the hash of an image that was loaded before.
  public static func thumbHash(_ hash: ThumbHash) -> ImagePlaceholder {
    .made {
      // Fails only if there is no memory for a few thousand pixels.
      guard let bitmap = try? hash.bitmap() else { return nil }
      return DecodedImage(bitmap: bitmap)
    }
  }

  /// The blurred image of a BlurHash, decoded when it is shown.
  ///
  /// - Parameters:
  ///   - hash: The hash.
  ///   - aspectRatio: The width of the image divided by its height; the hash does not have it. Default: 1.
  public static func blurHash(_ hash: BlurHash, aspectRatio: Double = 1) -> ImagePlaceholder {
    .made {
      guard let bitmap = try? hash.bitmap(aspectRatio: aspectRatio) else { return nil }
      return DecodedImage(bitmap: bitmap)
    }
  }

  @MainActor package var picture: DisplayContent.Picture {
    switch self {
    case .image(let image): .image(image)
    case .icon(let name): .icon(name)
    case .view(let make): .view(make())
    case .made(let make): make().map { .image($0) } ?? .none
    case .after(_, let placeholder): placeholder.picture
    }
  }
}
