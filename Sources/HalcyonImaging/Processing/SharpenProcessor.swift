import HalcyonSupport

/// Sharpens edges with an unsharp mask: adds the difference to a blurred copy.
struct SharpenProcessor: ImageProcessor {
  let amount: Double
  let radius: Double

  var identifier: String { ProcessorIdentity("sharpen").adding(amount).adding(radius).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...10).check(amount, "sharpening amount")
    let amount = Float(amount)
    return try BlurProcessor(radius: radius).process(bitmap).withPixels { blurred in
      try bitmap.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
        try Bitmap.inParts(of: source.count) { part in
          for index in part {
            let value = source[index].components
            let sharper = value + (value - blurred[index].components) * amount
            result[index] = Bitmap.Pixel(color: sharper, alpha: source[index].alpha)
          }
        }
      }
    }
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Sharpens edges; alpha is unchanged.
  ///
  /// - Parameters:
  ///   - amount: The factor of the difference to the blurred image; 0 changes nothing; 0 to 10.
  ///   - radius: The blur's standard deviation in pixels, 0 to 1000; 1 to 2 suit images on a screen.
  public static func sharpen(amount: Double = 0.5, radius: Double = 1) -> Self {
    BuiltInProcessor(SharpenProcessor(amount: amount, radius: radius))
  }
}
