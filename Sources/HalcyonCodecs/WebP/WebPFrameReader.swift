#if !IMAGEIO
import HalcyonImaging
import CHalcyonWebP

/// Reads the frames of an animated WebP file, composed by libwebpdemux. For one thread at a time.
final class WebPFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let file: FileBytes
  private let decoder: OpaquePointer
  private let plan: DecodingPlan
  private let colors: ColorMapping
  private let graphs: ResampleGraphCache
  private let isCancelled: () -> Bool
  private var lastTimestamp: Int32 = 0

  /// - Parameter plan: A plan for the size of the canvas, whose limits have been checked.
  init(
    _ file: FileBytes, header: WebPHeader, plan: DecodingPlan, colors: ColorMapping, graphs: ResampleGraphCache,
    isCancelled: @escaping () -> Bool
  ) throws(ImageDecodingError) {
    var options = WebPAnimDecoderOptions()
    guard WebPAnimDecoderOptionsInit(&options) != 0 else {
      throw .unsupportedFeature(.webp, feature: "an incompatible version of libwebp")
    }
    // Where the header denies alpha, that of frames is ignored, and their colours are not multiplied by it.
    options.color_mode = plan.info.hasAlpha ? MODE_rgbA : MODE_RGBA
    options.use_threads = 0
    var data = WebPData(bytes: file.buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), size: file.buffer.count)
    guard let decoder = WebPAnimDecoderNew(&data, &options) else {
      throw .corrupt(.webp, reason: "its animation cannot be opened")
    }
    // Rows are read at the canvas size of the plan; a file with two headers could have another one.
    var info = WebPAnimInfo()
    guard WebPAnimDecoderGetInfo(decoder, &info) != 0, Int(info.canvas_width) == plan.info.storedSize.width,
      Int(info.canvas_height) == plan.info.storedSize.height
    else {
      WebPAnimDecoderDelete(decoder)
      throw .corrupt(.webp, reason: "it states conflicting sizes")
    }
    self.decoder = decoder
    self.file = file
    self.plan = plan
    self.colors = colors
    self.graphs = graphs
    self.isCancelled = isCancelled
    animation = AnimationInfo(
      frameCount: header.frameCount, loopCount: header.loopCount == 0 ? nil : header.loopCount)
  }

  deinit { WebPAnimDecoderDelete(decoder) }

  func nextFrame() throws -> AnimationFrame? {
    if isCancelled() { throw ImageDecodingError.cancelled }
    guard WebPAnimDecoderHasMoreFrames(decoder) != 0 else { return nil }
    var pixels: UnsafeMutablePointer<UInt8>?
    var timestamp: Int32 = 0
    guard WebPAnimDecoderGetNext(decoder, &pixels, &timestamp) != 0, let pixels else {
      throw ImageDecodingError.corrupt(.webp, reason: "a frame of its animation cannot be decoded")
    }
    let duration = Duration.milliseconds(timestamp - lastTimestamp)
    lastTimestamp = timestamp
    let isOpaque = !plan.info.hasAlpha
    let image = try plan.image(colors: colors) {
      try plan.bitmap(isOpaque: isOpaque, graphs: graphs, isCancelled: isCancelled) { [plan] in
        MemoryRowSource(pixels, size: plan.info.storedSize, isOpaque: isOpaque)
      }
    }
    return AnimationFrame(bitmap: image.bitmap, duration: FrameDuration.displayed(duration))
  }

  func rewind() {
    WebPAnimDecoderReset(decoder)
    lastTimestamp = 0
  }
}

/// The rows of pixels in memory, which must outlive the source.
private final class MemoryRowSource: RowSource {
  let size: PixelSize
  let isOpaque: Bool
  private var next: UnsafePointer<UInt8>

  init(_ pixels: UnsafePointer<UInt8>, size: PixelSize, isOpaque: Bool) {
    self.size = size
    self.isOpaque = isOpaque
    next = pixels
  }

  func skipRows(_ count: Int) { next += count * size.width * 4 }

  func readRow(into row: UnsafeMutablePointer<UInt8>) {
    row.update(from: next, count: size.width * 4)
    if isOpaque { AlphaMath.makeOpaque(UnsafeMutableRawBufferPointer(start: row, count: size.width * 4)) }
    next += size.width * 4
  }

  func finish() {}
}
#endif
