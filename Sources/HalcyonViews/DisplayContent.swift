public import HalcyonImaging

/// What a display shows, and what that stands for.
public struct DisplayContent {
  /// What is drawn.
  public enum Picture {
    /// Nothing at all.
    case none
    /// An image.
    case image(DecodedImage)
    /// A picture that the toolkit knows by its name.
    case icon(String)
    /// A view of the toolkit, made for this occasion: see ``ImagePlaceholder/view(_:)``.
    case view(Any)
  }

  /// What the picture stands for.
  public enum Role: Hashable, Sendable {
    /// An image that is not there yet.
    case placeholder
    /// The image, in less detail than it will have.
    case preview
    /// The image that was asked for.
    case image
    /// An image that could not be loaded.
    case failure
  }

  /// What is drawn.
  public var picture: Picture
  /// What it stands for.
  public var role: Role

  /// Creates a content.
  public init(_ picture: Picture, role: Role) {
    self.picture = picture
    self.role = role
  }

  /// An empty view.
  public static var nothing: DisplayContent { DisplayContent(.none, role: .placeholder) }

  /// Whether nothing is drawn.
  public var isEmpty: Bool {
    if case .none = picture { return true }
    return false
  }

  /// The image that is drawn, if it is one.
  public var image: DecodedImage? {
    if case .image(let image) = picture { return image }
    return nil
  }
}
