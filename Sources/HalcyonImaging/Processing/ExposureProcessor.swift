import Foundation

/// Multiplies linear light: sRGB is decoded first and encoded again afterwards.
struct ExposureProcessor: ImageProcessor {
  let stops: Double

  var identifier: String { ProcessorIdentity("exposure").adding(stops).text }

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (-20...20).check(stops, "exposure")
    let factor = Float(exp2(stops))
    return try LookupTables { Self.encoded(Self.linear($0) * factor) }.apply(to: bitmap)
  }

  /// Converts an sRGB component to linear light (IEC 61966-2-1).
  private static func linear(_ value: Float) -> Float {
    value <= 0.04045 ? value / 12.92 : powf((value + 0.055) / 1.055, 2.4)
  }

  /// Converts linear light to an sRGB component (IEC 61966-2-1).
  private static func encoded(_ light: Float) -> Float {
    light <= 0.003_130_8 ? light * 12.92 : 1.055 * powf(light, 1 / 2.4) - 0.055
  }
}

extension ImageProcessor where Self == BuiltInProcessor {
  /// Multiplies linear light, as the exposure of a camera does; alpha is unchanged.
  ///
  /// - Parameter stops: Each stop doubles the light, 0 changes nothing; -20 to 20.
  public static func exposure(stops: Double) -> Self { BuiltInProcessor(ExposureProcessor(stops: stops)) }
}
