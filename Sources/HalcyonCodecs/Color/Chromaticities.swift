import CLCMS

/// The white and the three primary colours of a display, as CIE 1931 x and y.
struct Chromaticities: Hashable, Sendable {
  /// A colour without its brightness.
  struct Point: Hashable, Sendable {
    var x: Double
    var y: Double
  }

  var white: Point
  var red: Point
  var green: Point
  var blue: Point

  private static let d65 = Point(x: 0.3127, y: 0.3290)

  /// ITU-R BT.709, which sRGB has too.
  static let bt709 = Chromaticities(
    white: d65, red: Point(x: 0.64, y: 0.33), green: Point(x: 0.30, y: 0.60), blue: Point(x: 0.15, y: 0.06))
  /// ITU-R BT.601 with 625 lines.
  static let bt601With625Lines = Chromaticities(
    white: d65, red: Point(x: 0.64, y: 0.33), green: Point(x: 0.29, y: 0.60), blue: Point(x: 0.15, y: 0.06))
  /// ITU-R BT.601 with 525 lines.
  static let bt601With525Lines = Chromaticities(
    white: d65, red: Point(x: 0.630, y: 0.340), green: Point(x: 0.310, y: 0.595), blue: Point(x: 0.155, y: 0.070))
  /// SMPTE EG 432-1.
  static let displayP3 = Chromaticities(
    white: d65, red: Point(x: 0.680, y: 0.320), green: Point(x: 0.265, y: 0.690), blue: Point(x: 0.150, y: 0.060))
  /// SMPTE RP 431-2, the cinema's white.
  static let dciP3 = Chromaticities(
    white: Point(x: 0.314, y: 0.351), red: displayP3.red, green: displayP3.green, blue: displayP3.blue)
  /// ITU-R BT.2020.
  static let bt2020 = Chromaticities(
    white: d65, red: Point(x: 0.708, y: 0.292), green: Point(x: 0.170, y: 0.797), blue: Point(x: 0.131, y: 0.046))

  /// The primaries of ITU-T H.273, table 2, that still pictures use; unspecified ones are those of sRGB.
  init?(cicp code: Int) {
    switch code {
    case 1, 2: self = .bt709
    case 5: self = .bt601With625Lines
    case 6, 7: self = .bt601With525Lines
    case 9: self = .bt2020
    case 11: self = .dciP3
    case 12: self = .displayP3
    default: return nil
    }
  }

  init(white: Point, red: Point, green: Point, blue: Point) {
    self.white = white
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Whether a display could have them.
  var isValid: Bool {
    let points = [white, red, green, blue]
    guard points.allSatisfy({ $0.x >= 0 && $0.y > 0 && $0.x + $0.y <= 1 }) else { return false }
    let area = (green.x - red.x) * (blue.y - red.y) - (blue.x - red.x) * (green.y - red.y)
    return abs(area) > 1e-4
  }
}

extension Chromaticities.Point {
  var xyY: cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
}
