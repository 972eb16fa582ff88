import HalcyonCore

/// The rows of a PNG image that is not interlaced.
final class PNGRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let reader: PNGReader
  private var hasMoreRows = true

  init(_ bytes: UnsafeRawBufferPointer, header: PNGHeader) throws(ImageDecodingError) {
    size = header.size
    isOpaque = !header.hasAlpha
    reader = try PNGReader(bytes, size: header.size)
    try reader.start()
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    guard hasMoreRows else { throw .corrupt(.png, reason: "a row is missing") }
    hasMoreRows = try reader.readRow(into: row)
    if !isOpaque { AlphaMath.premultiply(row, count: size.width) }
  }

  func finish() {}
}
