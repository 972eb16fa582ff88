import HalcyonImaging

/// One of the seven passes of interlacing (ISO/IEC 15948, 8.2).
struct Adam7 {
  static let passCount = 7

  private let firstColumn: Int
  private let columnStep: Int
  /// The pixels that one of this pass stands for, until later ones come: to its right and below.
  private let blockWidth: Int
  private let blockHeight: Int

  /// - Parameter pass: 0 to 6.
  init(pass: Int) {
    firstColumn = [0, 4, 0, 2, 0, 1, 0][pass]
    columnStep = [8, 8, 4, 4, 2, 2, 1][pass]
    blockWidth = [8, 4, 4, 2, 2, 1, 1][pass]
    blockHeight = [8, 8, 4, 4, 2, 2, 1][pass]
  }

  /// Copies the pixels of this pass in a row over those that they stand for; `pixels` has four bytes each.
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
