/// Moves all colours away from middle grey or towards it (W3C Filter Effects 1, `contrast()`).
public struct ContrastProcessor: ImageProcessor, Hashable {
  private let factor: Double

  /// Creates a processor.
  ///
  /// - Parameter factor: 0 is grey, 1 changes nothing; 0 to 100.
  public init(factor: Double) { self.factor = factor }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("contrast").adding(factor).text }

  /// The result; alpha is unchanged.
  ///
  /// - Throws: ``ImageProcessingError`` if the factor is NaN or out of range.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...100).check(factor, "contrast")
    let factor = Float(factor)
    return try LookupTables { ($0 - 0.5) * factor + 0.5 }.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == ContrastProcessor {
  /// Raises or lowers the contrast.
  ///
  /// - Parameter factor: 0 is grey, 1 changes nothing; 0 to 100.
  public static func contrast(_ factor: Double) -> Self { ContrastProcessor(factor: factor) }
}
