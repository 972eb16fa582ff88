/// Multiplies all colour components by a factor, as W3C Filter Effects 1 defines `brightness()`, and adds an offset.
package struct BrightnessProcessor: ImageProcessor {
  private let factor: Double
  private let offset: Int

  /// - Parameters:
  ///   - factor: From 0, black, to 100.
  ///   - offset: From -255, black, to 255, white.
  package init(factor: Double = 1, offset: Int = 0) { (self.factor, self.offset) = (factor, offset) }

  package var identifier: String { ProcessorIdentity("brightness").adding(factor).adding(offset).text }

  package func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...100).check(factor, "brightness")
    try (-255...255).check(offset, "brightness offset")
    let (factor, offset) = (Float(factor), Float(offset) / 255)
    return try LookupTables { $0 * factor + offset }.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Multiplies all colour components by a factor, as `brightness()` in CSS; alpha is unchanged.
  ///
  /// - Parameter factor: 0 is black, 1 changes nothing; 0 to 100.
  public static func brightness(_ factor: Double) -> Self { BuiltInProcessor(BrightnessProcessor(factor: factor)) }
}
