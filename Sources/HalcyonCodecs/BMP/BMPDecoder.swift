package import HalcyonImaging
package import Foundation

/// Decodes Windows and OS/2 bitmaps: 1 to 32 bits per pixel, run-length encoding, bit fields, alpha, bottom-up and
/// top-down rows.
///
/// Own code instead of a library: the format is a header and rows. Rows are resampled one by one; only run-length
/// encoding takes one byte per pixel. Colour profiles are reported but not applied.
package struct BMPDecoder: ImageDecoder {
  private let graphs = ResampleGraphCache()

  /// Creates a decoder; its copies share a cache for resampling, a few megabytes at most.
  package init() {}

  package let formats: Set<ImageFormat> = [.bmp]
  package var decodesRegions: Bool { true }

  /// Reads the headers, at most 138 bytes.
  package func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
    let header = try bytes.withUnsafeBytes { try BMPHeaderParser.parse(file: Bytes($0)) }
    if header == nil, isComplete { throw ImageDecodingError.truncated(.bmp) }
    return header?.info
  }

  /// Decodes a file at the target size, or the rows that are there if the options allow a partial image.
  ///
  /// Most files store the lowest row first.
  package func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
    try bytes.withUnsafeBytes { buffer in
      guard var header = try BMPHeaderParser.parse(file: Bytes(buffer)) else {
        throw ImageDecodingError.truncated(.bmp)
      }
      let plan = try DecodingPlan(info: header.info, options: options)
      let encoded =
        header.isRunLengthEncoded
        ? try BMPRunLengths.indices(buffer, header: header, isCancelled: options.isCancelled) : nil
      let rowCount = encoded?.rowCount ?? header.storedRowCount(in: buffer.count)
      let isPartial = rowCount < header.size.height
      guard !isPartial || options.allowsPartialImage && rowCount > 0 else { throw ImageDecodingError.truncated(.bmp) }
      if header.hasAlpha, header.ignoresEmptyAlpha, !header.hasVisiblePixel(in: buffer, rowCount: rowCount) {
        header.masks.removeLast()
      }
      let isOpaque = !header.hasAlpha && !isPartial
      return try plan.image(truncation: isPartial ? .found : nil) {
        try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: options.isCancelled) {
          [header] in BMPRowSource(buffer, indices: encoded?.indices, rowCount: rowCount, header: header)
        }
      }
    }
  }
}

extension BMPHeader {
  /// The number of rows in a file of `byteCount` bytes, if they are not encoded.
  fileprivate func storedRowCount(in byteCount: Int) -> Int {
    guard pixelOffset + usedBytesPerRow <= byteCount else { return 0 }
    return min(size.height, (byteCount - pixelOffset - usedBytesPerRow) / bytesPerRow + 1)
  }

  /// Whether the alpha of a pixel is above 0.
  fileprivate func hasVisiblePixel(in bytes: UnsafeRawBufferPointer, rowCount: Int) -> Bool {
    let step = bitCount / 8
    return (0..<rowCount).contains { row in
      let start = pixelOffset + row * bytesPerRow
      return stride(from: start, to: start + usedBytesPerRow, by: step).contains { offset in
        let value =
          step == 4
          ? UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
          : UInt32(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
        return value & masks[3] != 0
      }
    }
  }
}

/// The rows of a bitmap, from top to bottom; missing rows are transparent.
private final class BMPRowSource: RowSource {
  var size: PixelSize { header.size }
  let isOpaque: Bool

  private let bytes: UnsafeRawBufferPointer
  private let header: BMPHeader
  private let colors: BMPColors
  /// The palette indices of all pixels, if they are decoded already.
  private let indices: [UInt8]?
  /// How many rows there are, in stored order.
  private let rowCount: Int
  private var nextRow = 0

  /// - Parameter bytes: The bytes that the offsets of the header refer to; must outlive the source.
  init(_ bytes: UnsafeRawBufferPointer, indices: [UInt8]?, rowCount: Int, header: BMPHeader) {
    self.bytes = bytes
    self.header = header
    self.indices = indices
    self.rowCount = rowCount
    colors = BMPColors(Bytes(bytes), header: header)
    isOpaque = !header.hasAlpha && rowCount == header.size.height
  }

  func skipRows(_ count: Int) { nextRow += count }

  func readRow(into row: UnsafeMutablePointer<UInt8>) {
    let index = header.isTopDown ? nextRow : size.height - 1 - nextRow
    nextRow += 1
    guard index < rowCount else {
      row.update(repeating: 0, count: size.width * 4)
      return
    }
    if let indices {
      indices.withUnsafeBytes { all in
        let stored = UnsafeRawBufferPointer(rebasing: all[index * size.width..<(index + 1) * size.width])
        colors.unpack(stored, bitCount: 8, count: size.width, into: row)
      }
      return
    }
    let start = header.pixelOffset + index * header.bytesPerRow
    let stored = UnsafeRawBufferPointer(rebasing: bytes[start..<start + header.usedBytesPerRow])
    colors.unpack(stored, bitCount: header.bitCount, count: size.width, into: row)
    if header.hasAlpha { AlphaMath.premultiply(row, count: size.width) }
  }

  func finish() {}
}
