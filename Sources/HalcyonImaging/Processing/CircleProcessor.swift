/// Crops an image to the largest circle around its centre.
struct CircleProcessor: ImageProcessor {
  let border: ImageBorder?
  let background: PixelColor

  var identifier: String {
    let identity = ProcessorIdentity("circle").adding(background)
    return border.map { identity.adding($0.width).adding($0.color).text } ?? identity.text
  }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let side = min(bitmap.size.width, bitmap.size.height)
    let square = try CropProcessor(width: side, height: side, anchor: .center).process(bitmap)
    let round = RoundedCornersProcessor(
      radii: CornerRadii(0.5, unit: .fraction), border: border, background: background)
    return try round.process(square)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Crops to the largest circle around the centre; the result is a square with the image's shorter side.
  ///
  /// - Parameters:
  ///   - border: A line along the inside of the circle, over the image.
  ///   - background: The colour outside the circle and behind transparent pixels.
  public static func circle(border: ImageBorder? = nil, background: PixelColor = .clear) -> Self {
    BuiltInProcessor(CircleProcessor(border: border, background: background))
  }
}
