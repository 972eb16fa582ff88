import HalcyonSupport
import CLCMS
import Foundation

/// What a file says its colours mean.
enum ColorDescription: Sendable {
  /// An ICC profile.
  case profile(Data)
  /// Red, green and blue of a display.
  case display(Chromaticities, TransferCurve)

  /// The most bytes of a profile that are read; those of printers have about one million.
  static let profileByteLimit = 4 << 20

  /// Whether it is about one channel of grey; one about red, green and blue fits grey pictures too.
  var isGrey: Bool {
    guard case .profile(let data) = self else { return false }
    return data.withUnsafeBytes { Bytes($0)[16..<20].starts(with: "GRAY".utf8) }
  }

  /// The profile for Little CMS, which the caller closes; `nil` when it is damaged, too large or makes no sense.
  func openProfile() -> cmsHPROFILE? {
    switch self {
    case .profile(let data):
      guard data.count <= Self.profileByteLimit else { return nil }
      return data.withUnsafeBytes { cmsOpenProfileFromMem($0.baseAddress, cmsUInt32Number($0.count)) }
    case .display(let chromaticities, let curve):
      return Self.makeProfile(chromaticities, curve)
    }
  }

  private static func makeProfile(_ chromaticities: Chromaticities, _ curve: TransferCurve) -> cmsHPROFILE? {
    guard chromaticities.isValid, let curve = curve.makeToneCurve() else { return nil }
    defer { cmsFreeToneCurve(curve) }
    var white = chromaticities.white.xyY
    var primaries = cmsCIExyYTRIPLE(
      Red: chromaticities.red.xyY, Green: chromaticities.green.xyY, Blue: chromaticities.blue.xyY)
    var curves: [OpaquePointer?] = [curve, curve, curve]
    return cmsCreateRGBProfile(&white, &primaries, &curves)
  }
}

extension ColorDescription {
  /// Stands for a description without keeping the bytes of its profile.
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
