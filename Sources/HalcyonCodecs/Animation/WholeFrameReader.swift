import HalcyonImaging

/// Reads complete frames, of which none is composed of earlier ones. For one thread at a time.
final class WholeFrameReader: ImageFrameReader {
  let animation: AnimationInfo

  private let next: () throws -> AnimationFrame?
  private let restart: () throws -> Void

  init(
    _ animation: AnimationInfo, next: @escaping () throws -> AnimationFrame?, rewind: @escaping () throws -> Void
  ) {
    (self.animation, self.next, restart) = (animation, next, rewind)
  }

  /// A still image as an animation of one frame.
  static func still(_ decode: @escaping () throws -> Bitmap) -> WholeFrameReader {
    var isAtEnd = false
    return WholeFrameReader(AnimationInfo(frameCount: 1, loopCount: 1)) {
      if isAtEnd { return nil }
      isAtEnd = true
      return AnimationFrame(bitmap: try decode(), duration: FrameDuration.displayed(.zero))
    } rewind: {
      isAtEnd = false
    }
  }

  func nextFrame() throws -> AnimationFrame? { try next() }

  func rewind() throws { try restart() }
}
