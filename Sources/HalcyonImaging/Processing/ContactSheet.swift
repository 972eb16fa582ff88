/// Images in a grid, each in the middle of its cell.
@_spi(Programs) public struct ContactSheet: Sendable {
  private let images: [Bitmap]
  private let columns: Int
  /// Between the cells, and around them, in pixels.
  public var gap = 12
  /// The colour between the images, opaque.
  public var background = PixelColor(red: 24, green: 26, blue: 32)

  /// Creates a sheet.
  ///
  /// - Parameters:
  ///   - images: In sRGB. Cells are as wide as the widest and as high as the highest.
  ///   - columns: The images in a row, at least 1.
  public init(_ images: [Bitmap], columns: Int) {
    (self.images, self.columns) = (images, max(1, columns))
  }

  /// The size of the sheet.
  public var size: PixelSize {
    let rows = (images.count + columns - 1) / columns
    return PixelSize(
      width: min(columns, images.count) * (cell.width + gap) + gap, height: rows * (cell.height + gap) + gap)
  }

  private var cell: PixelSize {
    PixelSize(width: images.map(\.size.width).max() ?? 1, height: images.map(\.size.height).max() ?? 1)
  }

  /// Draws the sheet.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public func draw() throws -> Bitmap {
    let (size, cell) = (size, cell)
    let color = [background.red, background.green, background.blue, 255]
    return try Bitmap(size: size, isOpaque: true) { sheet in
      for index in sheet.indices { sheet[index] = color[index % 4] }
      for (number, image) in try images.map({ try $0.inStandardRange() }).enumerated() {
        let column = gap + number % columns * (cell.width + gap) + (cell.width - image.size.width) / 2
        let row = gap + number / columns * (cell.height + gap) + (cell.height - image.size.height) / 2
        Self.draw(image, on: sheet, at: (row * size.width + column) * 4, bytesPerRow: size.width * 4)
      }
    }
  }

  private static func draw(
    _ image: Bitmap, on sheet: UnsafeMutableRawBufferPointer, at start: Int, bytesPerRow: Int
  ) {
    image.withUnsafeBytes { pixels in
      for line in 0..<image.size.height {
        let source = UnsafeRawBufferPointer(
          rebasing: pixels[line * image.bytesPerRow..<line * image.bytesPerRow + image.size.width * 4])
        let target = UnsafeMutableRawBufferPointer(
          rebasing: sheet[start + line * bytesPerRow..<start + line * bytesPerRow + source.count])
        if image.isOpaque { target.copyMemory(from: source) } else { blend(source, over: target) }
      }
    }
  }

  /// Draws premultiplied pixels over opaque ones.
  private static func blend(_ source: UnsafeRawBufferPointer, over target: UnsafeMutableRawBufferPointer) {
    for index in source.indices where index % 4 < 3 {
      let rest = 255 - UInt(source[index | 3])
      target[index] = UInt8(min(255, UInt(source[index]) + (UInt(target[index]) * rest + 127) / 255))
    }
  }
}
