#if AVIF && !IMAGEIO
package import HalcyonImaging
import CHalcyonAVIF
import HalcyonSupport
package import Foundation

/// Encodes AVIF through libavif and its AV1 encoder, with alpha, still and animated.
///
/// Chroma subsampling is 4:2:0 below a quality of 0.9, otherwise 4:4:4; a grey still image has no chroma. At the default
/// speed and on one thread, an image of 1 megapixel takes about half a second. libavif encodes a frame in one call, so
/// cancellation takes effect before it or after it. Half floats become PQ in BT.2020 with 10 bits and 4:4:4 at every quality:
/// with 4:2:0 the errors of chroma at hard edges would be several times brighter in PQ.
package struct AVIFEncoder: AnimatedImageEncoder, HighDynamicRangeEncoder {
  private static let worstQuantizer = 63.0
  private static let sideLimit = 65_536

  private let speed: Int

  /// Creates an encoder.
  ///
  /// - Parameter speed: libavif's, from 0 (smallest) to 10 (fastest). Default: 8.
  package init(speed: Int = 8) { self.speed = speed }

  package var format: ImageFormat { .avif }

  /// Encodes a bitmap.
  ///
  /// Quality maps linearly to AV1's quantizer, from 63 at 0 to 0 at 1, which is still lossy.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,536 pixels.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    let handle = try handle(options)
    if bitmap.dynamicRange == .high {
      let image = try AVIFOutputImage(PerceptualSamples(bitmap), size: bitmap.size, layout: AVIF_PIXEL_FORMAT_YUV444)
      try CancellationFlag.checkCurrent()
      return try handle.file(of: image)
    }
    let layout = bitmap.isGrey ? AVIF_PIXEL_FORMAT_YUV400 : Self.layout(options)
    let image = try AVIFOutputImage(bitmap, layout: layout, hasAlpha: !bitmap.isOpaque)
    try CancellationFlag.checkCurrent()
    return try handle.file(of: image)
  }

  /// Writes an image sequence, which is transparent if its first frame may be.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 65,536 pixels, with the first frame.
  package func frameWriter(
    for animation: AnimationInfo, options: EncodingOptions
  ) throws -> any ImageFrameWriter {
    AVIFFrameWriter(
      loopCount: animation.loopCount, encoder: try handle(options), layout: Self.layout(options),
      background: options.background)
  }

  private func handle(_ options: EncodingOptions) throws -> AVIFEncoderHandle {
    try rejectMetadata(options)
    let quantizer = Int32((Self.worstQuantizer * (1 - options.quality)).rounded())
    return try AVIFEncoderHandle(speed: Int32(speed), quantizer: quantizer)
  }

  private static func layout(_ options: EncodingOptions) -> avifPixelFormat {
    options.quality < EncodingOptions.fullColorQuality ? AVIF_PIXEL_FORMAT_YUV420 : AVIF_PIXEL_FORMAT_YUV444
  }

  static func check(_ size: PixelSize) throws(ImageEncodingError) {
    guard max(size.width, size.height) <= sideLimit else { throw .tooLarge(.avif, size) }
  }

  static func check(_ result: avifResult) throws(ImageEncodingError) {
    guard result != AVIF_RESULT_OK else { return }
    throw .failed(.avif, reason: String(cString: avifResultToString(result)))
  }
}

/// libavif's encoder of one file.
final class AVIFEncoderHandle {
  private let encoder: UnsafeMutablePointer<avifEncoder>

  init(speed: Int32, quantizer: Int32) throws(ImageEncodingError) {
    guard let encoder = avifEncoderCreate() else { throw .failed(.avif, reason: "out of memory") }
    self.encoder = encoder
    encoder.pointee.maxThreads = 1
    encoder.pointee.speed = speed
    encoder.pointee.minQuantizer = quantizer
    encoder.pointee.maxQuantizer = quantizer
    encoder.pointee.minQuantizerAlpha = quantizer
    encoder.pointee.maxQuantizerAlpha = quantizer
  }

  deinit { avifEncoderDestroy(encoder) }

  /// The file of a still image.
  func file(of image: borrowing AVIFOutputImage) throws(ImageEncodingError) -> Data {
    var output = avifRWData()
    defer { avifRWDataFree(&output) }
    try AVIFEncoder.check(avifEncoderWrite(encoder, image.image, &output))
    return Data(bytes: output.data, count: output.size)
  }

