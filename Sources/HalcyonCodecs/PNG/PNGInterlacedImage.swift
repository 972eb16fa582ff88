import HalcyonImaging

/// Decodes an interlaced PNG image, whose rows are complete only after the last pass.
struct PNGInterlacedImage {
  let bytes: UnsafeRawBufferPointer
  let header: PNGHeader
  let truncation: PartialImagePolicy
  let isCancelled: () -> Bool

  /// The image, and the number of passes that are certainly complete.
  ///
  /// In a truncated file, each decoded pixel also fills the missing pixels of its Adam7 block.
  func draw() throws -> (bitmap: Bitmap, passCount: Int) {
    let reader = try PNGReader(bytes, size: header.size)
    if truncation.isFound { reader.ignoreChecksums() }
    var passCount = 0
    let isOpaque = !header.hasAlpha && !truncation.isFound
    let bitmap = try Bitmap(size: header.size, isOpaque: isOpaque) { output in
      guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
      passCount = try draw(from: reader, into: start)
      if header.hasAlpha { try premultiply(start) }
    }
    return (bitmap, passCount)
  }

  private func premultiply(_ start: UnsafeMutablePointer<UInt8>) throws(ImageDecodingError) {
    for row in 0..<header.size.height {
      if row % 16 == 0, isCancelled() { throw .cancelled }
      AlphaMath.premultiply(start + row * header.size.width * 4, count: header.size.width)
    }
  }

  private func draw(from reader: borrowing PNGReader, into start: UnsafeMutablePointer<UInt8>) throws -> Int {
    var (count, pass) = (0, 0)
    do throws(ImageDecodingError) {
      try reader.start()
      while let row = try reader.nextRow() {
        if count % 16 == 0, isCancelled() { throw ImageDecodingError.cancelled }
        count += 1
        pass = row.pass
        let hasMore = try reader.readRow(into: start + row.index * header.size.width * 4)
        if truncation.isFound { Adam7(pass: pass).spread(row: row.index, of: start, size: header.size) }
        guard hasMore else { return Adam7.passCount }
      }
      return Adam7.passCount
    } catch {
      guard truncation.isFound, error == .truncated(.png) else { throw error }
      return pass
    }
  }
}

/// One of the seven passes of Adam7 interlacing (ISO/IEC 15948, 8.2).
struct Adam7 {
  static let passCount = 7

  private let firstColumn: Int
  private let columnStep: Int
  /// The block to the right and below that a pixel of this pass fills until later passes are decoded.
  private let blockWidth: Int
  private let blockHeight: Int

  /// - Parameter pass: 0 to 6.
  init(pass: Int) {
    firstColumn = [0, 4, 0, 2, 0, 1, 0][pass]
    columnStep = [8, 8, 4, 4, 2, 2, 1][pass]
    blockWidth = [8, 4, 4, 2, 2, 1, 1][pass]
    blockHeight = [8, 8, 4, 4, 2, 2, 1][pass]
  }

  /// Copies the pixels of this pass in a row over their blocks; `pixels` has four bytes per pixel.
  func spread(row: Int, of pixels: UnsafeMutablePointer<UInt8>, size: PixelSize) {
    guard blockWidth > 1 || blockHeight > 1 else { return }
    let pixels = UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt32.self)
    for line in row..<min(row + blockHeight, size.height) {
      for column in stride(from: firstColumn, to: size.width, by: columnStep) {
        let color = pixels[row * size.width + column]
        for target in column..<min(column + blockWidth, size.width) { pixels[line * size.width + target] = color }
      }
    }
  }
}
