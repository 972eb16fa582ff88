/// The white point and the three primaries of an RGB colour space, as CIE 1931 x and y.
package struct Chromaticities: Hashable, Sendable {
  /// A chromaticity: a colour without its luminance.
  package struct Point: Hashable, Sendable {
    package var x: Double
    package var y: Double

    package init(x: Double, y: Double) { (self.x, self.y) = (x, y) }
  }

  package var white: Point
  package var red: Point
  package var green: Point
  package var blue: Point

  private static let d65 = Point(x: 0.3127, y: 0.3290)

  /// ITU-R BT.709, also used by sRGB.
  package static let bt709 = Chromaticities(
    white: d65, red: Point(x: 0.64, y: 0.33), green: Point(x: 0.30, y: 0.60), blue: Point(x: 0.15, y: 0.06))
  /// ITU-R BT.601 with 625 lines.
  package static let bt601With625Lines = Chromaticities(
    white: d65, red: Point(x: 0.64, y: 0.33), green: Point(x: 0.29, y: 0.60), blue: Point(x: 0.15, y: 0.06))
  /// ITU-R BT.601 with 525 lines.
  package static let bt601With525Lines = Chromaticities(
    white: d65, red: Point(x: 0.630, y: 0.340), green: Point(x: 0.310, y: 0.595), blue: Point(x: 0.155, y: 0.070))
  /// SMPTE EG 432-1.
  package static let displayP3 = Chromaticities(
    white: d65, red: Point(x: 0.680, y: 0.320), green: Point(x: 0.265, y: 0.690), blue: Point(x: 0.150, y: 0.060))
  /// SMPTE RP 431-2: the primaries of Display P3 with the white point of digital cinema.
  package static let dciP3 = Chromaticities(
    white: Point(x: 0.314, y: 0.351), red: displayP3.red, green: displayP3.green, blue: displayP3.blue)
  /// ITU-R BT.2020.
  package static let bt2020 = Chromaticities(
    white: d65, red: Point(x: 0.708, y: 0.292), green: Point(x: 0.170, y: 0.797), blue: Point(x: 0.131, y: 0.046))

  /// The primaries of ITU-T H.273, table 2, that still images use; unspecified means sRGB.
  package init?(cicp code: Int) {
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

  package init(white: Point, red: Point, green: Point, blue: Point) {
    self.white = white
    self.red = red
    self.green = green
    self.blue = blue
  }

  /// Whether these can be the primaries of a display: in range and not collinear.
  package var isValid: Bool {
    let points = [white, red, green, blue]
    guard points.allSatisfy({ $0.x >= 0 && $0.y > 0 && $0.x + $0.y <= 1 }) else { return false }
    let area = (green.x - red.x) * (blue.y - red.y) - (blue.x - red.x) * (green.y - red.y)
    return abs(area) > 1e-4
  }
}

extension ColorSpace {
  package var chromaticities: Chromaticities { self == .displayP3 ? .displayP3 : .bt709 }
}
