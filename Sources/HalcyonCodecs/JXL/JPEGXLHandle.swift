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

/// The boxes around a JPEG XL codestream (ISO/IEC 18181-2, 9).
private enum JPEGXLContainer {
  private static let codestreamBox = "jxlc"

  /// The codestream where it lies in one piece, else the whole file, which libjxl takes apart.
  ///
  /// libjxl 0.7 does not get over a codestream in a box with a size of 64 bits.
  static func codestream(in file: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    var offset = 0
    while let box = Box(Bytes(file), at: offset) {
      if box.type == codestreamBox {
        let end = min(box.end, file.count)
        return UnsafeRawBufferPointer(rebasing: file[(end - box.content.count)..<end])
      }
      offset = box.end
    }
    return file
  }
}
#endif
