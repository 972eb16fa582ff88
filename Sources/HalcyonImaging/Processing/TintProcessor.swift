/// Replaces all colours of an image by one.
struct TintProcessor: ImageProcessor {
  let color: PixelColor

  var identifier: String { ProcessorIdentity("tint").adding(color).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let ink = color.premultiplied(in: bitmap.colorSpace)
    return try bitmap.mapPixels(isOpaque: bitmap.isOpaque && color.alpha == 255) { ink.scaled(by: $0.alpha) }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Replaces all colours by one, and multiplies the image's alpha by the colour's; for example for symbols.
  public static func tint(_ color: PixelColor) -> Self { BuiltInProcessor(TintProcessor(color: color)) }
}
