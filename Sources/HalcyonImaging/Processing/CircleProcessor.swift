/// Crops an image to the largest circle around its centre.
public struct CircleProcessor: ImageProcessor, Hashable {
  private let border: ImageBorder?
  private let background: PixelColor

  /// Creates a processor.
  ///
  /// - Parameters:
  ///   - border: A line along the inside of the circle, over the image.
  ///   - background: The colour outside the circle and behind transparent pixels.
  public init(border: ImageBorder? = nil, background: PixelColor = .clear) {
    self.border = border
    self.background = background
  }

  /// The name and all parameters.
  public var identifier: String {
    let identity = ProcessorIdentity("circle").adding(background)
    return border.map { identity.adding($0.width).adding($0.color).text } ?? identity.text
  }

  /// A square with the side length of the image's shorter side, which contains the circle.
  ///
  /// - Throws: ``ImageProcessingError`` if the border's width is NaN, below 0 or above 100,000.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    let side = min(bitmap.size.width, bitmap.size.height)
    let square = try CropProcessor(width: side, height: side).process(bitmap)
    let round = RoundedCornersProcessor(CornerRadii(0.5, unit: .fraction), border: border, background: background)
    return try round.process(square)
  }
}

extension ImageProcessor where Self == CircleProcessor {
  /// Crops to the largest circle around the centre.
  public static func circle(border: ImageBorder? = nil, background: PixelColor = .clear) -> Self {
    CircleProcessor(border: border, background: background)
  }
}
