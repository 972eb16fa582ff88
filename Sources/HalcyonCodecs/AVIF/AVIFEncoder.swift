#if AVIF
public import HalcyonImaging
import CAVIF
public import Foundation

/// Encodes AVIF through libavif and the AV1 encoder that it has, alpha included.
///
/// Colour has half the resolution below a quality of 0.9, all of it from there on. Speed is 8 of libavif's 0 (best) to
/// 10, on one thread: a picture of 1 megapixel takes about half a second.
public struct AVIFEncoder: ImageEncoder {
  private static let speed: Int32 = 8
  private static let worstQuantizer = 63.0
  private static let fullColorQuality = 0.9
  private static let sideLimit = 65_536

  /// Creates an encoder; it holds nothing.
  public init() {}

  /// AVIF.
  public var format: ImageFormat { .avif }

  /// Encodes a bitmap; quality goes in a straight line to AV1's quantizers, 63 at 0 to 0 at 1, which still has loss.
  ///
  /// Throws `ImageEncodingError.tooLarge` where a side is over 65,536 pixels.
  public func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.avif, bitmap.size)
    }
    let layout = options.quality < Self.fullColorQuality ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444
    guard
      let image = avifImageCreate(UInt32(bitmap.size.width), UInt32(bitmap.size.height), 8, layout),
      let encoder = avifEncoderCreate()
    else { throw ImageEncodingError.failed(.avif, reason: "there is no memory") }
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

  /// sRGB in full range, alpha straight.
  private static func fill(_ image: UnsafeMutablePointer<avifImage>, from bitmap: Bitmap) -> avifResult {
    image.pointee.yuvRange = AVIF_RANGE_FULL
    image.pointee.colorPrimaries = avifColorPrimaries(AVIF_COLOR_PRIMARIES_BT709)
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
