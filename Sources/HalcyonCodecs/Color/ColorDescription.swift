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
