import Foundation
import HalcyonImaging

/// The header of an ICC profile (ICC.1:2022, 7.2), as far as it tells whether the profile applies to an image.
struct ICCProfileHeader {
  private static let byteCount = 128

  /// The colour space of the pixels that the profile describes, for example `RGB `.
  let colorSpace: String

  /// `nil` if the profile is damaged, incomplete or too large.
  init?(_ profile: Data) {
    let header = profile.withUnsafeBytes { buffer -> (byteCount: Int, colorSpace: String)? in
      let bytes = Bytes(buffer)
      guard bytes.count >= Self.byteCount, bytes.count <= ColorDescription.profileByteLimit,
        let byteCount = bytes.unsigned32(at: 0), let colorSpace = bytes.text(at: 16, count: 4),
        bytes.text(at: 36, count: 4) == "acsp"
      else { return nil }
      return (byteCount, colorSpace)
    }
    guard let header, header.byteCount <= profile.count else { return nil }
    colorSpace = header.colorSpace
  }

  /// Whether pixels of a colour model can be converted; grey ones are RGB as well.
  func applies(to model: ColorModel) -> Bool {
    switch model {
    case .cmyk: colorSpace == "CMYK"
    case .grey: colorSpace == "GRAY" || colorSpace == "RGB "
    default: colorSpace == "RGB "
    }
  }
}

extension ColorMapping {
  /// The mapping for Apple's codecs, which convert colours while they decode; it only says whether they can.
  static func bySystem(_ profile: Data?, model: ColorModel, to space: ColorSpace) -> ColorMapping {
    let isUsable = profile.map { ICCProfileHeader($0)?.applies(to: model) == true } ?? true
    return ColorMapping(colorSpace: space, isUnusable: !isUsable)
  }
}
