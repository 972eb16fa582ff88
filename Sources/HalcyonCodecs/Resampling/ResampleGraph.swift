#if !IMAGEIO
import HalcyonImaging
import CHalcyonZimg
import CHalcyonSystemShim

/// A zimg filter graph, from planes of one size and format to RGB, RGBA or grey planes of another size: with 8 bits, or
/// with ``HighDynamicRange/sampleDepth``.
struct ResampleGraph: ~Copyable {
  private static let lanczosTaps = 3.0
  private static let version = UInt32(ZIMG_API_VERSION_MAJOR << 8 | ZIMG_API_VERSION_MINOR)

  private let handle: OpaquePointer

  /// - Parameters:
  ///   - source: The layout and coding of the input planes.
  ///   - geometry: The window to resample, in possibly fractional samples of the first plane, and the output size.
  init(source: PlaneFormat, geometry: ResizeGeometry) throws(ResamplingError) {
    var input = Self.inputFormat(source, window: geometry.window)
    var output = Self.outputFormat(source, size: geometry.outputSize)
    var parameters = zimg_graph_builder_params()
    zimg_graph_builder_params_default(&parameters, Self.version)
    parameters.resample_filter = ZIMG_RESIZE_LANCZOS
    parameters.filter_param_a = Self.lanczosTaps
    parameters.resample_filter_uv = ZIMG_RESIZE_LANCZOS
    parameters.filter_param_a_uv = Self.lanczosTaps
    // Rounds as any other setting does here, and keeps zimg from splitting rows into column tiles.
    parameters.dither_type = ZIMG_DITHER_ERROR_DIFFUSION
    // No 512-bit instructions, which are no faster here: zimg 3.0.4 then reads 16 samples before the window, which is
    // out of bounds if the window starts near the left edge.
    parameters.cpu_type = ZIMG_CPU_AUTO
    parameters.nominal_peak_luminance = HighDynamicRange.referenceWhite
    guard let handle = zimg_filter_graph_build(&input, &output, &parameters) else { throw .last }
    self.handle = handle
  }

  deinit { zimg_filter_graph_free(handle) }

  /// The number of input rows that have to be buffered at once.
  func inputRowCount() throws(ResamplingError) -> Int {
    var count: UInt32 = 0
    guard zimg_filter_graph_get_input_buffering(handle, &count) == ZIMG_ERROR_SUCCESS else { throw .last }
    return Int(count)
  }

  /// The number of output rows that have to be buffered at once.
  func outputRowCount() throws(ResamplingError) -> Int {
    var count: UInt32 = 0
    guard zimg_filter_graph_get_output_buffering(handle, &count) == ZIMG_ERROR_SUCCESS else { throw .last }
    return Int(count)
  }

  /// Runs the conversion; `unpack` is called before rows of `input` are read, `pack` after a row is written. The upper
  /// halves of vector registers are in use during both calls.
  func process(
    _ input: borrowing PlaneBuffer, into output: borrowing PlaneBuffer, context: UnsafeMutableRawPointer,
    unpack: zimg_filter_graph_callback, pack: zimg_filter_graph_callback
  ) throws(ResamplingError) {
    var temporaryByteCount = 0
    guard zimg_filter_graph_get_tmp_size(handle, &temporaryByteCount) == ZIMG_ERROR_SUCCESS else { throw .last }
    guard let temporary = PlaneBuffer(rowByteCounts: [temporaryByteCount + 1], rowCount: 1, isRing: false) else {
      throw .outOfMemory
    }
    var source = Self.inputBuffer(input)
    var target = Self.outputBuffer(output)
    let status = zimg_filter_graph_process(
      handle, &source, &target, temporary.start(ofPlane: 0), unpack, context, pack, context)
    halcyon_clear_upper_halves()
    guard status == ZIMG_ERROR_SUCCESS else { throw .last }
  }

