import HalcyonSupport
import HalcyonImaging
import Foundation

/// The source colour space of an image, as its file describes it.
enum ColorDescription: Sendable {
  /// An ICC profile.
  case profile(Data)
  /// An RGB space given by primaries, white point and transfer curve.
  case display(Chromaticities, TransferCurve)

  /// The largest ICC profile that is read, in bytes; printer profiles have about one million.
  static let profileByteLimit = 4 << 20

  /// Whether this is a profile for one grey channel; an RGB profile also applies to grey images.
  var isGrey: Bool {
    guard case .profile(let data) = self else { return false }
    return data.withUnsafeBytes { Bytes($0)[16..<20].starts(with: "GRAY".utf8) }
  }
}

extension ColorDescription {
  /// Identifies a description without retaining the bytes of its profile.
  enum Key: Hashable, Sendable {
    case profile(KeyDigest)
    case display(Chromaticities, TransferCurve)
  }

  var key: Key {
    switch self {
    case .profile(let data): .profile(data.withUnsafeBytes { KeyDigest(bytes: $0) })
    case .display(let chromaticities, let curve): .display(chromaticities, curve)
    }
  }
}

/// The white point and the three primaries of an RGB colour space, as CIE 1931 x and y.
struct Chromaticities: Hashable, Sendable {
  /// A chromaticity: a colour without its luminance.
  struct Point: Hashable, Sendable {
    var x: Double
    var y: Double
  }

  var white: Point
  var red: Point
  var green: Point
  var blue: Point

  private static let d65 = Point(x: 0.3127, y: 0.3290)

  /// ITU-R BT.709, also used by sRGB.
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
  /// SMPTE RP 431-2: the primaries of Display P3 with the white point of digital cinema.
  static let dciP3 = Chromaticities(
    white: Point(x: 0.314, y: 0.351), red: displayP3.red, green: displayP3.green, blue: displayP3.blue)
  /// ITU-R BT.2020.
  static let bt2020 = Chromaticities(
    white: d65, red: Point(x: 0.708, y: 0.292), green: Point(x: 0.170, y: 0.797), blue: Point(x: 0.131, y: 0.046))

  /// The primaries of ITU-T H.273, table 2, that still images use; unspecified means sRGB.
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

  /// Whether these can be the primaries of a display: in range and not collinear.
  var isValid: Bool {
    let points = [white, red, green, blue]
    guard points.allSatisfy({ $0.x >= 0 && $0.y > 0 && $0.x + $0.y <= 1 }) else { return false }
    let area = (green.x - red.x) * (blue.y - red.y) - (blue.x - red.x) * (green.y - red.y)
    return abs(area) > 1e-4
  }
}

extension ColorSpace {
  var chromaticities: Chromaticities { self == .displayP3 ? .displayP3 : .bt709 }
}

/// A colour space that a file names in its metadata.
enum ColorSpaceHint: String {
  /// sRGB, or the primaries of BT.709.
  case sRGB
  /// Adobe RGB (1998).
  case adobeRGB = "Adobe RGB"
  case displayP3 = "Display P3"
  /// The primaries of BT.2020.
  case bt2020 = "BT.2020"

  /// The primaries of ITU-T H.273, table 2; `nil` for others.
  init?(cicp code: Int) {
    switch code {
    case 1: self = .sRGB
    case 9: self = .bt2020
    case 12: self = .displayP3
    default: return nil
    }
  }
}

/// A transfer curve: how stored values map to linear light.
enum TransferCurve: Hashable, Sendable {
  /// IEC 61966-2-1.
  case sRGB
  /// A power of the stored value; 1 is linear light.
  case gamma(Double)

  /// The standard-dynamic-range curves of ITU-T H.273, table 3; `nil` for PQ, HLG and others.
  ///
  /// The transfer functions of BT.601, BT.709 and BT.2020 describe cameras; like browsers, Halcyon decodes them as
  /// sRGB.
  init?(cicp code: Int) {
    switch code {
    case 1, 2, 6, 13, 14, 15: self = .sRGB
    case 4: self = .gamma(2.2)
    case 5: self = .gamma(2.8)
    case 8: self = .gamma(1)
    default: return nil
    }
  }
}
