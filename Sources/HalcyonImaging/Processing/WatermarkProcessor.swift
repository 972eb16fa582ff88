import HalcyonSupport

/// Draws a watermark over an image, at its own size.
struct WatermarkProcessor: ImageProcessor {
  private let mark: Bitmap
  private let anchor: CropAnchor
  private let inset: Int
  private let opacity: Double
  private let blendMode: BlendMode
  /// Identifies the pixels of the mark.
  private let markDigest: KeyDigest

  init(_ mark: Bitmap, at anchor: CropAnchor, inset: Int, opacity: Double, blendMode: BlendMode) {
    self.mark = mark
    self.anchor = anchor
    self.inset = inset
    self.opacity = opacity
    self.blendMode = blendMode
    markDigest = mark.withUnsafeBytes { KeyDigest(bytes: $0) }
  }

  var identifier: String {
    ProcessorIdentity("watermark").adding(text: markDigest.hexadecimal).adding(text: mark.size.description)
      .adding(anchor.x).adding(anchor.y).adding(inset).adding(opacity).adding(text: blendMode.rawValue).text
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...100_000).check(inset, "watermark inset")
    try (0...1).check(opacity, "watermark opacity")
    let mark = try mark.converted(to: bitmap.colorSpace)
    let left = start(of: mark.size.width, in: bitmap.size.width, anchor: anchor.x)
    let top = start(of: mark.size.height, in: bitmap.size.height, anchor: anchor.y)
    var marked = bitmap
    try marked.withUnsafeMutableBytes { bytes in
      try draw(mark, over: bytes.bindMemory(to: Bitmap.Pixel.self), of: bitmap.size, left: left, top: top)
    }
    return marked
  }

  private func start(of count: Int, in length: Int, anchor: Double) -> Int {
    inset + Int((Double(length - count - 2 * inset) * anchor).rounded())
  }

  private func draw(
    _ mark: Bitmap, over result: UnsafeMutableBufferPointer<Bitmap.Pixel>, of size: PixelSize, left: Int, top: Int
  ) throws {
    let columns = (left..<(left + mark.size.width)).clamped(to: 0..<size.width)
    let rows = (top..<(top + mark.size.height)).clamped(to: 0..<size.height)
    let share = UInt8(fraction: Float(opacity))
    try mark.withPixels { pixels in
      for row in rows {
        try CancellationFlag.checkCurrent(atRow: row)
        for column in columns {
          let ink = pixels[(row - top) * mark.size.width + column - left].scaled(by: share)
          let index = row * size.width + column
          result[index] = blendMode.draw(ink, over: result[index])
        }
      }
    }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Draws a watermark over the image, at its own size.
  ///
  /// Hashes the pixels of the watermark, at about one millisecond per megabyte.
  ///
  /// - Parameters:
  ///   - mark: The watermark, clipped to the image.
  ///   - anchor: The position of the watermark in the image. Default: the lower right corner.
  ///   - inset: The distance from the edges in pixels, 0 to 100,000.
  ///   - opacity: From invisible, 0, to unchanged, 1.
  ///   - blendMode: How the colours are blended.
  public static func watermark(
    _ mark: Bitmap, at anchor: CropAnchor = CropAnchor(x: 1, y: 1), inset: Int = 0, opacity: Double = 1,
    blendMode: BlendMode = .normal
  ) -> Self {
    BuiltInProcessor(WatermarkProcessor(mark, at: anchor, inset: inset, opacity: opacity, blendMode: blendMode))
  }
}
