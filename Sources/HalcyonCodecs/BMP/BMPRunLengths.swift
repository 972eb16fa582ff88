import HalcyonImaging

/// Decodes run-length encoding of bitmaps with 4 or 8 bits per pixel ("Bitmap Compression", Windows GDI).
struct BMPRunLengths {
  private let bytes: UnsafeRawBufferPointer
  private let header: BMPHeader
  private var offset: Int
  private var column = 0
  private var row = 0
  private var indices: [UInt8]

  /// The palette indices of all pixels, rows in stored order, and how many rows are there before the file ends. Skipped
  /// pixels have index 0.
  static func indices(
    _ bytes: UnsafeRawBufferPointer, header: BMPHeader, isCancelled: () -> Bool
  ) throws(ImageDecodingError) -> (indices: [UInt8], rowCount: Int) {
    var decoder = BMPRunLengths(bytes: bytes, header: header)
    do throws(ImageDecodingError) {
      try decoder.decode(isCancelled)
      return (decoder.indices, header.size.height)
    } catch {
      guard error.isTruncation else { throw error }
      // A complete bitmap may lack its end marker.
      let hasRow = decoder.column >= header.size.width
      return (decoder.indices, min(decoder.row + (hasRow ? 1 : 0), header.size.height))
    }
  }

  private init(bytes: UnsafeRawBufferPointer, header: BMPHeader) {
    self.bytes = bytes
    self.header = header
    offset = header.pixelOffset
    indices = Array(repeating: 0, count: header.size.pixelCount)
  }

  private mutating func decode(_ isCancelled: () -> Bool) throws(ImageDecodingError) {
    if isCancelled() { throw .cancelled }
    while row < header.size.height {
      let count = Int(try nextByte())
      let value = try nextByte()
      if count > 0 {
        write(count) { [is4Bit] index in is4Bit ? (index % 2 == 0 ? value >> 4 : value & 15) : value }
        continue
      }
      switch value {
      case 0:
        (column, row) = (0, row + 1)
        if row % 16 == 0, isCancelled() { throw .cancelled }
      case 1: return
      case 2:
        column += Int(try nextByte())
        row += Int(try nextByte())
      default: try readLiterals(Int(value))
      }
    }
  }

  private var is4Bit: Bool { header.compression == .rle4 }

  /// Reads literal pixels, which are padded to an even number of bytes.
  private mutating func readLiterals(_ count: Int) throws(ImageDecodingError) {
    let byteCount = is4Bit ? (count + 1) / 2 : count
    guard offset + byteCount <= bytes.count else { throw .truncated(.bmp) }
    let start = offset
    write(count) { [is4Bit, bytes] index in
      guard is4Bit else { return bytes[start + index] }
      let pair = bytes[start + index / 2]
      return index % 2 == 0 ? pair >> 4 : pair & 15
    }
    offset += (byteCount + 1) / 2 * 2
  }

  /// Writes pixels at the current position, clipped at the end of the row.
  private mutating func write(_ count: Int, _ index: (Int) -> UInt8) {
    let start = row * header.size.width + column
    for position in 0..<max(0, min(count, header.size.width - column)) { indices[start + position] = index(position) }
    column += count
  }

  private mutating func nextByte() throws(ImageDecodingError) -> UInt8 {
    guard offset < bytes.count else { throw .truncated(.bmp) }
    defer { offset += 1 }
    return bytes[offset]
  }
}
