import Foundation

/// Multiplies linear light: sRGB is decoded first and encoded again afterwards.
struct ExposureProcessor: ImageProcessor {
  let stops: Double

  var identifier: String { ProcessorIdentity("exposure").adding(stops).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (-20...20).check(stops, "exposure")
    let factor = exp2(stops)
    return try LookupTables { value in
      Float(SRGBTransferFunction.value(SRGBTransferFunction.light(Double(value)) * factor))
    }.apply(to: bitmap)
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Multiplies linear light, as the exposure of a camera does; alpha is unchanged.
  ///
  /// - Parameter stops: Each stop doubles the light, 0 changes nothing; -20 to 20.
  public static func exposure(stops: Double) -> Self { BuiltInProcessor(ExposureProcessor(stops: stops)) }
}
