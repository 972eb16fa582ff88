/// Multiplies all colour components by a factor (W3C Filter Effects 1, `brightness()`).
public struct BrightnessProcessor: ImageProcessor, Hashable {
  private let factor: Double

  /// Creates a processor.
  ///
  /// - Parameter factor: 0 is black, 1 changes nothing; 0 to 100.
  public init(factor: Double) { self.factor = factor }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("brightness").adding(factor).text }

  /// The result; alpha is unchanged.
  ///
  /// - Throws: ``ImageProcessingError`` if the factor is NaN or out of range.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...100).check(factor, "brightness")
    let factor = Float(factor)
    return try LookupTables { $0 * factor }.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == BrightnessProcessor {
  /// Makes the image brighter or darker.
  ///
  /// - Parameter factor: 0 is black, 1 changes nothing; 0 to 100.
  public static func brightness(_ factor: Double) -> Self { BrightnessProcessor(factor: factor) }
}
