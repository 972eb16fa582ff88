#if AVIF
import HalcyonImaging

/// The pictures of an AVIF sequence, one after the other.
final class AVIFFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let bytes: FileBytes
  private let reader: AVIFReader
  private let header: HEIFImageHeader
  private let plan: DecodingPlan
  private let renderer: PlanarRenderer
  private let isCancelled: @Sendable () -> Bool

  init(
    _ bytes: FileBytes, header: HEIFImageHeader, plan: DecodingPlan, renderer: PlanarRenderer,
    options: DecodingOptions
  ) throws {
    self.bytes = bytes
    self.header = header
    self.plan = plan
    self.renderer = renderer
    isCancelled = options.isCancelled
    reader = try AVIFReader(bytes.buffer, header: header, limits: options.limits)
    animation = AnimationInfo(frameCount: max(1, reader.frameCount), loopCount: header.loopCount)
  }

  func nextFrame() throws -> AnimationFrame? {
    if isCancelled() { throw ImageDecodingError.cancelled }
    guard try reader.next() else { return nil }
    let image = try renderer.image(reader.samples(), header: header, plan: plan, isCancelled: isCancelled)
    return AnimationFrame(bitmap: image.bitmap, duration: FrameTime.shown(seconds: reader.frameSeconds))
  }

  func rewind() throws { try reader.rewind() }
}
#endif
