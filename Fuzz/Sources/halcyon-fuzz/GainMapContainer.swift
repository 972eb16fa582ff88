import Foundation
import Halcyon
import HalcyonImaging

/// Pictures with gain maps, one segment of which is the input.
struct GainMapContainer {
  static let shared = GainMapContainer()

  /// A file whose picture and map are as small as they can be.
  private let file: [UInt8]

  private init?() {
    let bright = try? Bitmap(size: PixelSize(width: 16, height: 16), isOpaque: true, dynamicRange: .high) { bytes in
      // Four times as bright as white.
      for offset in stride(from: 0, to: bytes.count, by: 2) {
        bytes.storeBytes(of: offset % 8 == 6 ? 0x3C00 : 0x4400, toByteOffset: offset, as: UInt16.self)
      }
    }
    guard let bright, let encoder = try? StandardCodecs.encoder(for: .jpeg),
      let file = try? encoder.encode(DecodedImage(bitmap: bright), options: EncodingOptions())
    else { return nil }
    self.file = Array(file)
  }

  /// The file with another index (`mpf`) or another list of files (`lis`), or with other parameters of the map in binary form
  /// (`iso`) or in XMP (`map`).
  func files(_ kind: String, _ block: Data) -> [Data] {
    let data = Data(file)
    guard let map = data.ranges(of: Data([0xFF, 0xD8, 0xFF])).last?.lowerBound,
      let index = data.firstRange(of: Data("MPF\0".utf8))
    else { preconditionFailure("no gain map was written") }
    let (picture, second) = (data.prefix(map), Data(data[map...]))
    switch kind {
    case "mpf": return [replaced(index, by: block, in: Data(picture)) + second]
    // The index points elsewhere then.
    case "lis": return [replaced("http://ns.adobe.com/xap/1.0/\0", by: block, in: Data(picture)) + second]
    case "iso":
      // Without the packet, which says the same.
      let changed = replaced("urn:iso:std:iso:ts:21496:-1\0", by: block, in: second)
      return [joined(Data(picture), replaced("http://ns.adobe.com/xap/1.0/\0", by: Data(), in: changed), index)]
    default:
      let changed = replaced("http://ns.adobe.com/xap/1.0/\0", by: block, in: second)
      return [joined(Data(picture), replaced("urn:iso:std:iso:ts:21496:-1\0", by: Data(), in: changed), index)]
    }
  }

  /// A picture and its map, whose length the index states at its end.
  private func joined(_ picture: Data, _ map: Data, _ index: Range<Data.Index>) -> Data {
    var picture = picture
    let length = index.upperBound + 50 + 16 + 4
    picture.replaceSubrange(length..<length + 4, with: bigEndian(map.count, count: 4))
    return picture + map
  }

  private func replaced(_ prefix: String, by block: Data, in file: Data) -> Data {
    guard let range = file.firstRange(of: Data(prefix.utf8)) else { preconditionFailure("no \(prefix) was written") }
    return replaced(range, by: block, in: file)
  }

  /// A file with other content behind the prefix of a segment.
  private func replaced(_ prefix: Range<Data.Index>, by block: Data, in file: Data) -> Data {
    var file = file
    let start = prefix.lowerBound - 2
    let end = start + Int(file[start]) << 8 + Int(file[start + 1])
    file.replaceSubrange(prefix.upperBound..<end, with: block)
    file.replaceSubrange(start..<prefix.lowerBound, with: bigEndian(2 + prefix.count + block.count, count: 2))
    return file
  }

  private func bigEndian(_ value: Int, count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }
}
