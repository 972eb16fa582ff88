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
    var sheet = try Bitmap(size: size, isOpaque: true) { sheet in
      for index in sheet.indices { sheet[index] = color[index % 4] }
    }
    for (number, image) in images.enumerated() {
      let left = gap + number % columns * (cell.width + gap) + (cell.width - image.size.width) / 2
      let top = gap + number / columns * (cell.height + gap) + (cell.height - image.size.height) / 2
      try sheet.draw(image, lefts: [left], tops: [top])
    }
    return sheet
  }
}
