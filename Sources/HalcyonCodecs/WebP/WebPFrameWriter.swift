#if !IMAGEIO
import CHalcyonWebP
import Foundation
import HalcyonImaging
import HalcyonSupport

/// The frames of an animated WebP. For one thread at a time.
final class WebPFrameWriter: ImageFrameWriter {
  private let loopCount: Int?
  private let metadata: ImageMetadata?
  private let check: (PixelSize) throws(ImageEncodingError) -> Void
  private var config: WebPConfig
  private var encoder: OpaquePointer?
  private var size = PixelSize(width: 0, height: 0)
  private var colorSpace = ColorSpace.sRGB
  /// In milliseconds of 24 bits.
  private var durations = RoundedDurations(unit: .milliseconds(1), limit: 0xFF_FFFF)
  /// When the next frame is shown, in milliseconds.
  private var time: Int32 = 0

  /// - Parameter check: Throws for sizes that the format does not allow.
  init(
    loopCount: Int?, config: WebPConfig, metadata: ImageMetadata?,
    check: @escaping (PixelSize) throws(ImageEncodingError) -> Void
  ) {
    (self.loopCount, self.config, self.metadata, self.check) = (loopCount, config, metadata, check)
  }

  deinit { WebPAnimEncoderDelete(encoder) }

  func add(_ frame: AnimationFrame) throws {
    if encoder == nil { try start(frame.bitmap) }
    guard frame.bitmap.size == size else { throw ImageEncodingError.unequalFrames(.webp) }
    var pixels = try WebPOutputBuffer(frame.bitmap.converted(to: colorSpace))
    guard WebPAnimEncoderAdd(encoder, &pixels.picture, time, &config) != 0 else {
      if CancellationFlag.isCurrentCancelled { throw CancellationError() }
      throw failure
    }
    time = Int32(clamping: Int(time) + durations.units(for: frame.duration))
  }

  func finish() throws -> Data {
    guard encoder != nil else { throw ImageEncodingError.unequalFrames(.webp) }
    // Ends the last frame.
    guard WebPAnimEncoderAdd(encoder, nil, time, nil) != 0 else { throw failure }
    var output = WebPData()
    WebPDataInit(&output)
    defer { WebPDataClear(&output) }
    guard WebPAnimEncoderAssemble(encoder, &output) != 0, let bytes = output.bytes else { throw failure }
    let file = Data(bytes: bytes, count: output.size)
    return try WritableMetadata(metadata, colorSpace)?.added(toWebP: file, size: size) ?? file
  }

  private func start(_ bitmap: Bitmap) throws(ImageEncodingError) {
    try check(bitmap.size)
    var options = WebPAnimEncoderOptions()
    guard WebPAnimEncoderOptionsInit(&options) != 0 else {
      throw .failed(.webp, reason: "libwebpmux has an incompatible version")
    }
    options.anim_params.loop_count = Int32(loopCount.map { min(max($0, 1), 65_535) } ?? 0)
    encoder = WebPAnimEncoderNew(Int32(bitmap.size.width), Int32(bitmap.size.height), &options)
    guard encoder != nil else { throw .failed(.webp, reason: "out of memory") }
    (size, colorSpace) = (bitmap.size, bitmap.colorSpace)
  }

  private var failure: ImageEncodingError {
    .failed(.webp, reason: WebPAnimEncoderGetError(encoder).map { String(cString: $0) } ?? "out of memory")
  }
}
#endif
