import HalcyonCore

/// Decodes an interlaced PNG image, whose rows are complete only at the end.
struct PNGInterlacedImage {
  let bytes: UnsafeRawBufferPointer
  let header: PNGHeader
  let isCancelled: () -> Bool

  func bitmap() throws -> Bitmap {
    let reader = try PNGReader(bytes, size: header.size)
    try reader.start()
    return try Bitmap(size: header.size, isOpaque: !header.hasAlpha) { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
      var count = 0
      while let row = try reader.nextRow() {
        if count % 16 == 0, isCancelled() { throw ImageDecodingError.cancelled }
        count += 1
        guard try reader.readRow(into: start + row * header.size.width * 4) else { break }
      }
      if header.hasAlpha { AlphaMath.premultiply(start, count: header.size.pixelCount) }
    }
  }
}

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
