import HalcyonImaging

/// Gives the rows of a bitmap.
final class BitmapRowSource: RowSource {
  var size: PixelSize { bitmap.size }
  var isOpaque: Bool { bitmap.isOpaque }

  private let bitmap: Bitmap
  private var nextRow = 0

  init(_ bitmap: Bitmap) {
    self.bitmap = bitmap
  }

  func readRow(into row: UnsafeMutablePointer<UInt8>) {
    bitmap.withUnsafeBytes { bytes in
      let range = nextRow * bitmap.bytesPerRow..<(nextRow + 1) * bitmap.bytesPerRow
      UnsafeMutableRawBufferPointer(start: row, count: range.count).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
    nextRow += 1
  }

  func finish() {}
}
