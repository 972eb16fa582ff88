import Halcyon

/// Draws images in a grid on a dark background.
struct ContactSheet {
  private static let gap = 12
  private static let background: [UInt8] = [24, 26, 32, 255]

  private let images: [Bitmap]
  private let columns: Int

  init(images: [Bitmap], columns: Int) {
    self.images = images
    self.columns = columns
  }

  func draw() throws -> Bitmap {
    let rows = (images.count + columns - 1) / columns
    let cell = PixelSize(
      width: images.map(\.size.width).max() ?? 1, height: images.map(\.size.height).max() ?? 1)
    let size = PixelSize(
      width: columns * (cell.width + Self.gap) + Self.gap, height: rows * (cell.height + Self.gap) + Self.gap)
    return try Bitmap(size: size, isOpaque: true) { sheet in
      for index in sheet.indices { sheet[index] = Self.background[index % 4] }
      for (number, image) in images.enumerated() {
        let column = Self.gap + number % columns * (cell.width + Self.gap) + (cell.width - image.size.width) / 2
        let row = Self.gap + number / columns * (cell.height + Self.gap) + (cell.height - image.size.height) / 2
        copy(image, to: sheet, column: column, row: row, bytesPerRow: size.width * 4)
      }
    }
  }

  private func copy(
    _ image: Bitmap, to sheet: UnsafeMutableRawBufferPointer, column: Int, row: Int, bytesPerRow: Int
  ) {
    image.withUnsafeBytes { pixels in
      for line in 0..<image.size.height {
        let source = UnsafeRawBufferPointer(rebasing: pixels[line * image.bytesPerRow..<(line + 1) * image.bytesPerRow])
        let start = (row + line) * bytesPerRow + column * 4
        UnsafeMutableRawBufferPointer(rebasing: sheet[start..<start + source.count]).copyMemory(from: source)
      }
    }
  }
}
