#if HEIF && !IMAGEIO
import HalcyonImaging
import CHalcyonDE265

/// A picture decoded by libde265, on the calling thread.
///
/// libheif uses the same decoder, but smooths the blocks of thumbnails and copies the picture, in twice the time and memory.
final class HEVCPicture {
  private let decoder: UnsafeMutableRawPointer
  private let picture: OpaquePointer

  /// - Parameters:
  ///   - size: The size that the file states; a picture of another size is an error.
  ///   - skipsLoopFilters: Whether the edges of blocks are not smoothed. The other pixels of the picture are predicted
  ///     from unsmoothed ones (ITU-T H.265, 8.4.4.2 and 8.7).
  ///   - pictureCount: How many are in memory at once.
  init(
    _ item: HEVCItems.Item, size: PixelSize, skipsLoopFilters: Bool, pictureCount: Int, limits: ImageLimits
  ) throws(ImageDecodingError) {
    guard let decoder = de265_new_decoder() else { throw .outOfMemory(size) }
    if skipsLoopFilters {
      de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_DISABLE_DEBLOCKING, 1)
      de265_set_parameter_bool(decoder, DE265_DECODER_PARAM_DISABLE_SAO, 1)
    }
    do throws(ImageDecodingError) {
      try HEVCUnits(item).forEach { unit in
        unit.error(size: size, pictureCount: pictureCount, limits)
          ?? Self.error(de265_push_NAL(decoder, unit.bytes.buffer.baseAddress, Int32(unit.bytes.count), 0, nil), size)
      }
      picture = try Self.decode(decoder, size)
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
    _ decoder: UnsafeMutableRawPointer, _ size: PixelSize
  ) throws(ImageDecodingError) -> OpaquePointer {
    if let error = error(de265_flush_data(decoder), size) { throw error }
    var hasMore: Int32 = 1
    while hasMore != 0 {
      hasMore = 0
      let status = de265_decode(decoder, &hasMore)
      if let error = error(status, size) { throw error }
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
#endif
