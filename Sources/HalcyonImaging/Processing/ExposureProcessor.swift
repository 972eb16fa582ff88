import Foundation

/// Multiplies light as a camera's exposure does: in linear light, the values of sRGB decoded first and encoded after.
public struct ExposureProcessor: ImageProcessor, Hashable {
  private let stops: Double

  /// Creates a processor.
  ///
  /// - Parameter stops: One more doubles the light, 0 changes nothing; -20 to 20.
  public init(stops: Double) { self.stops = stops }

  /// The name and all parameters.
  public var identifier: String { ProcessorIdentity("exposure").adding(stops).text }

  /// The changed image; transparency stays.
  ///
  /// - Throws: ``ImageProcessingError`` when the stops are no number or out of range.
  public func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (-20...20).check(stops, "exposure")
    let factor = Float(exp2(stops))
    return try LookupTables { Self.encoded(Self.linear($0) * factor) }.apply(to: bitmap)
  }

  /// IEC 61966-2-1: from a value of sRGB to light.
  private static func linear(_ value: Float) -> Float {
    value <= 0.04045 ? value / 12.92 : powf((value + 0.055) / 1.055, 2.4)
  }

  /// IEC 61966-2-1: from light to a value of sRGB.
  private static func encoded(_ light: Float) -> Float {
    light <= 0.003_130_8 ? light * 12.92 : 1.055 * powf(light, 1 / 2.4) - 0.055
  }
}

extension ImageProcessor where Self == ExposureProcessor {
  /// Makes the image lighter or darker as a camera's exposure does.
  ///
  /// - Parameter stops: One more doubles the light, 0 changes nothing; -20 to 20.
  public static func exposure(stops: Double) -> Self { ExposureProcessor(stops: stops) }
}
