import Foundation
import HalcyonCore

/// One chunk of a PNG file, by where it lies in the bytes.
struct PNGChunk {
  let name: String
  /// What it holds, without length, name and checksum.
  let content: Range<Int>

  /// All of it.
  var range: Range<Int> { content.lowerBound - 8..<content.upperBound + 4 }
}

/// Walks over the chunks of a PNG file.
struct PNGChunks {
  private static let signatureByteCount = 8

  private let bytes: Bytes
  private var offset = signatureByteCount

  init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// The next chunk that is whole, or `nil` at the end of the bytes.
  mutating func next() -> PNGChunk? {
    guard let length = bytes.unsigned32(at: offset), bytes.count >= offset + 12 + length else { return nil }
    let name = String(decoding: (4..<8).compactMap { bytes[offset + $0] }, as: UTF8.self)
    defer { offset += 12 + length }
    return PNGChunk(name: name, content: offset + 8..<offset + 8 + length)
  }
}

/// Makes a PNG file that ends early readable up to its end.
///
/// libspng takes pixels in pieces and gives none of one that is not all there, so the last chunk is given the length
/// that it has.
enum PNGTruncatedFile {
  private static let signatureLength = 8
  /// The letters IDAT.
  private static let dataType = 0x4944_4154
  private static let endType = 0x4945_4E44

  /// The file up to its last byte of pixels; `nil` when it reaches its end.
  static func repaired(_ file: UnsafeRawBufferPointer) -> [UInt8]? {
    let bytes = Bytes(file)
    var offset = signatureLength
    while let length = bytes.unsigned32(at: offset), let type = bytes.unsigned32(at: offset + 4) {
      let end = offset + 12 + length
      if end <= bytes.count {
        if type == endType { return nil }
        offset = end
        continue
      }
      return type == dataType ? cut(file, in: offset) : Array(file[..<offset])
    }
    return Array(file[..<min(offset, file.count)])
  }

  /// The file up to its end, with the length of the chunk that starts at an offset made right.
  private static func cut(_ file: UnsafeRawBufferPointer, in offset: Int) -> [UInt8] {
    let length = file.count - offset - 8
    let header = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - $0 * 8)) }
    var repaired = Array(file)
    repaired.replaceSubrange(offset..<offset + 4, with: header)
    // The checksum, which is not looked at.
    return repaired + [0, 0, 0, 0]
  }
}
