/// W3C Filter Effects 1, `contrast()`.
struct ContrastProcessor: ImageProcessor {
  let factor: Double

  var identifier: String { ProcessorIdentity("contrast").adding(factor).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...100).check(factor, "contrast")
    let factor = Float(factor)
    return try LookupTables { ($0 - 0.5) * factor + 0.5 }.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Moves all colours away from middle grey or towards it, as `contrast()` in CSS; alpha is unchanged.
  ///
  /// - Parameter factor: 0 is grey, 1 changes nothing; 0 to 100.
  public static func contrast(_ factor: Double) -> Self { BuiltInProcessor(ContrastProcessor(factor: factor)) }
}
