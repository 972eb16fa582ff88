import HalcyonImaging

/// The list of pictures at the start of a Windows icon or cursor.
struct ICODirectory {
  struct Entry {
    /// What the directory claims; the picture itself has the last word.
    var size: PixelSize
    /// Bits a pixel; 0 where the directory does not say, as in cursors.
    var bitCount: Int
    var range: Range<Int>
  }

  private static let headerByteCount = 6
  private static let entryByteCount = 16

  /// The largest and deepest first.
  let entries: [Entry]

  /// The directory, or `nil` when the bytes end before it does.
  static func parse(_ bytes: Bytes) throws(ImageDecodingError) -> ICODirectory? {
    guard let reserved = bytes.unsigned16(at: 0, littleEndian: true),
      let kind = bytes.unsigned16(at: 2, littleEndian: true), let count = bytes.unsigned16(at: 4, littleEndian: true)
    else { return nil }
    guard reserved == 0, kind == 1 || kind == 2 else { throw .corrupt(.ico, reason: "its signature is wrong") }
    guard count > 0 else { throw .corrupt(.ico, reason: "it holds no picture") }
    guard bytes.count >= headerByteCount + count * entryByteCount else { return nil }
    let entries = (0..<count).compactMap { entry($0, of: bytes, isCursor: kind == 2) }
    return ICODirectory(
      entries: entries.sorted { ($0.size.pixelCount, $0.bitCount) > ($1.size.pixelCount, $1.bitCount) })
  }

  private static func entry(_ index: Int, of bytes: Bytes, isCursor: Bool) -> Entry? {
    let start = headerByteCount + index * entryByteCount
    guard let width = bytes[start], let height = bytes[start + 1],
      let bitCount = bytes.unsigned16(at: start + 6, littleEndian: true),
      let byteCount = bytes.unsigned32(at: start + 8, littleEndian: true),
      let offset = bytes.unsigned32(at: start + 12, littleEndian: true)
    else { return nil }
    let size = PixelSize(width: width == 0 ? 256 : Int(width), height: height == 0 ? 256 : Int(height))
    return Entry(size: size, bitCount: isCursor ? 0 : bitCount, range: offset..<offset + byteCount)
  }
}
