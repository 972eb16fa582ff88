#if JXL
import HalcyonImaging
import CJXL
import Foundation

/// One JPEG XL file being written.
final class JPEGXLWriter {
  private static let outputStep = 64 << 10

  private let encoder: OpaquePointer
  private var settings: OpaquePointer?
  private var format = JxlPixelFormat(
    num_channels: 3, data_type: JXL_TYPE_UINT8, endianness: JXL_NATIVE_ENDIAN, align: 0)

  init() throws {
    guard let encoder = JxlEncoderCreate(nil) else {
      throw ImageEncodingError.failed(.jpegXL, reason: "there is no memory")
    }
    self.encoder = encoder
  }

  deinit { JxlEncoderDestroy(encoder) }

  func start(size: PixelSize, hasAlpha: Bool, effort: Int64, distance: Float) throws {
    var basics = JxlBasicInfo()
    JxlEncoderInitBasicInfo(&basics)
    basics.xsize = UInt32(size.width)
    basics.ysize = UInt32(size.height)
    basics.bits_per_sample = 8
    basics.num_color_channels = 3
    basics.uses_original_profile = distance == 0 ? JXL_TRUE : JXL_FALSE
    if hasAlpha {
      basics.num_extra_channels = 1
      basics.alpha_bits = 8
      format.num_channels = 4
    }
    try check(JxlEncoderSetBasicInfo(encoder, &basics))
    var color = JxlColorEncoding()
    JxlColorEncodingSetToSRGB(&color, JXL_FALSE)
    try check(JxlEncoderSetColorEncoding(encoder, &color))
    settings = JxlEncoderFrameSettingsCreate(encoder, nil)
    try check(JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort))
    if distance == 0 {
      try check(JxlEncoderSetFrameLossless(settings, JXL_TRUE))
    } else {
      try check(JxlEncoderSetFrameDistance(settings, distance))
    }
  }

  func write(_ pixels: [UInt8]) throws {
    try check(JxlEncoderAddImageFrame(settings, &format, pixels, pixels.count))
    JxlEncoderCloseInput(encoder)
  }

  func finish() throws -> Data {
    var output = Data()
    var chunk = [UInt8](repeating: 0, count: Self.outputStep)
    while true {
      let (status, count) = chunk.withUnsafeMutableBufferPointer { chunk in
        var next = chunk.baseAddress
        var free = chunk.count
        let status = JxlEncoderProcessOutput(encoder, &next, &free)
        return (status, chunk.count - free)
      }
      output.append(contentsOf: chunk.prefix(count))
      if status == JXL_ENC_SUCCESS { return output }
      guard status == JXL_ENC_NEED_MORE_OUTPUT else { throw refusal }
    }
  }

  private func check(_ status: JxlEncoderStatus) throws {
    guard status == JXL_ENC_SUCCESS else { throw refusal }
  }

  private var refusal: ImageEncodingError {
    .failed(.jpegXL, reason: "libjxl gave error \(JxlEncoderGetError(encoder).rawValue)")
  }
}
#endif
