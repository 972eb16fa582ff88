import HalcyonSupport

/// Places an image on a transparent canvas of at least a size.
package struct CanvasProcessor: ImageProcessor {
  private let least: PixelSize
  private let placement: Placement
  private let pixelLimit: Int

  /// - Parameter pixelLimit: The most pixels of a result that is larger than the image.
  package init(least: PixelSize, at placement: Placement, pixelLimit: Int = ImageLimits().pixelCount) {
    (self.least, self.placement, self.pixelLimit) = (least, placement, pixelLimit)
  }

  package var identifier: String {
    ProcessorIdentity("extend").adding(least.width).adding(least.height).adding(text: placement.parameters).text
  }

  package func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...1_000_000).check(least.width, "canvas width")
    try (0...1_000_000).check(least.height, "canvas height")
    let size = PixelSize(width: max(least.width, bitmap.size.width), height: max(least.height, bitmap.size.height))
    let (left, top) = placement.corner(of: bitmap.size, in: size)
    return try bitmap.placed(left: left, top: top, on: size, pixelLimit: pixelLimit)
  }
}

/// Adds transparent pixels on the sides of an image.
package struct PaddingProcessor: ImageProcessor {
  private let top, right, bottom, left: Int
  private let pixelLimit: Int

  /// - Parameter pixelLimit: The most pixels of a result that is larger than the image.
  package init(top: Int, right: Int, bottom: Int, left: Int, pixelLimit: Int = ImageLimits().pixelCount) {
    (self.top, self.right, self.bottom, self.left) = (top, right, bottom, left)
    self.pixelLimit = pixelLimit
  }

  package var identifier: String {
    ProcessorIdentity("padding").adding(top).adding(right).adding(bottom).adding(left).text
  }

  package func process(_ bitmap: Bitmap) throws -> Bitmap {
    for side in [top, right, bottom, left] { try (0...1_000_000).check(side, "padding") }
    let size = PixelSize(width: bitmap.size.width + left + right, height: bitmap.size.height + top + bottom)
    return try bitmap.placed(left: left, top: top, on: size, pixelLimit: pixelLimit)
  }
}

/// Blends an image over an opaque colour.
package struct BackgroundProcessor: ImageProcessor {
  private let color: PixelColor

  package init(_ color: PixelColor) { self.color = color }

  package var identifier: String { ProcessorIdentity("background").adding(color).text }

  package func process(_ bitmap: Bitmap) throws -> Bitmap {
    guard !bitmap.isOpaque else { return bitmap }
    let color = color.converted(to: bitmap.colorSpace)
    let backdrop = Bitmap.Pixel(color.red, color.green, color.blue, 255)
    return try bitmap.mapPixels(isOpaque: true) { $0.over(backdrop) }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Places an image that is smaller than a size on a transparent canvas of that size; no side becomes shorter.
  ///
  /// - Parameters:
  ///   - width: The least width of the result in pixels, 0 to 1,000,000; 0 leaves the width as it is.
  ///   - height: The least height, like `width`.
  ///   - anchor: The position of the image on the canvas. Default: the centre.
  public static func extend(width: Int, height: Int, anchor: CropAnchor = .center) -> Self {
    BuiltInProcessor(
      CanvasProcessor(least: PixelSize(width: width, height: height), at: .anchored(anchor, inset: 0)))
  }

  /// Adds transparent pixels on the sides of the image, each 0 to 1,000,000.
  public static func padding(top: Int = 0, right: Int = 0, bottom: Int = 0, left: Int = 0) -> Self {
    BuiltInProcessor(PaddingProcessor(top: top, right: right, bottom: bottom, left: left))
  }

  /// Blends the image over a colour, which makes it opaque.
  ///
  /// - Parameter color: The colour behind transparent pixels; its alpha is ignored.
  public static func background(_ color: PixelColor) -> Self { BuiltInProcessor(BackgroundProcessor(color)) }
}

extension Bitmap {
  /// The image at a position of a transparent canvas, which contains it.
  fileprivate func placed(left: Int, top: Int, on size: PixelSize, pixelLimit: Int) throws -> Bitmap {
    guard size != self.size else { return self }
    guard size.pixelCount <= pixelLimit else { throw ImageProcessingError.resultTooLarge(size, limit: pixelLimit) }
    let width = self.size.width
    return try redrawn(size: size, isOpaque: false) { source, result in
      for row in 0..<self.size.height {
        try CancellationFlag.checkCurrent(atRow: row)
        let line = UnsafeBufferPointer(rebasing: source[(row * width)...].prefix(width))
        let start = (top + row) * size.width + left
        _ = UnsafeMutableBufferPointer(rebasing: result[start..<start + width]).update(fromContentsOf: line)
      }
    }
  }
}
