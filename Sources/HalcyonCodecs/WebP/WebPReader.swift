import HalcyonImaging
import CWebP

/// Decodes one WebP image or frame through libwebp, premultiplied.
enum WebPReader {
  /// The most encoded bytes between two checks for cancellation.
  private static let stepByteCount = 64 << 10
  /// A few bytes can contain millions of pixels, so files are decoded in at least so many steps.
  private static let stepCount = 64

  /// - Parameters:
  ///   - bytes: A complete file, or the chunks of one frame of an animation.
  ///   - size: The size of the result.
  ///   - isScaled: Whether `size` differs from the stored size; libwebp then averages pixels.
  static func bitmap(
    _ bytes: UnsafeRawBufferPointer, size: PixelSize, isScaled: Bool, isOpaque: Bool, isCancelled: () -> Bool
  ) throws -> Bitmap {
    try Bitmap(size: size, isOpaque: isOpaque) { output in
      var config = WebPDecoderConfig()
      guard WebPInitDecoderConfig(&config) != 0 else {
        throw ImageDecodingError.unsupportedFeature(.webp, feature: "an incompatible version of libwebp")
      }
      config.options.use_scaling = isScaled ? 1 : 0
      config.options.scaled_width = Int32(size.width)
      config.options.scaled_height = Int32(size.height)
      config.output.colorspace = isOpaque ? MODE_RGBA : MODE_rgbA
      config.output.is_external_memory = 1
      config.output.u.RGBA.rgba = output.bindMemory(to: UInt8.self).baseAddress
      config.output.u.RGBA.stride = Int32(size.width * 4)
      config.output.u.RGBA.size = output.count
      try withUnsafeMutablePointer(to: &config) { config in
        // libwebp checks the size of an external buffer, so an image larger than its header states is rejected.
        guard let decoder = WebPIDecode(nil, 0, config) else { throw ImageDecodingError.outOfMemory(size) }
        defer { WebPIDelete(decoder) }
        try run(decoder, bytes, size: size, isCancelled)
      }
    }
  }

  private static func run(
    _ decoder: OpaquePointer, _ bytes: UnsafeRawBufferPointer, size: PixelSize, _ isCancelled: () -> Bool
  ) throws(ImageDecodingError) {
    let step = max(1024, min(stepByteCount, bytes.count / stepCount))
    var count = 0
    while count < bytes.count {
      if isCancelled() { throw .cancelled }
      // Until it reaches the pixels, libwebp reads all chunks again in each step.
      let hasPixels = WebPIDecodedArea(decoder, nil, nil, nil, nil) != nil
      count = min(bytes.count, count + (hasPixels ? step : max(step, count)))
      let status = WebPIUpdate(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), count)
      if status == VP8_STATUS_OK { return }
      if status != VP8_STATUS_SUSPENDED { throw error(status, size: size) }
    }
    throw .truncated(.webp)
  }

  private static func error(_ status: VP8StatusCode, size: PixelSize) -> ImageDecodingError {
    switch status {
    case VP8_STATUS_OUT_OF_MEMORY: .outOfMemory(size)
    case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: .truncated(.webp)
    case VP8_STATUS_UNSUPPORTED_FEATURE: .unsupportedFeature(.webp, feature: "a feature that libwebp does not support")
    default: .corrupt(.webp, reason: "its image data cannot be decoded (libwebp status \(status.rawValue))")
    }
  }
}
