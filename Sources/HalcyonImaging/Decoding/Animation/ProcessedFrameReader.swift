/// Reads the pictures of an animation and changes each as the animation has it.
final class ProcessedFrameReader: ImageFrameReader {
  private let source: any ImageFrameReader
  private let image: AnimatedImage

  init(_ source: any ImageFrameReader, of image: AnimatedImage) {
    self.source = source
    self.image = image
  }

  var animation: AnimationInfo { source.animation }

  func nextFrame() throws -> AnimationFrame? {
    guard let frame = try source.nextFrame() else { return nil }
    return try image.processed(frame)
  }

  func rewind() throws { try source.rewind() }
}
