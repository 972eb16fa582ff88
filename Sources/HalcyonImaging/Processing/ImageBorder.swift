/// A line along the inside of an image's edge.
public struct ImageBorder: Hashable, Sendable {
  /// The width in pixels, 0 to 100,000; may be fractional.
  public let width: Double
  /// The colour of the line.
  public let color: PixelColor

  /// Creates a border.
  public init(width: Double, color: PixelColor) {
    self.width = width
    self.color = color
  }
}
