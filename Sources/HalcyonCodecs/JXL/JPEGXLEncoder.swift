#if JXL && !IMAGEIO
package import HalcyonImaging
import HalcyonSupport
import CHalcyonJXL
package import Foundation

/// Encodes JPEG XL through libjxl, with alpha; grey images with one channel for colour.
///
/// At the default effort and on one thread, an image of 1 megapixel takes about a quarter of a second. libjxl encodes it in
/// one call, so cancellation takes effect before it or after it. Half floats become PQ in BT.2020 with 12 bits.
package struct JPEGXLEncoder: HighDynamicRangeEncoder {
  /// The longest side in level 5 of the format, which every decoder supports, in pixels.
  private static let sideLimit = 1 << 18

  private let effort: Int

  /// Creates an encoder.
  ///
  /// - Parameter effort: libjxl's, from 1 (fastest) to 9 (smallest). Default: 4.
  package init(effort: Int = 4) { self.effort = effort }

  package var format: ImageFormat { .jpegXL }

  /// Encodes a bitmap.
  ///
  /// Quality 1 is lossless. Lower qualities map to a Butteraugli distance as in `cjxl`: 0.9 is 1, which is visually
  /// lossless, 0.3 is 6.4, and 0 is 15.
  ///
  /// - Throws: `ImageEncodingError.tooLarge` if a side is over 262,144 pixels.
  package func encode(_ bitmap: Bitmap, options: EncodingOptions) throws -> Data {
    try rejectMetadata(options)
    guard max(bitmap.size.width, bitmap.size.height) <= Self.sideLimit else {
      throw ImageEncodingError.tooLarge(.jpegXL, bitmap.size)
    }
    let writer = try JPEGXLWriter()
    if bitmap.dynamicRange == .high {
      let samples = try PerceptualSamples(bitmap)
      try writer.start(
        size: bitmap.size, hasAlpha: !bitmap.isOpaque, light: samples.light, effort: Int64(effort),
        distance: Self.distance(options.quality))
      try samples.values.withUnsafeBytes { try writer.write($0) }
      return try writer.finish()
    }
    let isGrey = bitmap.isGrey
    try writer.start(
      size: bitmap.size, colorSpace: bitmap.colorSpace, isGrey: isGrey, hasAlpha: !bitmap.isOpaque,
      effort: Int64(effort), distance: Self.distance(options.quality))
    try Self.straightPixels(of: bitmap, isGrey: isGrey).withUnsafeBytes { try writer.write($0) }
    return try writer.finish()
  }

  /// The distance for a quality; 0 is lossless.
  private static func distance(_ quality: Double) -> Float {
    let percent = quality * 100
    if percent >= 100 { return 0 }
    if percent >= 30 { return Float(0.1 + (100 - percent) * 0.09) }
    return Float(min(15, 53.0 / 3000 * percent * percent - 23.0 / 20 * percent + 25))
  }

  /// The pixels as RGB or grey, with straight alpha unless the bitmap is opaque, without row padding.
  private static func straightPixels(of bitmap: Bitmap, isGrey: Bool) -> [UInt8] {
    let channels = (isGrey ? [0] : [0, 1, 2]) + (bitmap.isOpaque ? [] : [3])
    var straight = [UInt8](repeating: 0, count: bitmap.size.pixelCount * 4)
    bitmap.withUnsafeBytes { bytes in
      guard let pixels = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
      straight.withUnsafeMutableBufferPointer { target in
        guard let start = target.baseAddress else { return }
        AlphaMath.unpremultiply(pixels, count: bitmap.size.pixelCount, into: start)
        guard channels.count < 4 else { return }
        var output = 0
        for pixel in stride(from: 0, to: target.count, by: 4) {
          for channel in channels {
            start[output] = start[pixel + channel]
            output += 1
          }
        }
      }
    }
    return Array(straight.prefix(bitmap.size.pixelCount * channels.count))
  }
}

/// Writes one JPEG XL file through libjxl.
private final class JPEGXLWriter {
  private static let outputStep = 64 << 10

  private let encoder: OpaquePointer
  private var settings: OpaquePointer?
  private var format = JxlPixelFormat(
    num_channels: 3, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)

