#if AVIF && !IMAGEIO
package import HalcyonImaging
import CAVIF
package import Foundation

/// Encodes AVIF through libavif and its AV1 encoder, with alpha.
///
/// Chroma subsampling is 4:2:0 below a quality of 0.9, otherwise 4:4:4. The speed is 8 of libavif's 0 (best) to 10, on
/// one thread: an image of 1 megapixel takes about half a second.
package struct AVIFEncoder: ImageEncoder {
  private static let speed: Int32 = 8
  private static let worstQuantizer = 63.0
  private static let fullColorQuality = 0.9
  private static let sideLimit = 65_536

  /// Creates an encoder; it has no state.
  package init() {}

  /// AVIF.
  package var format: ImageFormat { .avif }

  /// Encodes a bitmap.
  ///
  /// Quality maps linearly to AV1's quantizer, from 63 at 0 to 0 at 1, which is still lossy.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,536 pixels.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    try rejectMetadata(options)
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.avif, bitmap.size)
    }
    let layout = options.quality < Self.fullColorQuality ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444
    guard
      let image = avifImageCreate(UInt32(bitmap.size.width), UInt32(bitmap.size.height), 8, layout),
      let encoder = avifEncoderCreate()
    else { throw ImageEncodingError.failed(.avif, reason: "out of memory") }
    defer {
      avifEncoderDestroy(encoder)
      avifImageDestroy(image)
    }
    try Self.check(Self.fill(image, from: bitmap))
    let quantizer = Int32((Self.worstQuantizer * (1 - options.quality)).rounded())
    encoder.pointee.maxThreads = 1
    encoder.pointee.speed = Self.speed
    encoder.pointee.minQuantizer = quantizer
    encoder.pointee.maxQuantizer = quantizer
    encoder.pointee.minQuantizerAlpha = quantizer
    encoder.pointee.maxQuantizerAlpha = quantizer
    var output = avifRWData()
    defer { avifRWDataFree(&output) }
    try Self.check(avifEncoderWrite(encoder, image, &output))
    return Data(bytes: output.data, count: output.size)
  }

  /// Fills an image with full-range colours and straight alpha.
  private static func fill(_ image: UnsafeMutablePointer<avifImage>, from bitmap: Bitmap) -> avifResult {
    image.pointee.yuvRange = AVIF_RANGE_FULL
    let primaries = bitmap.colorSpace == .sRGB ? AVIF_COLOR_PRIMARIES_BT709 : AVIF_COLOR_PRIMARIES_SMPTE432
    image.pointee.colorPrimaries = avifColorPrimaries(primaries)
    image.pointee.transferCharacteristics = avifTransferCharacteristics(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
    image.pointee.matrixCoefficients = avifMatrixCoefficients(AVIF_MATRIX_COEFFICIENTS_BT601)
    return bitmap.withUnsafeBytes { bytes in
      var pixels = avifRGBImage()
      avifRGBImageSetDefaults(&pixels, image)
      pixels.format = AVIF_RGB_FORMAT_RGBA
      pixels.ignoreAlpha = bitmap.isOpaque ? AVIF_TRUE : AVIF_FALSE
      pixels.alphaPremultiplied = bitmap.isOpaque ? AVIF_FALSE : AVIF_TRUE
      pixels.pixels = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
      pixels.rowBytes = UInt32(bitmap.bytesPerRow)
      return avifImageRGBToYUV(image, &pixels)
    }
  }

  private static func check(_ result: avifResult) throws {
    guard result != AVIF_RESULT_OK else { return }
    throw ImageEncodingError.failed(.avif, reason: String(cString: avifResultToString(result)))
  }
}
#endif
