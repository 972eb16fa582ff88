/// Moves all colours away from the grey of equal luma or towards it.
///
/// W3C Filter Effects 1, `saturate()` and `grayscale()`, with the weights of Rec. 709.
public struct SaturationProcessor: ImageProcessor, Hashable {
  private let factor: Double

  /// Creates a processor.
  ///
  /// - Parameter factor: 0 is grey, 1 changes nothing; 0 to 100.
  public init(factor: Double) { self.factor = factor }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("saturation").adding(factor).text }

  /// The result; alpha is unchanged.
  ///
  /// - Throws: ``ImageProcessingError`` if the factor is NaN or out of range.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
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

extension ImageProcessor where Self == SaturationProcessor {
  /// Increases or decreases the saturation.
  ///
  /// - Parameter factor: 0 is grey, 1 changes nothing; 0 to 100.
  public static func saturation(_ factor: Double) -> Self { SaturationProcessor(factor: factor) }

  /// Converts the image to greyscale.
  public static var grayscale: Self { SaturationProcessor(factor: 0) }
}
