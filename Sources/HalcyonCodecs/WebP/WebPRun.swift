#if !IMAGEIO
@_spi(Programs) import HalcyonImaging
import CHalcyonWebP

/// One run of libwebp's incremental decoder over a complete file, or over the chunks of one frame of an animation.
final class WebPRun {
  /// The most encoded bytes between two checks for cancellation.
  private static let stepByteCount = 64 << 10
  /// The fewest steps in which a file is decoded, since a few bytes can contain millions of pixels.
  private static let stepCount = 64

  private let bytes: UnsafeRawBufferPointer
  private let size: PixelSize
  private let isCancelled: () -> Bool
  /// libwebp refers to the configuration as long as it decodes.
  private let config: UnsafeMutablePointer<WebPDecoderConfig>
  private let decoder: OpaquePointer
  private var readByteCount = 0
  private var isDone = false

  /// - Parameters:
  ///   - bytes: Must outlive the run.
  ///   - size: The size of the result; an image of another size is rejected.
  ///   - setUp: Sets the output and the options.
  init(
    _ bytes: UnsafeRawBufferPointer, size: PixelSize, isCancelled: @escaping () -> Bool,
    setUp: (inout WebPDecoderConfig) -> Void
  ) throws(ImageDecodingError) {
    let config = UnsafeMutablePointer<WebPDecoderConfig>.allocate(capacity: 1)
    config.initialize(to: WebPDecoderConfig())
    guard WebPInitDecoderConfig(config) != 0 else {
      config.deallocate()
      throw .unsupportedFeature(.webp, feature: "an incompatible version of libwebp")
    }
    setUp(&config.pointee)
    guard let decoder = WebPIDecode(nil, 0, config) else {
      config.deallocate()
      throw .outOfMemory(size)
    }
    self.bytes = bytes
    self.size = size
    self.isCancelled = isCancelled
    self.config = config
    self.decoder = decoder
  }

  deinit {
    WebPIDelete(decoder)
    config.deallocate()
  }

  /// The number of decoded rows of the result, from the top.
  var rowCount: Int {
    if isDone { return size.height }
    var count: Int32 = 0
    return WebPIDecodedArea(decoder, nil, nil, nil, &count) == nil ? 0 : Int(count)
  }

  /// Decodes to the last row of the result.
  ///
  /// - Parameter readsToEnd: Whether damage after it is an error.
  /// - Returns: The number of rows of the image.
  @discardableResult
  func finish(readsToEnd: Bool = true) throws(ImageDecodingError) -> Int {
    while !isDone, readsToEnd || rowCount < size.height { try step() }
    return rowCount
  }

  /// Decodes up to the damage or to the end of the file.
  ///
  /// - Returns: The number of decoded rows, at least one.
  /// - Throws: The error of the damage, if it is before the end of the first row.
  func finishPart() throws(ImageDecodingError) -> Int {
    do throws(ImageDecodingError) {
      return try finish()
    } catch {
      guard error.isDamage, rowCount > 0 else { throw error }
      return rowCount
    }
  }

  /// Decodes some more bytes.
  func step() throws(ImageDecodingError) {
    if isCancelled() { throw .cancelled }
    guard readByteCount < bytes.count else { throw .truncated(.webp) }
    let step = max(1024, min(Self.stepByteCount, bytes.count / Self.stepCount))
    // Until it reaches the pixels, libwebp reads all chunks again in each step.
    let hasPixels = WebPIDecodedArea(decoder, nil, nil, nil, nil) != nil
    readByteCount = min(bytes.count, readByteCount + (hasPixels ? step : max(step, readByteCount)))
    let status = WebPIUpdate(decoder, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), readByteCount)
    isDone = status == VP8_STATUS_OK
    if !isDone, status != VP8_STATUS_SUSPENDED { throw error(status) }
    // libwebp rejects an image that is larger than the memory, but not a smaller one.
    let output = config.pointee.output
    guard output.width == 0 || output.width == size.width && output.height == size.height else {
      throw .corrupt(.webp, reason: "it states conflicting sizes")
    }
  }

  private func error(_ status: VP8StatusCode) -> ImageDecodingError {
    switch status {
    case VP8_STATUS_OUT_OF_MEMORY: .outOfMemory(size)
    case VP8_STATUS_NOT_ENOUGH_DATA, VP8_STATUS_SUSPENDED: .truncated(.webp)
    case VP8_STATUS_UNSUPPORTED_FEATURE: .unsupportedFeature(.webp, feature: "a feature that libwebp does not support")
    default: .corrupt(.webp, reason: "its image data cannot be decoded (libwebp status \(status.rawValue))")
    }
  }
}
#endif
