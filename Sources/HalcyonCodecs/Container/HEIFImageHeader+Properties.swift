import Foundation
import HalcyonImaging

extension HEIFImageHeader {
  /// Applies one item property.
  mutating func apply(_ property: Box) {
    let content = property.content
    switch property.type {
    case "av1C": readAV1(content)
    case "hvcC": readHEVC(content)
    case "pixi": bitDepth = content[5].map(Int.init) ?? bitDepth
    case "colr": readColor(content)
    case "clli": light.contentPeak = content.unsigned16(at: 0).map(Double.init)
    // The peak follows three primaries and the white point, in steps of 0.0001 cd/m².
    case "mdcv": light.masteringPeak = content.unsigned32(at: 16).map { Double($0) / 10_000 }
    case "clap": aperture = CleanAperture(content, inside: codedSize) ?? aperture
    // The anticlockwise quarter turns that make the image upright.
    case "irot": orientation = orientation.followed(by: [.up, .left, .down, .right][Int((content[0] ?? 0) & 3)])
    case "imir": orientation = orientation.followed(by: (content[0] ?? 0) & 1 == 1 ? .upMirrored : .downMirrored)
    default: break
    }
  }

  /// Reads an AV1 codec configuration (AV1-ISOBMFF, 2.3.3).
  private mutating func readAV1(_ content: Bytes) {
    guard let flags = content[2] else { return }
    bitDepth = flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
    isGrey = flags & 0x10 != 0
  }

  /// Reads an HEVC decoder configuration (ISO/IEC 14496-15, 8.3.3.1).
  private mutating func readHEVC(_ content: Bytes) {
    guard let chroma = content[16], let depth = content[17] else { return }
    isGrey = chroma & 3 == 0
    bitDepth = 8 + Int(depth & 7)
  }

  private mutating func readColor(_ content: Bytes) {
    switch content.text(at: 0, count: 4) {
    case "nclx":
      guard let primaries = content.unsigned16(at: 4), let transfer = content.unsigned16(at: 6),
        let matrix = content.unsigned16(at: 8), let range = content[10]
      else { return }
      color = ColorCoding(primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: range & 0x80 != 0)
    case "prof", "rICC": colorProfile = content[4..<max(4, content.count)].data
    default: break
    }
  }
}