  private static func inputFormat(_ source: PlaneFormat, window: PixelRectangle) -> zimg_image_format {
    var format = format(channels: source.channels, size: source.size)
    let coding = source.coding
    format.pixel_type = coding.depth > 8 ? ZIMG_PIXEL_WORD : ZIMG_PIXEL_BYTE
    format.depth = UInt32(coding.depth)
    format.pixel_range = coding.isFullRange ? ZIMG_RANGE_FULL : ZIMG_RANGE_LIMITED
    if coding.alpha != .none {
      format.alpha = coding.alpha == .straight ? ZIMG_ALPHA_STRAIGHT : ZIMG_ALPHA_PREMULTIPLIED
    }
    if let range = coding.highDynamicRange { set(range, of: &format) }
    if case .yCbCr(let shiftX, let shiftY) = source.channels {
      format.color_family = ZIMG_COLOR_YUV
      format.matrix_coefficients = zimg_matrix_coefficients_e(Int32(coding.matrix))
      format.chroma_location = coding.chromaSiting.location
      format.subsample_w = UInt32(shiftX)
      format.subsample_h = UInt32(shiftY)
    }
    format.active_region.left = window.x
    format.active_region.top = window.y
    format.active_region.width = window.width
    format.active_region.height = window.height
    return format
  }

  private static func outputFormat(_ source: PlaneFormat, size: PixelSize) -> zimg_image_format {
    var format = format(channels: source.outputChannels, size: size)
    if let range = source.coding.highDynamicRange {
      set(range, of: &format)
      format.pixel_type = ZIMG_PIXEL_WORD
      format.depth = UInt32(range.sampleDepth)
    }
    return format
  }

  /// Sets the primaries and the transfer function, which input and output share: only some matrices depend on them.
  private static func set(_ range: HighDynamicRange, of format: inout zimg_image_format) {
    format.color_primaries = zimg_color_primaries_e(Int32(range.primaries))
    format.transfer_characteristics = zimg_transfer_characteristics_e(Int32(range.transfer.rawValue))
  }

  private static func format(channels: PlaneFormat.Channels, size: PixelSize) -> zimg_image_format {
    var format = zimg_image_format()
    zimg_image_format_default(&format, version)
    format.width = UInt32(size.width)
    format.height = UInt32(size.height)
    format.pixel_type = ZIMG_PIXEL_BYTE
    format.depth = 8
    format.pixel_range = ZIMG_RANGE_FULL
    format.color_family = channels == .grey ? ZIMG_COLOR_GREY : ZIMG_COLOR_RGB
    format.matrix_coefficients = channels == .grey ? ZIMG_MATRIX_UNSPECIFIED : ZIMG_MATRIX_RGB
    format.alpha = channels == .rgbaPremultiplied ? ZIMG_ALPHA_PREMULTIPLIED : ZIMG_ALPHA_NONE
    return format
  }

  private static func inputBuffer(_ planes: borrowing PlaneBuffer) -> zimg_image_buffer_const {
    var buffer = zimg_image_buffer_const()
    buffer.version = version
    for plane in 0..<planes.planeCount {
      zimg_shim_set_source_plane(
        &buffer, Int32(plane), planes.start(ofPlane: plane), planes.stride(ofPlane: plane), planes.rowMask)
    }
    return buffer
  }

  private static func outputBuffer(_ planes: borrowing PlaneBuffer) -> zimg_image_buffer {
    var buffer = zimg_image_buffer()
    buffer.version = version
    for plane in 0..<planes.planeCount {
      zimg_shim_set_target_plane(
        &buffer, Int32(plane), planes.start(ofPlane: plane), planes.stride(ofPlane: plane), planes.rowMask)
    }
    return buffer
  }
}

extension SampleCoding.ChromaSiting {
  fileprivate var location: zimg_chroma_location_e {
    switch self {
    case .center: ZIMG_CHROMA_CENTER
    case .left: ZIMG_CHROMA_LEFT
    case .topLeft: ZIMG_CHROMA_TOP_LEFT
    }
  }
}

/// Why resampling failed.
enum ResamplingError: Error, Hashable {
  case outOfMemory
  /// A callback returned an error, which it has recorded.
  case stopped
  case failed(String)

  /// zimg's last error on this thread.
  fileprivate static var last: ResamplingError {
    var message = [CChar](repeating: 0, count: 256)
    let code = zimg_get_last_error(&message, message.count - 1)
    zimg_clear_last_error()
    switch code {
    case ZIMG_ERROR_OUT_OF_MEMORY: return .outOfMemory
    case ZIMG_ERROR_USER_CALLBACK_FAILED: return .stopped
    default:
      let text = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      return .failed(String(decoding: text, as: UTF8.self))
    }
  }
}
#endif
