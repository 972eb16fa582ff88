/// Adds a value to all colour components.
package struct BrightnessOffsetProcessor: ImageProcessor {
  private let offset: Int

  /// - Parameter offset: From -255, black, to 255, white.
  package init(_ offset: Int) { self.offset = offset }

  package var identifier: String { ProcessorIdentity("brightness offset").adding(offset).text }

  package func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (-255...255).check(offset, "brightness offset")
    return try bitmap.mapPixels(isOpaque: bitmap.isOpaque) { pixel in
      let alpha = Int(pixel.alpha)
      var result = pixel
      for channel in 0..<3 { result[channel] = UInt8(max(0, min(alpha, Int(pixel[channel]) + offset * alpha / 255))) }
      return result
    }
  }
}
