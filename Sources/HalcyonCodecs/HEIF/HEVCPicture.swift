#if HEIF && !IMAGEIO
import HalcyonImaging
import CHalcyonDE265
import Foundation

/// A picture decoded by libde265, on the calling thread.
///
/// libheif uses the same decoder, but smooths the blocks of thumbnails and copies the picture, in twice the time and memory.
final class HEVCPicture {
  private let decoder: UnsafeMutableRawPointer
  private let picture: OpaquePointer

  /// - Parameters:
  ///   - size: The size that the file states; a picture of another size is an error, before it takes memory.
  ///   - skipsLoopFilters: Whether the edges of blocks are not smoothed. The other pixels of the picture are predicted
  ///     from unsmoothed ones (ITU-T H.265, 8.4.4.2 and 8.7).
  init(
    _ item: HEVCItems.Item, size: PixelSize, skipsLoopFilters: Bool, limits: ImageLimits
  ) throws(ImageDecodingError) {
    guard let decoder = de265_new_decoder() else { throw .outOfMemory(size) }
    let memory = PictureMemory(size: size, limits: limits)
    if skipsLoopFilters {
      de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_DISABLE_DEBLOCKING, 1)
      de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_DISABLE_SAO, 1)
    }
    memory.limit(decoder)
    do throws(ImageDecodingError) {
      try HEVCUnits.forEach(of: item) { unit in
        Self.error(de265_push_NAL(decoder, unit.baseAddress, Int32(unit.count), 0, nil), size)
      }
      picture = try Self.decode(decoder, size, memory)
    } catch {
      de265_free_decoder(decoder)
      throw error
    }
    self.decoder = decoder
  }

  deinit { de265_free_decoder(decoder) }

  /// The planes, valid as long as both pictures.
  ///
  /// - Parameters:
  ///   - color: The colour coding in the container; `nil` for the bitstream's.
  ///   - alpha: A picture of the same size, whose first plane is alpha.
  func samples(
    color: ColorCoding?, alpha: HEVCPicture?, isPremultiplied: Bool
  ) throws(ImageDecodingError) -> SamplePlanes {
    var coding = SampleCoding(depth: depth(ofPlane: 0))
    // The default chroma siting is video's (ITU-T H.265, E.3.1).
    coding.chromaSiting = .left
    if alpha != nil { coding.alpha = isPremultiplied ? .premultiplied : .straight }
    let isGrey = de265_get_chroma_format(picture) == de265_chroma_mono
    var planes: [SamplePlanes.Plane] = []
    for channel in 0..<(isGrey ? 1 : 3) { planes.append(try plane(channel, depth: coding.depth)) }
    return try SamplePlanes(
      size: Self.size(of: picture), colors: planes, alpha: alpha?.plane(0, depth: coding.depth),
      color: color ?? colorCoding, coding: coding, format: .heic)
  }

  private func plane(_ channel: Int, depth: Int) throws(ImageDecodingError) -> SamplePlanes.Plane {
    var bytesPerRow: Int32 = 0
    guard let start = de265_get_image_plane(picture, Int32(channel), &bytesPerRow) else {
      throw .corrupt(.heic, reason: "a plane is missing")
    }
    guard self.depth(ofPlane: channel) == depth else {
      throw .unsupportedFeature(.heic, feature: "planes of different depths")
    }
    let chroma = channel == 0 ? de265_chroma_444 : de265_get_chroma_format(picture)
    return SamplePlanes.Plane(
      start: start, bytesPerRow: Int(bytesPerRow),
      shiftX: chroma == de265_chroma_420 || chroma == de265_chroma_422 ? 1 : 0,
      shiftY: chroma == de265_chroma_420 ? 1 : 0)
  }

  private func depth(ofPlane channel: Int) -> Int { Int(de265_get_bits_per_pixel(picture, Int32(channel))) }

  private var colorCoding: ColorCoding {
    ColorCoding(
      primaries: Int(de265_get_image_colour_primaries(picture)),
      transfer: Int(de265_get_image_transfer_characteristics(picture)),
      matrix: Int(de265_get_image_matrix_coefficients(picture)),
      isFullRange: de265_get_image_full_range_flag(picture) != 0)
  }

  private static func decode(
    _ decoder: UnsafeMutableRawPointer, _ size: PixelSize, _ memory: PictureMemory
  ) throws(ImageDecodingError) -> OpaquePointer {
    if let error = error(de265_flush_data(decoder), size) { throw error }
    var hasMore: Int32 = 1
    while hasMore != 0 {
      hasMore = 0
      let status = de265_decode(decoder, &hasMore)
      if let error = memory.error ?? error(status, size) { throw error }
      if let picture = de265_get_next_picture(decoder) {
        guard Self.size(of: picture) == size else { throw .wrongSize(.heic, Self.size(of: picture), stated: size) }
        return picture
      }
    }
    throw .corrupt(.heic, reason: "it has no image")
  }

  private static func size(of picture: OpaquePointer) -> PixelSize {
    PixelSize(width: Int(de265_get_image_width(picture, 0)), height: Int(de265_get_image_height(picture, 0)))
  }

  private static func error(_ status: de265_error, _ size: PixelSize) -> ImageDecodingError? {
    switch status {
    case DE265_OK: nil
    case DE265_ERROR_OUT_OF_MEMORY: .outOfMemory(size)
    case DE265_ERROR_NOT_IMPLEMENTED_YET: .unsupportedFeature(.heic, feature: text(status))
    default: .corrupt(.heic, reason: text(status))
    }
  }

  private static func text(_ status: de265_error) -> String {
    de265_get_error_text(status).map { String(cString: $0) } ?? "libde265's error \(status.rawValue)"
  }
}

