import HalcyonSupport

/// Fills square blocks with their mean colour.
struct PixelateProcessor: ImageProcessor {
  let blockSize: Int

  var identifier: String { ProcessorIdentity("pixelate").adding(blockSize).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (1...100_000).check(blockSize, "pixelate block size")
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    return try bitmap.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
      for top in stride(from: 0, to: height, by: blockSize) {
        try CancellationFlag.checkCurrent()
        for left in stride(from: 0, to: width, by: blockSize) {
          let rows = top..<min(height, top + blockSize)
          let columns = left..<min(width, left + blockSize)
          let mean = Self.mean(of: source, width: width, columns: columns, rows: rows)
          for row in rows { for column in columns { result[row * width + column] = mean } }
        }
      }
    }
  }

  private static func mean(
    of pixels: UnsafeBufferPointer<Bitmap.Pixel>, width: Int, columns: Range<Int>, rows: Range<Int>
  ) -> Bitmap.Pixel {
    var sum = SIMD4<UInt64>.zero
    for row in rows {
      for column in columns { sum &+= SIMD4<UInt64>(truncatingIfNeeded: pixels[row * width + column]) }
    }
    let count = UInt64(rows.count * columns.count)
    return Bitmap.Pixel(truncatingIfNeeded: (sum &+ count / 2) / count)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Fills square blocks with their mean colour, starting at the upper left corner.
  ///
  /// - Parameter blockSize: The side of a block in pixels; 1 changes nothing; 1 to 100,000. Blocks at the right and
  ///   bottom edges may be smaller.
  public static func pixelate(blockSize: Int) -> Self { BuiltInProcessor(PixelateProcessor(blockSize: blockSize)) }
}
