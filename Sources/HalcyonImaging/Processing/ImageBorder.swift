/// A line along the inside of an image's edge.
public struct ImageBorder: Hashable, Sendable {
  package let width: Double
  package let color: PixelColor

  /// Creates a border; its width is 0 to 100,000 pixels, and may be fractional.
  public init(width: Double, color: PixelColor) {
    self.width = width
    self.color = color
  }
}
