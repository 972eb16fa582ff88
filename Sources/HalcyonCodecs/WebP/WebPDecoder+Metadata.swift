package import HalcyonImaging
package import Foundation

extension WebPDecoder {
  /// Reads all chunks: Exif and XMP are the last ones.
  package func metadata(of bytes: Data) throws -> ImageMetadata {
    var metadata = ImageMetadata(info: try wholeInfo(of: bytes))
    try bytes.withUnsafeBytes { buffer in
      let file = Bytes(buffer)
      var blocks = MetadataBlocks()
      var duration = Duration.zero
      var (chunks, parts) = (WebPChunks(file), HeaderParts(.webp, limit: .max))
      while let chunk = chunks.next() {
        try parts.add()
        let content = file[chunk.content]
        switch chunk.name {
        case "EXIF": blocks.setExif(content)
        case "XMP ": blocks.xmp = blocks.xmp ?? content.data
        case "ICCP": blocks.colorProfile = blocks.colorProfile ?? content.data
        case "ANMF":
          duration += FrameDuration.displayed(.milliseconds(content.unsigned24(at: 12) ?? 0))
        default: break
        }
      }
      try metadata.add(blocks)
      if metadata.info.frameCount > 1 { metadata.duration = duration }
    }
    return metadata
  }
}

/// Iterates over the chunks of a WebP file (RFC 9649) that are complete.
struct WebPChunks {
  struct Chunk {
    let name: String
    /// The data, without name and length.
    let content: Range<Int>
  }

  private let bytes: Bytes
  /// The position of the next chunk.
  private(set) var offset = 12

  init(_ bytes: Bytes) {
    self.bytes = bytes
  }

  mutating func next() -> Chunk? {
    guard let byteCount = bytes.unsigned32(at: offset + 4, littleEndian: true),
      offset + 8 + byteCount <= bytes.count, let name = bytes.text(at: offset, count: 4)
    else { return nil }
    let content = offset + 8..<offset + 8 + byteCount
    offset = content.upperBound + byteCount % 2
    return Chunk(name: name, content: content)
  }
  /// A whole file.
  static func file(_ chunks: Data) -> Data { encoded("RIFF", Data("WEBP".utf8) + chunks) }

  /// A whole chunk.
  static func encoded(_ name: String, _ content: Data) -> Data {
    Data(name.utf8) + Data(littleEndian: content.count, count: 4) + content + Data(count: content.count % 2)
  }

  /// The header of the extended format.
  static func extendedHeader(flags: UInt8, size: PixelSize) -> Data {
    let sides = Data(littleEndian: size.width - 1, count: 3) + Data(littleEndian: size.height - 1, count: 3)
    return encoded("VP8X", [flags, 0, 0, 0] + sides)
  }
}
