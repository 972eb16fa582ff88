import HalcyonImaging

/// Gives the rows of an image as premultiplied RGBA, from top to bottom, once.
protocol RowSource: AnyObject {
  /// Width and number of the rows.
  var size: PixelSize { get }
  var isOpaque: Bool { get }

  /// Writes the next row, four bytes a pixel.
  func readRow(into row: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError)

  /// Called after the last row: checks that the file is whole.
  func finish() throws(ImageDecodingError)
}

extension RowSource {
  /// How many rows are read between two questions whether anyone still wants the image.
  private static var rowsBetweenChecks: Int { 16 }

  /// Every row, without resampling.
  func bitmap(isCancelled: () -> Bool) throws -> Bitmap {
    try Bitmap(size: size, isOpaque: isOpaque) { output in
      guard var row = output.bindMemory(to: UInt8.self).baseAddress else { return }
      for index in 0..<size.height {
        try checkCancelled(atRow: index, isCancelled)
        try readRow(into: row)
        row += size.width * 4
      }
      try finish()
    }
  }

  func checkCancelled(atRow row: Int, _ isCancelled: () -> Bool) throws(ImageDecodingError) {
    if row % Self.rowsBetweenChecks == 0, isCancelled() { throw .cancelled }
  }
}
