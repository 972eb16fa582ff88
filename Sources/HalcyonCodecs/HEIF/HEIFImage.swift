#if HEIF && !IMAGEIO
import HalcyonImaging
import CHalcyonHEIF

/// The decoded primary image of a HEIF file.
struct HEIFImage: ~Copyable {
  private let image: OpaquePointer
  private let header: HEIFImageHeader

  /// Decodes the image on this thread only, as a pipeline decodes several images at once.
  ///
  /// - Parameter isTransformed: Whether libheif crops and rotates the image as the file specifies.
  init(
    _ bytes: UnsafeRawBufferPointer, header: HEIFImageHeader, isTransformed: Bool, limits: ImageLimits
  ) throws(ImageDecodingError) {
    self.header = header
    guard let context = heif_context_alloc() else { throw .outOfMemory(header.codedSize) }
    defer { heif_context_free(context) }
    heif_context_set_max_decoding_threads(context, 0)
    heif_context_set_maximum_image_size_limit(context, Int32(clamping: limits.sideLength))
    try Self.check(heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil), header)
    var handle: OpaquePointer?
    try Self.check(heif_context_get_primary_image_handle(context, &handle), header)
    defer { heif_image_handle_release(handle) }
    image = try Self.decode(handle, header, isTransformed: isTransformed)
  }

  deinit { heif_image_release(image) }

  /// The planes, valid as long as the image.
  func samples() throws(ImageDecodingError) -> SamplePlanes {
    let isPlainRGB = heif_image_get_colorspace(image) == heif_colorspace_RGB
    let isGrey = heif_image_get_colorspace(image) == heif_colorspace_monochrome
    let channels =
      isPlainRGB
      ? [heif_channel_G, heif_channel_B, heif_channel_R]
      : isGrey ? [heif_channel_Y] : [heif_channel_Y, heif_channel_Cb, heif_channel_Cr]
    let colors = try channels.map { (channel) throws(ImageDecodingError) in try plane(channel, of: channels[0]) }
    var coding = SampleCoding(depth: Int(heif_image_get_bits_per_pixel_range(image, channels[0])))
    var color = try colorCoding()
    if isPlainRGB { color.matrix = 0 }
    // The default chroma siting is video's (ITU-T H.265, E.3.1).
    coding.chromaSiting = .left
    var alpha: SamplePlanes.Plane?
    if heif_image_has_channel(image, heif_channel_Alpha) != 0 {
      alpha = try plane(heif_channel_Alpha, of: channels[0])
      coding.alpha = header.isAlphaPremultiplied ? .premultiplied : .straight
    }
    let size = PixelSize(
      width: Int(heif_image_get_width(image, channels[0])), height: Int(heif_image_get_height(image, channels[0])))
    return try SamplePlanes(size: size, colors: colors, alpha: alpha, color: color, coding: coding, format: .heic)
  }

  private static func decode(
    _ handle: OpaquePointer?, _ header: HEIFImageHeader, isTransformed: Bool
  ) throws(ImageDecodingError) -> OpaquePointer {
    guard let options = heif_decoding_options_alloc() else { throw .outOfMemory(header.codedSize) }
    defer { heif_decoding_options_free(options) }
    options.pointee.ignore_transformations = isTransformed ? 0 : 1
    var image: OpaquePointer?
    try check(heif_decode_image(handle, &image, heif_colorspace_undefined, heif_chroma_undefined, options), header)
    guard let image else { throw .corrupt(.heic, reason: "it has no image") }
    return image
  }

  /// A plane with the size of the `whole` plane, or subsampled by 2.
  private func plane(
    _ channel: heif_channel, of whole: heif_channel
  ) throws(ImageDecodingError) -> SamplePlanes.Plane {
    let shiftX = shift(heif_image_get_width(image, whole), heif_image_get_width(image, channel))
    let shiftY = shift(heif_image_get_height(image, whole), heif_image_get_height(image, channel))
    var bytesPerRow: Int32 = 0
    guard let start = heif_image_get_plane_readonly(image, channel, &bytesPerRow), let shiftX, let shiftY,
      heif_image_get_bits_per_pixel_range(image, channel) == heif_image_get_bits_per_pixel_range(image, whole)
    else { throw .unsupportedFeature(.heic, feature: "planes of different sizes or depths") }
    return SamplePlanes.Plane(start: start, bytesPerRow: Int(bytesPerRow), shiftX: shiftX, shiftY: shiftY)
  }

  private func shift(_ whole: Int32, _ part: Int32) -> Int? {
    whole == part ? 0 : (whole + 1) / 2 == part ? 1 : nil
  }

  /// The colour coding in the container, else the one in the bitstream, else the default.
  private func colorCoding() throws(ImageDecodingError) -> ColorCoding {
    if let color = header.color { return color }
    var profile: UnsafeMutablePointer<heif_color_profile_nclx>?
    guard heif_image_get_nclx_color_profile(image, &profile).code == heif_error_Ok, let profile else {
      return ColorCoding()
    }
    defer { heif_nclx_color_profile_free(profile) }
    let color = profile.pointee
    return ColorCoding(
      primaries: Int(color.color_primaries.rawValue), transfer: Int(color.transfer_characteristics.rawValue),
      matrix: Int(color.matrix_coefficients.rawValue), isFullRange: color.full_range_flag != 0)
  }

  private static func check(_ error: heif_error, _ header: HEIFImageHeader) throws(ImageDecodingError) {
    let message = error.message.map { String(cString: $0) } ?? "error \(error.code.rawValue)"
    switch error.code {
    case heif_error_Ok: return
    case heif_error_Invalid_input where error.subcode == heif_suberror_End_of_data: throw .truncated(.heic)
    case heif_error_Unsupported_feature, heif_error_Unsupported_filetype:
      throw .unsupportedFeature(.heic, feature: message)
    case heif_error_Memory_allocation_error where error.subcode != heif_suberror_Security_limit_exceeded:
      throw .outOfMemory(header.codedSize)
    default: throw .corrupt(.heic, reason: message)
    }
  }
}
#endif
