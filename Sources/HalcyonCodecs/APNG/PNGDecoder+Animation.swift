public import HalcyonImaging
public import Foundation

extension PNGDecoder: AnimatedImageDecoder {
  /// Opens an animation at its first picture, which need not be the one that stands for it. Takes a copy of the bytes,
  /// one canvas and one picture.
  public func frameReader(for bytes: Data, options: DecodingOptions) throws -> any ImageFrameReader {
    guard var info = try probe(bytes, isComplete: true) else { throw ImageDecodingError.truncated(.png) }
    _ = try DecodingPlan(info: info, options: options)
    let file = try APNGFile(FileBytes(bytes), canvas: info.storedSize)
    guard file.pictureCount > 0 else { return StillFrameReader { try decode(bytes, options: options).bitmap } }
    info.hasAlpha = info.hasAlpha || file.leavesHoles
    return ComposedFrameReader(
      APNGFrameSource(file, decoder: self, options: options),
      animation: AnimationInfo(frameCount: file.pictureCount, loopCount: file.loopCount),
      plan: try DecodingPlan(info: info, options: options), graphs: graphs, isCancelled: options.isCancelled)
  }
}
