import Foundation
import HalcyonImaging

/// Whether the gamut is wider than sRGB, which decides on the space of the result.
extension ColorDescription {
  /// Whether a primary of the space is well outside of sRGB. Profiles with tables in place of primaries, such as
  /// printers' profiles, and damaged ones do not count as wide.
  var isWide: Bool {
    switch self {
    case .profile(let data): data.withUnsafeBytes { Self.isWide(Bytes($0)) }
    case .display(let chromaticities, _): chromaticities.isWide
    }
  }

  /// Reads the colours of the primaries (ICC.1:2022, 9.2.44), which are relative to the white point D50.
  private static func isWide(_ profile: Bytes) -> Bool {
    guard profile.count <= profileByteLimit, profile.text(at: 16, count: 4) == "RGB ",
      let tagCount = profile.unsigned32(at: 128), tagCount <= 100
    else { return false }
    var offsets: [String: Int] = [:]
    for entry in stride(from: 132, to: 132 + tagCount * 12, by: 12) {
      if let name = profile.text(at: entry, count: 4) { offsets[name] = profile.unsigned32(at: entry + 4) }
    }
    return ["rXYZ", "gXYZ", "bXYZ"].contains { name in
      guard let offset = offsets[name], profile.text(at: offset, count: 4) == "XYZ " else { return false }
      // Signed fixed-point numbers.
      let values = (0..<3).compactMap { profile.bits32(at: offset + 8 + $0 * 4).map(Int32.init(bitPattern:)) }
      guard values.count == 3 else { return false }
      return LinearColor.sRGB(fromD50: SIMD3(values.map { Double($0) / 65_536 })).isWide
    }
  }
}

extension Chromaticities {
  /// Whether a primary is well outside of sRGB.
  var isWide: Bool {
    guard isValid else { return false }
    let matrix = ColorMatrix(from: self, to: .bt709)
    return (0..<3).contains { primary in
      let color = SIMD3(matrix.red[primary], matrix.green[primary], matrix.blue[primary])
      return LinearColor(SIMD3<Double>(color)).isWide
    }
  }
}

/// A colour in the linear light of sRGB, with values outside 0...1 for colours that sRGB lacks.
private struct LinearColor {
  /// The least channel of a primary is -0.04 for 625-line video, and -0.22 for Display P3.
  private static let tolerance = 0.1

  let channels: SIMD3<Double>

  init(_ channels: SIMD3<Double>) { self.channels = channels }

  /// From CIE XYZ, adapted to D50.
  static func sRGB(fromD50 color: SIMD3<Double>) -> LinearColor {
    let (x, y, z) = (color.x, color.y, color.z)
    return LinearColor(
      SIMD3(
        3.134_19 * x - 1.617_38 * y - 0.490_66 * z, -0.978_80 * x + 1.916_12 * y + 0.033_41 * z,
        0.071_95 * x - 0.228_98 * y + 1.405_30 * z))
  }

  var isWide: Bool { channels.min() < -Self.tolerance || channels.max() > 1 + Self.tolerance }
}
