#if JXL && !IMAGEIO
import HalcyonImaging
import CHalcyonJXL
import Foundation

/// A libjxl decoder on one file. It uses one thread, as a pipeline decodes several images at once.
final class JPEGXLHandle {
  /// Default peaks of the format and of encoders for PQ, in cd/m²: they say nothing about the image.
  private static let unstatedPeaks = [255, HighDynamicRange.highestPeak]

  let decoder: OpaquePointer
  private let file: UnsafeRawBufferPointer
  /// The basic info in the header of the file.
  private(set) var basics = JxlBasicInfo()

  /// Reads the header.
  ///
  /// - Parameter file: A bare codestream or a container; must outlive the handle.
  /// - Throws: `ImageDecodingError.truncated` if the header is incomplete.
  init(_ file: UnsafeRawBufferPointer, events: Int32) throws(ImageDecodingError) {
    let bytes = JPEGXLContainer.codestream(in: file)
    guard let decoder = JxlDecoderCreate(nil) else { throw .outOfMemory(PixelSize(width: 0, height: 0)) }
    self.decoder = decoder
    self.file = file
    guard
      JxlDecoderSubscribeEvents(decoder, JXL_DEC_BASIC_INFO.code | JXL_DEC_COLOR_ENCODING.code | events)
        == JXL_DEC_SUCCESS,
      JxlDecoderSetKeepOrientation(decoder, JXL_TRUE) == JXL_DEC_SUCCESS,
      JxlDecoderSetInput(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count) == JXL_DEC_SUCCESS
    else { throw Self.failure }
    try expect(JXL_DEC_BASIC_INFO)
    guard JxlDecoderGetBasicInfo(decoder, &basics) == JXL_DEC_SUCCESS else { throw Self.failure }
    try expect(JXL_DEC_COLOR_ENCODING)
  }

  deinit { JxlDecoderDestroy(decoder) }

  /// The extra channel with the black ink of a CMYK image.
  var blackChannel: Int? { extraChannel(JXL_CHANNEL_BLACK) }

  /// The first extra channel of a type, if the image has at most 256.
  func extraChannel(_ type: JxlExtraChannelType) -> Int? {
    (0..<Int(min(basics.num_extra_channels, 256))).first { channel in
      var info = JxlExtraChannelInfo()
      return JxlDecoderGetExtraChannelInfo(decoder, channel, &info) == JXL_DEC_SUCCESS && info.type == type
    }
  }

  /// Whether the image was encoded from a wider gamut than sRGB.
  var isWide: Bool {
    if let highDynamicRange { return highDynamicRange.chromaticities.isWide }
    if let original, original.primaries == JXL_PRIMARIES_SRGB || original.color_space == JXL_COLOR_SPACE_GRAY {
      return false
    }
    return profile(JXL_COLOR_PROFILE_TARGET_ORIGINAL).map { ColorDescription.profile($0).isWide } ?? false
  }

  /// The ICC profile of decoded frames or of the original, which libjxl also creates for enumerated encodings.
  func profile(_ target: JxlColorProfileTarget) -> Data? {
    var count = 0
    guard jxl_icc_profile_size(decoder, target, &count) == JXL_DEC_SUCCESS,
      count <= ColorDescription.profileByteLimit
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    guard jxl_icc_profile(decoder, target, &bytes, count) == JXL_DEC_SUCCESS else { return nil }
    return Data(bytes)
  }

  /// The signal, if the image was encoded with PQ or hybrid log-gamma.
  var highDynamicRange: HighDynamicRange? {
    guard let encoding = original else { return nil }
    let primaries =
      switch encoding.primaries {
      case JXL_PRIMARIES_2100: 9
      case JXL_PRIMARIES_P3: 12
      default: encoding.color_space == JXL_COLOR_SPACE_GRAY ? 9 : 1
      }
    let range = HighDynamicRange(primaries: primaries, transfer: Int(encoding.transfer_function.rawValue))
    let peak = Double(basics.intensity_target)
    return range?.with(ContentLight(contentPeak: Self.unstatedPeaks.contains(peak) ? nil : peak))
  }

  /// The colour encoding of the original, if it is enumerated.
  private var original: JxlColorEncoding? {
    var encoding = JxlColorEncoding()
    let status = jxl_encoded_profile(decoder, JXL_COLOR_PROFILE_TARGET_ORIGINAL, &encoding)
    return status == JXL_DEC_SUCCESS ? encoding : nil
  }

  var size: PixelSize { PixelSize(width: Int(basics.xsize), height: Int(basics.ysize)) }

  /// Decodes up to the next event.
  func process() throws(ImageDecodingError) -> JxlDecoderStatus {
    let status = JxlDecoderProcessInput(decoder)
    if status == JXL_DEC_NEED_MORE_INPUT { throw .truncated(.jpegXL) }
    if status == JXL_DEC_ERROR {
      // libjxl 0.7 rejects large splines with the same error as damage.
      guard JPEGXLFileHeader.hasSplines(Bytes(file)) else { throw Self.failure }
      throw .unsupportedFeature(.jpegXL, feature: "splines that this version of libjxl does not draw")
    }
    return status
  }

  func expect(_ event: JxlDecoderStatus) throws(ImageDecodingError) {
    guard try process() == event else { throw Self.failure }
  }

  /// libjxl does not report the reason of a failure.
  static var failure: ImageDecodingError { .corrupt(.jpegXL, reason: "libjxl cannot read it") }
}

extension JxlDecoderStatus {
  var code: Int32 { Int32(truncatingIfNeeded: rawValue) }
}

/// The container of a JPEG XL codestream (ISO/IEC 18181-2, 9).
private enum JPEGXLContainer {
  private static let codestreamBox = "jxlc"

  /// The codestream if it is in a single box, otherwise the whole file, which libjxl parses.
  ///
  /// libjxl 0.7 cannot read a codestream in a box with a 64-bit size.
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
