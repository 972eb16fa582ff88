import HalcyonImaging

/// One of the seven passes of Adam7 interlacing (ISO/IEC 15948, 8.2).
struct Adam7 {
  static let passCount = 7

  private let firstColumn: Int
  private let columnStep: Int
  private let firstRow: Int
  private let rowStep: Int
  /// The block to the right and below that a pixel of this pass fills until later passes are decoded.
  private let blockWidth: Int
  private let blockHeight: Int

  /// - Parameter pass: 0 to 6.
  init(pass: Int) {
    firstColumn = [0, 4, 0, 2, 0, 1, 0][pass]
    columnStep = [8, 8, 4, 4, 2, 2, 1][pass]
    firstRow = [0, 0, 4, 0, 2, 0, 1][pass]
    rowStep = [8, 8, 8, 4, 4, 2, 2][pass]
    blockWidth = [8, 4, 4, 2, 2, 1, 1][pass]
    blockHeight = [8, 8, 4, 4, 2, 2, 1][pass]
  }

  /// The size of the reduced image of this pass; a side can be 0.
  func size(of image: PixelSize) -> PixelSize {
    PixelSize(
      width: max(0, image.width - firstColumn + columnStep - 1) / columnStep,
      height: max(0, image.height - firstRow + rowStep - 1) / rowStep)
  }

  /// The columns of the pixels of this pass.
  func columns(width: Int) -> StrideTo<Int> { stride(from: firstColumn, to: width, by: columnStep) }

  /// Copies the pixels of this pass in a row over their blocks.
  func spread<Pixel>(_: Pixel.Type, row: Int, of pixels: UnsafeMutableRawPointer, size: PixelSize) {
    guard blockWidth > 1 || blockHeight > 1 else { return }
    let pixels = pixels.assumingMemoryBound(to: Pixel.self)
    for line in row..<min(row + blockHeight, size.height) {
      for column in columns(width: size.width) {
        let color = pixels[row * size.width + column]
        for target in column..<min(column + blockWidth, size.width) { pixels[line * size.width + target] = color }
      }
    }
  }
}
