#if JXL
import HalcyonImaging
import CJXL

/// An open decoder of libjxl over bytes that outlast it. Single-threaded: a pipeline decodes several at once.
final class JPEGXLHandle {
  let decoder: OpaquePointer
  /// What the file says of itself, once its header has been read.
  private(set) var basics = JxlBasicInfo()

  /// - Parameter file: Bare or in its container.
  /// - Throws: `ImageDecodingError.truncated` when the header does not end inside the bytes.
  init(_ file: UnsafeRawBufferPointer, events: Int32) throws(ImageDecodingError) {
    let bytes = JPEGXLContainer.codestream(in: file)
    guard let decoder = JxlDecoderCreate(nil) else { throw .outOfMemory(PixelSize(width: 0, height: 0)) }
    self.decoder = decoder
    guard
      JxlDecoderSubscribeEvents(decoder, JXL_DEC_BASIC_INFO.code | JXL_DEC_COLOR_ENCODING.code | events)
        == JXL_DEC_SUCCESS,
      JxlDecoderSetKeepOrientation(decoder, JXL_TRUE) == JXL_DEC_SUCCESS,
      JxlDecoderSetInput(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) == JXL_DEC_SUCCESS
    else { throw Self.refusal }
    try expect(JXL_DEC_BASIC_INFO)
    guard JxlDecoderGetBasicInfo(decoder, &basics) == JXL_DEC_SUCCESS else { throw Self.refusal }
    try expect(JXL_DEC_COLOR_ENCODING)
  }

  deinit { JxlDecoderDestroy(decoder) }

  var size: PixelSize { PixelSize(width: Int(basics.xsize), height: Int(basics.ysize)) }

  /// What happens next in the file.
  func process() throws(ImageDecodingError) -> JxlDecoderStatus {
    let status = JxlDecoderProcessInput(decoder)
    if status == JXL_DEC_NEED_MORE_INPUT { throw .truncated(.jpegXL) }
    if status == JXL_DEC_ERROR { throw Self.refusal }
    return status
  }

  func expect(_ event: JxlDecoderStatus) throws(ImageDecodingError) {
    guard try process() == event else { throw Self.refusal }
  }

  /// libjxl gives no reasons.
  static var refusal: ImageDecodingError { .corrupt(.jpegXL, reason: "libjxl cannot read it") }
}

extension JxlDecoderStatus {
  var code: Int32 { Int32(truncatingIfNeeded: rawValue) }
}
#endif
