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
