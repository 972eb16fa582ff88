/// The point of an image that a crop keeps in place.
public struct CropAnchor: Hashable, Sendable {
  /// The horizontal position, from the left edge, 0, to the right edge, 1.
  public let x: Double
  /// The vertical position, from the top edge, 0, to the bottom edge, 1.
  public let y: Double
  /// Whether the place is found in the pixels; ``x`` and ``y`` are the centre then.
  package let isSmart: Bool

  /// Creates an anchor; values are clamped to 0...1, and NaN becomes 0.5.
  public init(x: Double, y: Double) {
    self.x = Self.clamped(x)
    self.y = Self.clamped(y)
    isSmart = false
  }

  private init(isSmart: Bool) { (x, y, self.isSmart) = (0.5, 0.5, isSmart) }

  /// The centre.
  public static let center = CropAnchor(x: 0.5, y: 0.5)
  /// The middle of the top edge.
  public static let top = CropAnchor(x: 0.5, y: 0)
  /// The middle of the bottom edge.
  public static let bottom = CropAnchor(x: 0.5, y: 1)
  /// The middle of the left edge.
  public static let left = CropAnchor(x: 0, y: 0.5)
  /// The middle of the right edge.
  public static let right = CropAnchor(x: 1, y: 0.5)
  /// What attracts attention: edges, colours of skin, and saturated colours, as libvips measures them.
  ///
  /// For crops, and for sizes of requests and of ``DecodedImage``: the whole image is decoded at a size that covers the box,
  /// then cropped. All frames of an animation are cropped like the first. Elsewhere it is the centre.
  public static let smart = CropAnchor(isSmart: true)

  private static func clamped(_ value: Double) -> Double {
    value.isNaN ? 0.5 : min(1, max(0, value))
  }
}
