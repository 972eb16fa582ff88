#if !IMAGEIO
@_spi(Programs) import HalcyonImaging

/// Decodes an interlaced PNG image, whose rows are complete only after the last pass.
struct PNGInterlacedImage {
  let bytes: UnsafeRawBufferPointer
  let header: PNGHeader
  /// The signal, if the image is high dynamic range.
  let range: HighDynamicRange?
  let reading: PNGReading
  let isCancelled: () -> Bool

  /// The image, and the number of passes that are certainly complete.
  ///
  /// In a damaged file, each decoded pixel also fills the missing pixels of its Adam7 block.
  func draw() throws -> (bitmap: Bitmap, passCount: Int) {
    let reader = try PNGReader(bytes, header: header, range, isWhole: reading == .whole)
    var passCount = 0
    let isOpaque = !header.hasAlpha && reading != .partial
    let bitmap = try Bitmap(size: header.size, isOpaque: isOpaque, dynamicRange: dynamicRange) { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
      passCount = try draw(from: reader, into: start)
      if header.hasAlpha, dynamicRange == .standard { try premultiply(start) }
    }
    return (bitmap, passCount)
  }

  private var dynamicRange: DynamicRange { range?.targetRange ?? .standard }

  private func premultiply(_ start: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    for row in 0..<header.size.height {
      if row % 16 == 0, isCancelled() { throw .cancelled }
      AlphaMath.premultiply(start + row * header.size.width * 4, count: header.size.width)
    }
  }

  private func draw(from reader: borrowing PNGReader, into start: UnsafeMutablePointer<UInt8>) throws -> Int {
    var (count, pass) = (0, 0)
    let bytesPerRow = header.size.width * dynamicRange.bytesPerPixel
    do throws(ImageDecodingError) {
      try reader.start()
      while let row = try reader.nextRow() {
        if count % 16 == 0, isCancelled() { throw ImageDecodingError.cancelled }
        count += 1
        pass = row.pass
        let adam7 = Adam7(pass: pass)
        let hasMore = try reader.readRow(
          into: start + row.index * bytesPerRow, columns: adam7.columns(width: header.size.width))
        if reading == .partial {
          if dynamicRange == .high {
            adam7.spread(UInt64.self, row: row.index, of: start, size: header.size)
          } else {
            adam7.spread(UInt32.self, row: row.index, of: start, size: header.size)
          }
        }
        guard hasMore else { return Adam7.passCount }
      }
      return Adam7.passCount
    } catch {
      guard reading == .partial, error.isDamage, count > 0 || error.isTruncation else { throw error }
      return pass
    }
  }
}
#endif
