public import HalcyonImaging

/// What stands in for an image that is not there yet, or never will be.
@nonexhaustive
public enum ImagePlaceholder: Sendable {
  /// An image.
  case image(DecodedImage)
  /// A picture that the toolkit knows by its name, such as an icon of the theme or of the program.
  case icon(String)
  /// A view of the toolkit, made each time it is to be shown. A toolkit shows nothing for what is no view of its own.
  case view(@MainActor @Sendable () -> Any)
  /// An image made when it is to be shown, on the main actor: from a compact hash, say. It has to be quick. `nil` is an
  /// empty view.
  case made(@MainActor @Sendable () -> DecodedImage?)

  /// The blurred picture that a hash stands for, made when it is to be shown: ``ImagePipeline/placeholder(for:)`` has
  /// those of images seen before.
  public static func thumbHash(_ hash: ThumbHash) -> ImagePlaceholder {
    .made {
      // Memory that a few thousand pixels do not fit into is the only thing that fails.
      guard let bitmap = try? hash.bitmap() else { return nil }
      return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .png, storedSize: bitmap.size))
    }
  }

  @MainActor var picture: DisplayContent.Picture {
    switch self {
    case .image(let image): .image(image)
    case .icon(let name): .icon(name)
    case .view(let make): .view(make())
    case .made(let make): make().map { .image($0) } ?? .none
    }
  }
}
