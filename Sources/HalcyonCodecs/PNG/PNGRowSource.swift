import HalcyonImaging

/// The rows of a PNG image that is not interlaced.
final class PNGRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool

  private let header: PNGHeader
  private let reader: PNGReader
  private let truncation: PartialImagePolicy
  private var hasMoreRows = true

  /// - Parameter truncation: Where it is found already, rows are expected to end early.
  init(_ bytes: UnsafeRawBufferPointer, header: PNGHeader, truncation: PartialImagePolicy) throws(ImageDecodingError) {
    self.header = header
    size = header.size
    isOpaque = !header.hasAlpha && !truncation.isFound
    self.truncation = truncation
    reader = try PNGReader(bytes, size: header.size)
    if truncation.isFound { reader.ignoreChecksums() }
    do throws(ImageDecodingError) {
      try reader.start()
    } catch {
      try acceptEnd(error)
    }
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    guard hasMoreRows || truncation.isFound else { throw .corrupt(.png, reason: "a row is missing") }
    do throws(ImageDecodingError) {
      if hasMoreRows {
        hasMoreRows = try reader.readRow(into: row)
        if header.hasAlpha { AlphaMath.premultiply(row, count: size.width) }
        return
      }
    } catch {
      try acceptEnd(error)
    }
    row.update(repeating: 0, count: size.width * 4)
  }

  func finish() {}

  /// Goes on without further rows where the file is known to end early.
  private func acceptEnd(_ error: ImageDecodingError) throws(ImageDecodingError) {
    guard truncation.isFound, error == .truncated(.png) else { throw error }
    hasMoreRows = false
  }
}
