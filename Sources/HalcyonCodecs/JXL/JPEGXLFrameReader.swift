#if JXL
import HalcyonImaging

/// The pictures of an animated JPEG XL file, one after the other.
final class JPEGXLFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let bytes: FileBytes
  private var reader: JPEGXLReader
  private let plan: DecodingPlan
  private let renderer: JPEGXLRenderer
  private let isCancelled: @Sendable () -> Bool

  init(
    _ bytes: FileBytes, header: JPEGXLHeader, plan: DecodingPlan, renderer: JPEGXLRenderer,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws {
    self.bytes = bytes
    self.plan = plan
    self.renderer = renderer
    self.isCancelled = isCancelled
    reader = try JPEGXLReader(bytes.buffer)
    animation = AnimationInfo(frameCount: header.info.frameCount, loopCount: header.loopCount)
  }

  func nextFrame() throws -> AnimationFrame? {
    if isCancelled() { throw ImageDecodingError.cancelled }
    guard let frame = try reader.next() else { return nil }
    let image = try renderer.image(frame.bitmap, of: reader, plan: plan, isCancelled: isCancelled)
    return AnimationFrame(bitmap: image.bitmap, duration: FrameTime.shown(seconds: frame.duration))
  }

  func rewind() throws { reader = try JPEGXLReader(bytes.buffer) }
}
#endif