/// Lets libde265 allocate only pictures of the stated size.
private final class PictureMemory {
  /// The sides of the largest coding tree block, in pixels.
  private static let largestBlock = 64

  /// Why a picture was refused.
  private(set) var error: ImageDecodingError?

  private let size: PixelSize
  private let limits: ImageLimits

  init(size: PixelSize, limits: ImageLimits) {
    self.size = size
    self.limits = limits
  }

  /// Applies to everything that `decoder` decodes from now on, while this object exists.
  func limit(_ decoder: UnsafeMutableRawPointer) {
    guard let standard = de265_get_default_image_allocation_functions() else { return }
    var functions = standard.pointee
    functions.get_buffer = { decoder, specification, picture, context in
      guard let specification, let context, let standard = de265_get_default_image_allocation_functions(),
        Unmanaged<PictureMemory>.fromOpaque(context).takeUnretainedValue().allows(specification.pointee)
      else { return 0 }
      return standard.pointee.get_buffer(decoder, specification, picture, nil)
    }
    functions.release_buffer = { decoder, picture, _ in
      de265_get_default_image_allocation_functions()?.pointee.release_buffer(decoder, picture, nil)
    }
    de265_set_image_allocation_functions(decoder, &functions, Unmanaged.passUnretained(self).toOpaque())
  }

  private func allows(_ specification: de265_image_spec) -> Bool {
    do throws(ImageDecodingError) {
      let shown = PixelSize(width: Int(specification.visible_width), height: Int(specification.visible_height))
      guard shown == size else { throw .wrongSize(.heic, shown, stated: size) }
      let whole = PixelSize(width: Int(specification.width), height: Int(specification.height))
      // More hidden columns or rows than the last blocks need count as pixels of the image.
      if max(whole.width - shown.width, whole.height - shown.height) >= Self.largestBlock {
        try limits.check(whole, format: .heic)
      }
      return true
    } catch {
      self.error = error
      return false
    }
  }
}

/// The NAL units of a picture (ISO/IEC 14496-15, 8.3.3.1 and 4.3).
private enum HEVCUnits {
  /// Passes the parameter sets, then the units of the data; `body` returns an error to stop at.
  static func forEach(
    of item: HEVCItems.Item, _ body: (UnsafeRawBufferPointer) -> ImageDecodingError?
  ) throws(ImageDecodingError) {
    let configuration = item.configuration
    guard let lengthByteCount = configuration[21].map({ Int($0 & 3) + 1 }), let arrayCount = configuration[22] else {
      throw .corrupt(.heic, reason: "its hvcC box is incomplete")
    }
    var offset = 23
    for _ in 0..<arrayCount {
      guard let count = configuration.unsigned16(at: offset + 1) else { throw damaged }
      offset += 3
      for _ in 0..<count { try pass(configuration, &offset, lengthByteCount: 2, body) }
    }
    let data = item.data.count == 1 ? nil : item.data.reduce(into: Data()) { $0.append($1.data) }
    let result: ImageDecodingError? =
      if let data {
        data.withUnsafeBytes { passAll(Bytes($0), lengthByteCount: lengthByteCount, body) }
      } else {
        passAll(item.data[0], lengthByteCount: lengthByteCount, body)
      }
    if let result { throw result }
  }

  private static let damaged = ImageDecodingError.corrupt(.heic, reason: "the size of a NAL unit is wrong")

  private static func passAll(
    _ bytes: Bytes, lengthByteCount: Int, _ body: (UnsafeRawBufferPointer) -> ImageDecodingError?
  ) -> ImageDecodingError? {
    var offset = 0
    do throws(ImageDecodingError) {
      while offset < bytes.count { try pass(bytes, &offset, lengthByteCount: lengthByteCount, body) }
      return nil
    } catch {
      return error
    }
  }

  private static func pass(
    _ bytes: Bytes, _ offset: inout Int, lengthByteCount: Int, _ body: (UnsafeRawBufferPointer) -> ImageDecodingError?
  ) throws(ImageDecodingError) {
    var length = 0
    for index in 0..<lengthByteCount {
      guard let byte = bytes[offset + index] else { throw damaged }
      length = length << 8 | Int(byte)
    }
    let start = offset + lengthByteCount
    guard length <= Int(Int32.max), start + length <= bytes.count else { throw damaged }
    offset = start + length
    if length > 0, let error = body(bytes[start..<offset].buffer) { throw error }
  }
}
#endif
