/// W3C Filter Effects 1, `brightness()`.
struct BrightnessProcessor: ImageProcessor {
  let factor: Double

  var identifier: String { ProcessorIdentity("brightness").adding(factor).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...100).check(factor, "brightness")
    let factor = Float(factor)
    return try LookupTables { $0 * factor }.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Multiplies all colour components by a factor, as `brightness()` in CSS; alpha is unchanged.
  ///
  /// - Parameter factor: 0 is black, 1 changes nothing; 0 to 100.
  public static func brightness(_ factor: Double) -> Self { BuiltInProcessor(BrightnessProcessor(factor: factor)) }
}
