public import HalcyonImaging

/// The content of a display, and its role.
public struct DisplayContent {
  /// What is drawn.
  public enum Picture {
    /// Nothing.
    case none
    /// An image.
    case image(DecodedImage)
    /// An icon that the toolkit looks up by its name.
    case icon(String)
    /// A view of the toolkit, created for this content: see ``ImagePlaceholder/view(_:)``.
    case view(Any)
  }

  /// The role of the content.
  public enum Role: Hashable, Sendable {
    /// An image that is not loaded yet.
    case placeholder
    /// The image, in less detail.
    case preview
    /// The image of the request.
    case image
    /// An image that could not be loaded.
    case failure
  }

  /// What is drawn.
  public var picture: Picture
  /// The role of the content.
  public var role: Role
  /// The size in pixels that an image decoded for the view would have if the view did not limit it; `nil` for other
  /// content.
  package var naturalSize: PixelSize?
  /// How a loaded image or its preview is drawn; `nil` for other content, and if the options do not say it.
  package var renderingMode: ImageRenderingMode?

  /// Creates a content.
  public init(_ picture: Picture, role: Role) {
    self.picture = picture
    self.role = role
  }

  /// The content of an empty view.
  public static var nothing: DisplayContent { DisplayContent(.none, role: .placeholder) }

  /// Whether nothing is drawn.
  public var isEmpty: Bool {
    if case .none = picture { return true }
    return false
  }

  /// The image that is drawn; `nil` for other content.
  public var image: DecodedImage? {
    if case .image(let image) = picture { return image }
    return nil
  }
}