  init() throws {
    guard let encoder = JxlEncoderCreate(nil) else {
      throw ImageEncodingError.failed(.jpegXL, reason: "out of memory")
    }
    self.encoder = encoder
  }

  deinit { JxlEncoderDestroy(encoder) }

  func start(
    size: PixelSize, colorSpace: ColorSpace, isGrey: Bool, hasAlpha: Bool, effort: Int64, distance: Float
  ) throws {
    var color = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&color, isGrey ? JXL_TRUE : JXL_FALSE)
    if colorSpace == .displayP3 { color.primaries = JXL_PRIMARIES_P3 }
    let basics = Self.basics(size, depth: 8, channelCount: isGrey ? 1 : 3, hasAlpha: hasAlpha)
    try start(basics, color, effort: effort, distance: distance)
  }

  /// Starts a file of PQ in BT.2020 with 12 bits, the most of the level that all decoders support; samples have 16.
  func start(size: PixelSize, hasAlpha: Bool, light: ContentLight, effort: Int64, distance: Float) throws {
    format.data_type = JXL_TYPE_UINT16
    var color = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&color, JXL_FALSE)
    (color.primaries, color.transfer_function) = (JXL_PRIMARIES_2100, JXL_TRANSFER_FUNCTION_PQ)
    var basics = Self.basics(size, depth: 12, channelCount: 3, hasAlpha: hasAlpha)
    basics.intensity_target = Float(max(light.contentPeak ?? 0, HighDynamicRange.referenceWhite).rounded(.up))
    try start(basics, color, effort: effort, distance: distance)
  }

  private static func basics(_ size: PixelSize, depth: UInt32, channelCount: UInt32, hasAlpha: Bool) -> JxlBasicInfo {
    var basics = JxlBasicInfo()
    JxlEncoderInitBasicInfo(&basics)
    (basics.xsize, basics.ysize) = (UInt32(size.width), UInt32(size.height))
    (basics.bits_per_sample, basics.num_color_channels) = (depth, channelCount)
    if hasAlpha { (basics.num_extra_channels, basics.alpha_bits) = (1, depth) }
    return basics
  }

  private func start(_ basics: JxlBasicInfo, _ color: JxlColorEncoding, effort: Int64, distance: Float) throws {
    var (basics, color) = (basics, color)
    format.num_channels = basics.num_color_channels + basics.num_extra_channels
    basics.uses_original_profile = distance == 0 ? JXL_TRUE : JXL_FALSE
    try check(JxlEncoderSetBasicInfo(encoder, &basics))
    try check(JxlEncoderSetColorEncoding(encoder, &color))
    settings = JxlEncoderFrameSettingsCreate(encoder, nil)
    try check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort))
    if distance == 0 {
      try check(JxlEncoderSetFrameLossless(settings, JXL_TRUE))
    } else {
      try check(JxlEncoderSetFrameDistance(settings, distance))
    }
  }

  func write(_ pixels: UnsafeRawBufferPointer) throws {
    try check(JxlEncoderAddImageFrame(settings, &format, pixels.baseAddress, pixels.count))
    JxlEncoderCloseInput(encoder)
  }

  func finish() throws -> Data {
    var output = Data()
    var chunk = [UInt8](repeating: 0, count: Self.outputStep)
    while true {
      try CancellationFlag.checkCurrent()
      let (status, count) = chunk.withUnsafeMutableBufferPointer { chunk in
        var next = chunk.baseAddress
        var free = chunk.count
        let status = JxlEncoderProcessOutput(encoder, &next, &free)
        return (status, chunk.count - free)
      }
      output.append(contentsOf: chunk.prefix(count))
      if status == JXL_ENC_SUCCESS { return output }
      guard status == JXL_ENC_NEED_MORE_OUTPUT else { throw failure }
    }
  }

  private func check(_ status: JxlEncoderStatus) throws {
    guard status == JXL_ENC_SUCCESS else { throw failure }
  }

  private var failure: ImageEncodingError {
    .failed(.jpegXL, reason: "libjxl error \(JxlEncoderGetError(encoder).rawValue)")
  }
}
#endif
