/// The corner radii of an image.
public struct CornerRadii: Hashable, Sendable {
  /// The unit of radii.
  public enum Unit: String, Hashable, Sendable {
    /// Pixels of the image that is processed.
    case pixels
    /// Fractions of its shorter side: 0.5 turns a square into a circle.
    case fraction
  }

  package let topLeft, topRight, bottomLeft, bottomRight: Double
  package let unit: Unit

  /// Creates one radius for each corner, at least 0. Default: 0.
  public init(
    topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0, unit: Unit = .pixels
  ) {
    self.topLeft = topLeft
    self.topRight = topRight
    self.bottomLeft = bottomLeft
    self.bottomRight = bottomRight
    self.unit = unit
  }

  /// Creates an equal radius for all corners.
  public init(_ radius: Double, unit: Unit = .pixels) {
    self.init(topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius, unit: unit)
  }

  var values: [Double] { [topLeft, topRight, bottomLeft, bottomRight] }

  /// The radii in pixels for an image, all reduced by one factor if two of them overlap (CSS Backgrounds and Borders 3,
  /// section 4.5).
  func resolved(for size: PixelSize) -> CornerRadii {
    let (width, height) = (Double(size.width), Double(size.height))
    let scale = unit == .fraction ? min(width, height) : 1
    let sums = [
      (topLeft + topRight, width), (bottomLeft + bottomRight, width), (topLeft + bottomLeft, height),
      (topRight + bottomRight, height),
    ]
    let factor = sums.reduce(scale) { $1.0 * $0 > $1.1 ? $1.1 / $1.0 : $0 }
    return CornerRadii(
      topLeft: topLeft * factor, topRight: topRight * factor, bottomLeft: bottomLeft * factor,
      bottomRight: bottomRight * factor)
  }
}
