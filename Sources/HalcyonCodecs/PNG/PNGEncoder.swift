package import HalcyonImaging
package import Foundation

/// Encodes PNG, 8 bits per channel; opaque bitmaps without an alpha channel.
///
/// Through libspng, and on Apple's systems through ImageIO.
package struct PNGEncoder: ImageEncoder {
  private static let sideLimit = 0x7FFF_FFFF

  /// Creates an encoder; it has no state.
  package init() {}

  /// PNG.
  package var format: ImageFormat { .png }

  /// Encodes a bitmap losslessly, except for rounding of nearly transparent colours, which bitmaps hold premultiplied.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.png, bitmap.size)
    }
    let file = try file(of: bitmap)
    return WritableMetadata(options.metadata, bitmap.colorSpace)?.added(toPNG: file) ?? file
  }
}
