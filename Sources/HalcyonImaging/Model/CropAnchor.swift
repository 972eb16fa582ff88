/// The point of an image that a crop keeps in place.
public struct CropAnchor: Hashable, Sendable {
  /// The horizontal position, from the left edge, 0, to the right edge, 1.
  public let x: Double
  /// The vertical position, from the top edge, 0, to the bottom edge, 1.
  public let y: Double

  /// Creates an anchor; values are clamped to 0...1, and NaN becomes 0.5.
  public init(x: Double, y: Double) {
    self.x = Self.clamped(x)
    self.y = Self.clamped(y)
  }

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

  private static func clamped(_ value: Double) -> Double {
    value.isNaN ? 0.5 : min(1, max(0, value))
  }
}
