/// How round the corners of an image become.
public struct CornerRadii: Hashable, Sendable {
  /// What a radius counts in.
  public enum Unit: String, Hashable, Sendable {
    /// Pixels of the image that is processed.
    case pixels
    /// Parts of its shorter side: 0.5 makes a circle of a square.
    case fraction
  }

  /// The upper left corner's radius, at least 0.
  public var topLeft: Double
  /// The upper right corner's radius, at least 0.
  public var topRight: Double
  /// The lower left corner's radius, at least 0.
  public var bottomLeft: Double
  /// The lower right corner's radius, at least 0.
  public var bottomRight: Double
  /// What the radii count in.
  public var unit: Unit

  /// Creates radii of each corner's own; those not named leave the corner as it is.
  public init(
    topLeft: Double = 0, topRight: Double = 0, bottomLeft: Double = 0, bottomRight: Double = 0, unit: Unit = .pixels
  ) {
    self.topLeft = topLeft
    self.topRight = topRight
    self.bottomLeft = bottomLeft
    self.bottomRight = bottomRight
    self.unit = unit
  }

  /// Creates the same radius for all corners.
  public init(_ radius: Double, unit: Unit = .pixels) {
    self.init(topLeft: radius, topRight: radius, bottomLeft: radius, bottomRight: radius, unit: unit)
  }

  var values: [Double] { [topLeft, topRight, bottomLeft, bottomRight] }

  /// The radii in pixels for an image, made smaller by one factor where two of them do not fit beside each other
  /// (CSS Backgrounds and Borders 3, section 4.5).
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
