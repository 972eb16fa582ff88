import HalcyonImaging

/// A still image as an animation of one picture.
final class StillFrameReader: ImageFrameReader {
  let animation = AnimationInfo(frameCount: 1, loopCount: 1)

  private let decode: () throws -> Bitmap
  private var isAtEnd = false

  init(_ decode: @escaping () throws -> Bitmap) {
    self.decode = decode
  }

  func nextFrame() throws -> AnimationFrame? {
    guard !isAtEnd else { return nil }
    isAtEnd = true
    return AnimationFrame(bitmap: try decode(), duration: FrameTime.shown(.zero))
  }

  func rewind() { isAtEnd = false }
}
