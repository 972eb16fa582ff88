/// The position of one chunk in a PNG file.
struct PNGChunk {
  let name: String
  /// The data, without length, type and checksum.
  let content: Range<Int>

  /// The whole chunk.
  var range: Range<Int> { content.lowerBound - 8..<content.upperBound + 4 }
}

/// Iterates over the chunks of a PNG file.
struct PNGChunks {
  private static let signatureByteCount = 8

  private let bytes: Bytes
  private var offset = signatureByteCount

  init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  /// The next complete chunk, or `nil` at the end of the bytes.
  mutating func next() -> PNGChunk? {
    guard let length = bytes.unsigned32(at: offset), bytes.count >= offset + 12 + length else { return nil }
    let name = String(decoding: (4..<8).compactMap { bytes[offset + $0] }, as: UTF8.self)
    defer { offset += 12 + length }
    return PNGChunk(name: name, content: offset + 8..<offset + 8 + length)
  }
}

/// Repairs a truncated PNG file so that it can be decoded up to its end.
///
/// libspng decodes nothing of an incomplete chunk, so the length of the last chunk is set to what is there of it.
enum PNGTruncatedFile {
  private static let signatureLength = 8
  /// The chunk type `IDAT`.
  private static let dataType = 0x4944_4154
  /// The chunk type `IEND`.
  private static let endType = 0x4945_4E44

  /// The file up to its last byte of image data, or `nil` if it is not truncated.
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
      return type == dataType ? correctingLength(ofChunkAt: offset, in: file) : Array(file[..<offset])
    }
    return Array(file[..<min(offset, file.count)])
  }

  /// The file with the length of the truncated chunk at `offset` corrected.
  private static func correctingLength(ofChunkAt offset: Int, in file: UnsafeRawBufferPointer) -> [UInt8] {
    let length = file.count - offset - 8
    let header = (0..<4).map { UInt8(truncatingIfNeeded: length >> (24 - $0 * 8)) }
    var repaired = Array(file)
    repaired.replaceSubrange(offset..<offset + 4, with: header)
    // A checksum, which is ignored.
    return repaired + [0, 0, 0, 0]
  }
}
