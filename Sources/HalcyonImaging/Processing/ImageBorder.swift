/// A line along the inside of an image's edge.
public struct ImageBorder: Hashable, Sendable {
  /// Pixels from the edge inwards, 0 to 100,000; fractions are drawn as such.
  public let width: Double
  /// What the line is drawn in, over the image.
  public let color: PixelColor

  /// Creates a border.
  public init(width: Double, color: PixelColor) {
    self.width = width
    self.color = color
  }
}
