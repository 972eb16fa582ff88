#if JXL && !IMAGEIO
import HalcyonImaging
import CHalcyonJXL
import Foundation

/// Reads the frames of a JPEG XL file as premultiplied RGBA, before the orientation is applied.
struct JPEGXLReader {
  struct Frame {
    var bitmap: Bitmap
    /// In seconds.
    var duration: Double
  }

  private static var pixelFormat: JxlPixelFormat {
    JxlPixelFormat(num_channels: 4, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)
  }

  private let handle: JPEGXLHandle
  private let colors: ColorTransformCache
  private let target: ColorSpace
  /// For high dynamic range.
  private let toneMapper: ToneMapper?

  /// - Parameter plan: The colour space and the range of the result.
  init(
    _ bytes: UnsafeRawBufferPointer, colors: ColorTransformCache, plan: DecodingPlan
  ) throws(ImageDecodingError) {
    handle = try JPEGXLHandle(bytes, events: JXL_DEC_FRAME.code | JXL_DEC_FULL_IMAGE.code)
    self.colors = colors
    let range = handle.highDynamicRange.map(plan.mapped)
    target = range?.target ?? plan.colorSpace
    toneMapper = range.map { ToneMapper($0) }
    // Transfer curves apply to straight alpha only, so premultiplied files keep their original colours here, and are
    // converted later.
    if toneMapper != nil || handle.basics.alpha_premultiplied == JXL_TRUE { return }
    let isGrey = handle.basics.num_color_channels == 1
    var encoding = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&encoding, isGrey ? JXL_TRUE : JXL_FALSE)
    if target == .displayP3, !isGrey { encoding.primaries = JXL_PRIMARIES_P3 }
    // Fails for files with an original colour profile (not XYB), which are converted later.
    _ = JxlDecoderSetPreferredColorProfile(handle.decoder, &encoding)
  }

  /// The colour encoding of decoded frames, if it is enumerated.
  private var encoding: JxlColorEncoding? {
    var encoding = JxlColorEncoding()
    let status = jxl_encoded_profile(handle.decoder, JXL_COLOR_PROFILE_TARGET_DATA, &encoding)
    return status == JXL_DEC_SUCCESS ? encoding : nil
  }

  /// How the colours of decoded frames are converted. CMYK is converted already.
  var colorMapping: ColorMapping {
    guard handle.blackChannel == nil else { return inkMapping.isUnusable ? .unusable : ColorMapping() }
    if toneMapper != nil { return ColorMapping(colorSpace: target) }
    if let space = encoding?.colorSpace, space == .sRGB || space == target { return ColorMapping(colorSpace: space) }
    let description = profile().map { ColorDescription.profile($0) }
    return colors.mapping(description, inRGBA: handle.basics.num_color_channels == 1, to: target)
  }

  private var inkMapping: ColorMapping {
    colors.mapping(profile().map { .profile($0) }, layout: .cmyk8Inverted, to: .sRGB)
  }

  private func profile() -> Data? { handle.profile(JXL_COLOR_PROFILE_TARGET_DATA) }

  private var isOpaque: Bool { handle.basics.alpha_bits == 0 }

  /// The next composed frame, or `nil` after the last.
  func next() throws -> Frame? {
    guard try handle.process() == JXL_DEC_FRAME else { return nil }
    // The frame header has to be read before the frame is decoded.
    let duration = seconds()
    let bitmap = try Bitmap(
      size: handle.size, isOpaque: isOpaque, dynamicRange: toneMapper?.dynamicRange ?? .standard, fill: fill)
    return Frame(bitmap: bitmap, duration: duration)
  }

  private func fill(_ output: UnsafeMutableRawBufferPointer) throws(ImageDecodingError) {
    try handle.expect(JXL_DEC_NEED_IMAGE_OUT_BUFFER)
    if let toneMapper { return try map(into: output, with: toneMapper) }
    var format = Self.pixelFormat
    guard JxlDecoderSetImageOutBuffer(handle.decoder, &format, output.baseAddress, output.count) == JXL_DEC_SUCCESS
    else { throw JPEGXLHandle.failure }
    if let channel = handle.blackChannel {
      try readInks(output, blackChannel: channel)
    } else {
      try handle.expect(JXL_DEC_FULL_IMAGE)
    }
    premultiply(output)
  }

  /// Maps high dynamic range while parts of rows are decoded.
  private func map(
    into output: UnsafeMutableRawBufferPointer, with toneMapper: ToneMapper
  ) throws(ImageDecodingError) {
    guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
    let target = ToneMappedOutput(
      toneMapper, isPremultiplied: handle.basics.alpha_premultiplied == JXL_TRUE, width: handle.size.width, start: start
    )
    var format = Self.pixelFormat
    // For other sample types libjxl 0.7 keeps the whole picture in memory.
    format.data_type = JXL_TYPE_FLOAT
    let status = JxlDecoderSetImageOutCallback(
      handle.decoder, &format,
      { context, column, row, count, samples in
        guard let context, let samples else { return }
        Unmanaged<ToneMappedOutput>.fromOpaque(context).takeUnretainedValue()
          .write(samples.assumingMemoryBound(to: Float.self), count: count, column: column, row: row)
      },
      Unmanaged.passUnretained(target).toOpaque())
    guard status == JXL_DEC_SUCCESS else { throw JPEGXLHandle.failure }
    try withExtendedLifetime(target) { () throws(ImageDecodingError) in try handle.expect(JXL_DEC_FULL_IMAGE) }
    if !isOpaque, toneMapper.dynamicRange == .standard { AlphaMath.premultiply(start, count: handle.size.pixelCount) }
  }

  /// Reads cyan, magenta and yellow, and black from an extra channel, and converts them. 255 is no ink.
  private func readInks(_ output: UnsafeMutableRawBufferPointer, blackChannel: Int) throws(ImageDecodingError) {
    var format = Self.pixelFormat
    let size = handle.size
    guard let black = malloc(size.pixelCount) else { throw .outOfMemory(size) }
    defer { free(black) }
    guard
      JxlDecoderSetExtraChannelBuffer(handle.decoder, &format, black, size.pixelCount, UInt32(blackChannel))
        == JXL_DEC_SUCCESS
    else { throw JPEGXLHandle.failure }
    try handle.expect(JXL_DEC_FULL_IMAGE)
    guard var pixel = output.bindMemory(to: UInt8.self).baseAddress else { return }
    let transform = inkMapping.transform
    var black8 = UnsafePointer(black.assumingMemoryBound(to: UInt8.self))
    var row = [UInt8](repeating: 0, count: size.width * 4)
    for _ in 0..<size.height {
      row.withUnsafeMutableBufferPointer { row in
        guard let inks = row.baseAddress else { return }
        inks.update(from: pixel, count: row.count)
        for column in 0..<size.width { inks[column * 4 + 3] = black8[column] }
        if let transform {
          transform.convert(inks, to: inks, count: size.width)
        } else {
          InvertedCMYK.convert(inks, count: size.width)
        }
        for column in 0..<size.width { inks[column * 4 + 3] = pixel[column * 4 + 3] }
        pixel.update(from: inks, count: row.count)
      }
      pixel += size.width * 4
      black8 += size.width
    }
  }

  private func seconds() -> Double {
    var header = JxlFrameHeader()
    guard JxlDecoderGetFrameHeader(handle.decoder, &header) == JXL_DEC_SUCCESS else { return 0 }
    let animation = handle.basics.animation
    guard animation.tps_numerator > 0 else { return 0 }
    return Double(header.duration) * Double(animation.tps_denominator) / Double(animation.tps_numerator)
  }

  private func premultiply(_ output: UnsafeMutableRawBufferPointer) {
    guard !isOpaque, let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
    if handle.basics.alpha_premultiplied == JXL_TRUE {
      AlphaMath.clamp(start, count: handle.size.pixelCount)
    } else {
      AlphaMath.premultiply(start, count: handle.size.pixelCount)
    }
  }
}

