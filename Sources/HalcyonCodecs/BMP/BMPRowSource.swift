import HalcyonImaging

/// The rows of a bitmap, from top to bottom whichever way they are stored.
final class BMPRowSource: RowSource {
  var size: PixelSize { header.size }
  let isOpaque: Bool

  private let bytes: UnsafeRawBufferPointer
  private let header: BMPHeader
  private let colors: BMPColors
  private let firstRow: Int
  private var nextRow = 0

  /// - Parameter bytes: What the offsets of the header count in; must outlive the source.
  init(_ bytes: UnsafeRawBufferPointer, header: BMPHeader) throws(ImageDecodingError) {
    let rowsBeforeLast = header.bytesPerRow.multipliedReportingOverflow(by: header.size.height - 1)
    let end = header.pixelOffset + rowsBeforeLast.partialValue + header.usedBytesPerRow
    guard !rowsBeforeLast.overflow, end <= bytes.count else { throw .truncated(.bmp) }
    self.bytes = bytes
    self.header = header
    colors = BMPColors(Bytes(bytes), header: header)
    isOpaque = !header.hasAlpha
    firstRow = header.isTopDown ? 0 : header.size.height - 1
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) {
    let index = header.isTopDown ? nextRow : firstRow - nextRow
    nextRow += 1
    let start = header.pixelOffset + index * header.bytesPerRow
    let stored = UnsafeRawBufferPointer(rebasing: bytes[start..<start + header.usedBytesPerRow])
    colors.unpack(stored, bitCount: header.bitCount, count: size.width, into: row)
    if !isOpaque { AlphaMath.premultiply(row, count: size.width) }
  }

  func finish() {}
}
