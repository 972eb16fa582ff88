#if JXL
import CJXL
import HalcyonCore

/// Reads the pictures of a JPEG XL file as premultiplied RGBA, not yet upright.
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

  init(_ bytes: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    handle = try JPEGXLHandle(bytes, events: JXL_DEC_FRAME.code | JXL_DEC_FULL_IMAGE.code)
    var target = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&target, handle.basics.num_color_channels == 1 ? JXL_TRUE : JXL_FALSE)
    // Refused where the file keeps its original colours, which are converted later.
    _ = JxlDecoderSetPreferredColorProfile(handle.decoder, &target)
  }

  private var isOpaque: Bool { handle.basics.alpha_bits == 0 }

  /// The next picture, composed, or `nil` after the last.
  func next() throws -> Frame? {
    guard try handle.process() == JXL_DEC_FRAME else { return nil }
    let duration = seconds()
    let bitmap = try Bitmap(size: handle.size, isOpaque: isOpaque) { output in
      try handle.expect(JXL_DEC_NEED_IMAGE_OUT_BUFFER)
      var format = Self.pixelFormat
      guard JxlDecoderSetImageOutBuffer(handle.decoder, &format, output.baseAddress, output.count) == JXL_DEC_SUCCESS
      else { throw JPEGXLHandle.refusal }
      try handle.expect(JXL_DEC_FULL_IMAGE)
      premultiply(output)
    }
    return Frame(bitmap: bitmap, duration: duration)
  }

  private func seconds() -> Double {
    var header = JxlFrameHeader()
    guard JxlDecoderGetFrameHeader(handle.decoder, &header) == JXL_DEC_SUCCESS else { return 0 }
    let animation = handle.basics.animation
    guard animation.tps_numerator > 0 else { return 0 }
    return Double(header.duration) * Double(animation.tps_denominator) / Double(animation.tps_numerator)
  }

  private func premultiply(_ output: UnsafeMutableRawBufferPointer) {
    guard !isOpaque, handle.basics.alpha_premultiplied == JXL_FALSE else { return }
    guard let start = output.bindMemory(to: UInt8.self).baseAddress else { return }
    AlphaMath.premultiply(start, count: handle.size.pixelCount)
  }
}
#endif
