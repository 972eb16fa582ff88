package import HalcyonImaging
package import Foundation

/// Encodes PNG, 8 bits per channel, opaque bitmaps without an alpha channel, grey ones with one for colour; or with a colour
/// table. Half floats become PQ in BT.2020 with 16 bits.
///
/// Through libspng, and on Apple's systems through ImageIO, which writes neither interlaced files, nor colour tables, nor high
/// dynamic range here.
package struct PNGEncoder: ImageEncoder {
  private static let sideLimit = 0x7FFF_FFFF

  let isInterlaced: Bool

  /// Creates an encoder.
  ///
  /// - Parameter isInterlaced: Whether files are shown in passes as they arrive, and are about a sixth larger.
  package init(isInterlaced: Bool = false) { self.isInterlaced = isInterlaced }

  package var format: ImageFormat { .png }

  /// Encodes a bitmap; without a limit of colours losslessly, except for rounding of nearly transparent colours, which
  /// bitmaps hold premultiplied.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.png, bitmap.size)
    }
    #if !IMAGEIO
    if bitmap.dynamicRange == .high {
      let file = try perceptualFile(of: bitmap)
      return WritableMetadata(options.metadata, bitmap.colorSpace, writesProfile: false)?.added(toPNG: file) ?? file
    }
    #endif
    let bitmap = try bitmap.inStandardRange()
    let file = try file(of: bitmap, colorLimit: options.colorLimit)
    return WritableMetadata(options.metadata, bitmap.colorSpace)?.added(toPNG: file) ?? file
  }
}
