#if AVIF
import HalcyonCore

/// The pictures of an AVIF sequence, one after the other.
final class AVIFFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let bytes: LastingBytes
  private let reader: AVIFReader
  private let header: PictureHeader
  private let plan: DecodingPlan
  private let graphs: ResampleGraphCache
  private let isCancelled: @Sendable () -> Bool

  init(
    _ bytes: LastingBytes, header: PictureHeader, plan: DecodingPlan, graphs: ResampleGraphCache,
    options: DecodingOptions
  ) throws {
    self.bytes = bytes
    self.header = header
    self.plan = plan
    self.graphs = graphs
    isCancelled = options.isCancelled
    reader = try AVIFReader(bytes.bytes, header: header, limits: options.limits)
    animation = AnimationInfo(frameCount: max(1, reader.frameCount), loopCount: header.loopCount)
  }

  func nextFrame() throws -> AnimationFrame? {
    if isCancelled() { throw ImageDecodingError.cancelled }
    guard try reader.next() else { return nil }
    let image = try plan.image {
      try reader.samples().bitmap(plan, header: header, graphs: graphs, isCancelled: isCancelled)
    }
    return AnimationFrame(bitmap: image.bitmap, duration: .shown(seconds: reader.frameSeconds))
  }

  func rewind() throws { try reader.rewind() }
}
#endif