extension JxlColorEncoding {
  /// `nil` unless it is sRGB, of colours or greys, or Display P3.
  fileprivate var colorSpace: ColorSpace? {
    guard transfer_function == JXL_TRANSFER_FUNCTION_SRGB, white_point == JXL_WHITE_POINT_D65 else { return nil }
    if color_space == JXL_COLOR_SPACE_GRAY || primaries == JXL_PRIMARIES_SRGB { return .sRGB }
    return primaries == JXL_PRIMARIES_P3 ? .displayP3 : nil
  }
}

/// Where libjxl writes the samples of a high-dynamic-range frame.
private final class ToneMappedOutput {
  private let toneMapper: ToneMapper
  private let isPremultiplied: Bool
  private let width: Int
  private let start: UnsafeMutablePointer<UInt8>

  init(_ toneMapper: ToneMapper, isPremultiplied: Bool, width: Int, start: UnsafeMutablePointer<UInt8>) {
    self.toneMapper = toneMapper
    self.isPremultiplied = isPremultiplied
    self.width = width
    self.start = start
  }

  func write(_ samples: UnsafePointer<Float>, count: Int, column: Int, row: Int) {
    toneMapper.convert(
      samples, isPremultiplied: isPremultiplied, count: count,
      to: start + (row * width + column) * toneMapper.dynamicRange.bytesPerPixel)
  }
}
#endif