  /// Begins a sequence whose durations are in milliseconds.
  ///
  /// - Returns: Whether libavif writes the number of plays.
  func startSequence(loopCount: Int?) -> Bool {
    encoder.pointee.timescale = 1000
    // The default is an endless loop.
    guard let loopCount else { return true }
    return shim_set_repetitions(encoder, Int32(clamping: max(1, loopCount) - 1)) == AVIF_TRUE
  }

  func add(_ image: borrowing AVIFOutputImage, milliseconds: UInt64) throws(ImageEncodingError) {
    let flags = avifAddImageFlags(AVIF_ADD_IMAGE_FLAG_NONE.rawValue)
    try AVIFEncoder.check(avifEncoderAddImage(encoder, image.image, milliseconds, flags))
  }

  /// The file of a sequence.
  func finish() throws(ImageEncodingError) -> Data {
    var output = avifRWData()
    defer { avifRWDataFree(&output) }
    try AVIFEncoder.check(avifEncoderFinish(encoder, &output))
    return Data(bytes: output.data, count: output.size)
  }
}

/// A bitmap in libavif's layout: full-range colours and straight alpha.
struct AVIFOutputImage: ~Copyable {
  private(set) var image: UnsafeMutablePointer<avifImage>?

  init(_ bitmap: Bitmap, layout: avifPixelFormat, hasAlpha: Bool) throws(ImageEncodingError) {
    let image = try Self.makeImage(bitmap.size, depth: 8, layout: layout)
    self.image = image
    let primaries = bitmap.colorSpace == .sRGB ? AVIF_COLOR_PRIMARIES_BT709 : AVIF_COLOR_PRIMARIES_SMPTE432
    image.pointee.colorPrimaries = avifColorPrimaries(primaries)
    image.pointee.transferCharacteristics = avifTransferCharacteristics(AVIF_TRANSFER_CHARACTERISTICS_SRGB)
    image.pointee.matrixCoefficients = avifMatrixCoefficients(AVIF_MATRIX_COEFFICIENTS_BT601)
    let result = bitmap.withUnsafeBytes { bytes in
      var pixels = avifRGBImage()
      avifRGBImageSetDefaults(&pixels, image)
      pixels.format = AVIF_RGB_FORMAT_RGBA
      pixels.ignoreAlpha = hasAlpha ? AVIF_FALSE : AVIF_TRUE
      pixels.alphaPremultiplied = hasAlpha ? AVIF_TRUE : AVIF_FALSE
      pixels.pixels = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
      pixels.rowBytes = UInt32(bitmap.bytesPerRow)
      return avifImageRGBToYUV(image, &pixels)
    }
    try AVIFEncoder.check(result)
  }

  /// PQ in BT.2020 with 10 bits.
  init(
    _ samples: PerceptualSamples, size: PixelSize, layout: avifPixelFormat
  ) throws(ImageEncodingError) {
    let image = try Self.makeImage(size, depth: 10, layout: layout)
    self.image = image
    image.pointee.colorPrimaries = avifColorPrimaries(AVIF_COLOR_PRIMARIES_BT2020)
    image.pointee.transferCharacteristics = avifTransferCharacteristics(AVIF_TRANSFER_CHARACTERISTICS_SMPTE2084)
    image.pointee.matrixCoefficients = avifMatrixCoefficients(AVIF_MATRIX_COEFFICIENTS_BT2020_NCL)
    let (peak, mean) = (samples.light.contentPeak ?? 0, samples.light.contentMean ?? 0)
    shim_set_content_light(image, UInt16(peak.rounded(.up)), UInt16(mean.rounded()))
    let result = samples.values.withUnsafeBytes { bytes in
      var pixels = avifRGBImage()
      avifRGBImageSetDefaults(&pixels, image)
      pixels.depth = 16
      pixels.format = samples.channelCount == 3 ? AVIF_RGB_FORMAT_RGB : AVIF_RGB_FORMAT_RGBA
      pixels.pixels = UnsafeMutablePointer(mutating: bytes.bindMemory(to: UInt8.self).baseAddress)
      pixels.rowBytes = UInt32(size.width * samples.channelCount * 2)
      return avifImageRGBToYUV(image, &pixels)
    }
    try AVIFEncoder.check(result)
  }

  deinit { if let image { avifImageDestroy(image) } }

  private static func makeImage(
    _ size: PixelSize, depth: UInt32, layout: avifPixelFormat
  ) throws(ImageEncodingError) -> UnsafeMutablePointer<avifImage> {
    try AVIFEncoder.check(size)
    guard let image = avifImageCreate(UInt32(size.width), UInt32(size.height), depth, layout) else {
      throw .failed(.avif, reason: "out of memory")
    }
    image.pointee.yuvRange = AVIF_RANGE_FULL
    return image
  }
}
#endif
