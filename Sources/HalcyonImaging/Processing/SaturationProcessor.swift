/// W3C Filter Effects 1, `saturate()` and `grayscale()`, with the weights of Rec. 709.
struct SaturationProcessor: ImageProcessor {
  let factor: Double

  var identifier: String { ProcessorIdentity("saturation").adding(factor).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...100).check(factor, "saturation")
    let factor = Float(factor)
    return try bitmap.mapPixels(isOpaque: bitmap.isOpaque) { pixel in
      let value = pixel.components
      let gray = 0.2126 * value.x + 0.7152 * value.y + 0.0722 * value.z
      let mixed = SIMD4<Float>(repeating: gray) + (value - gray) * factor
      return Bitmap.Pixel(color: mixed, alpha: pixel.alpha)
    }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Moves all colours away from the grey of equal luma or towards it, as `saturate()` in CSS; alpha is unchanged.
  ///
  /// - Parameter factor: 0 is grey, 1 changes nothing; 0 to 100.
  public static func saturation(_ factor: Double) -> Self { BuiltInProcessor(SaturationProcessor(factor: factor)) }

  /// Converts the image to greyscale.
  public static var grayscale: Self { BuiltInProcessor(SaturationProcessor(factor: 0)) }
}
