/// Cuts the largest circle out of the middle of an image.
public struct CircleProcessor: ImageProcessor, Hashable {
  private let border: ImageBorder?
  private let background: PixelColor

  /// Creates a processor.
  ///
  /// - Parameters:
  ///   - border: A line along the circle, inside of it and over the image.
  ///   - background: What shows outside of the circle and where the image is transparent.
  public init(border: ImageBorder? = nil, background: PixelColor = .clear) {
    self.border = border
    self.background = background
  }

  /// The name and all parameters.
  public var identifier: String {
    let grounded = ProcessorIdentity("circle").adding(background)
    return border.map { grounded.adding($0.width).adding($0.color).text } ?? grounded.text
  }

  /// A square as wide as the shorter side, with the circle in it.
  ///
  /// - Throws: ``ImageProcessingError`` when the border's width is no number, below 0 or above 100,000.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    let side = min(bitmap.size.width, bitmap.size.height)
    let square = try CropProcessor(width: side, height: side).process(bitmap)
    let round = RoundedCornersProcessor(CornerRadii(0.5, unit: .fraction), border: border, background: background)
    return try round.process(square)
  }
}

extension ImageProcessor where Self == CircleProcessor {
  /// Cuts out the largest circle in the middle.
  public static func circle(border: ImageBorder? = nil, background: PixelColor = .clear) -> Self {
    CircleProcessor(border: border, background: background)
  }
}
