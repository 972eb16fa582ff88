/// Which part of an image stays when it is cut to a shape.
public struct CropAnchor: Hashable, Sendable {
  /// From the left edge, 0, to the right one, 1.
  public let x: Double
  /// From the top edge, 0, to the bottom one, 1.
  public let y: Double

  /// Creates an anchor; values outside 0 to 1 count as the nearer of these, and what is no number as the middle.
  public init(x: Double, y: Double) {
    self.x = Self.clamped(x)
    self.y = Self.clamped(y)
  }

  /// The middle, as `TargetSize.fill` has it.
  public static let center = CropAnchor(x: 0.5, y: 0.5)
  /// The upper edge, at half of the width.
  public static let top = CropAnchor(x: 0.5, y: 0)
  /// The lower edge, at half of the width.
  public static let bottom = CropAnchor(x: 0.5, y: 1)
  /// The left edge, at half of the height.
  public static let left = CropAnchor(x: 0, y: 0.5)
  /// The right edge, at half of the height.
  public static let right = CropAnchor(x: 1, y: 0.5)

  private static func clamped(_ value: Double) -> Double {
    value.isNaN ? 0.5 : min(1, max(0, value))
  }
}
