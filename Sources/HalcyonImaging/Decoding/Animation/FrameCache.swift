/// Decoded pictures of one animation, at most so many bytes of them.
///
/// The picture that will be shown last, going round from the one that is shown now, leaves first: where not all fit,
/// no other rule would decode fewer.
struct FrameCache {
  let frameCount: Int
  let byteLimit: Int
  private(set) var byteCount = 0
  /// The picture that is shown now.
  var current = 0
  private var frames: [Int: AnimationFrame] = [:]

  /// - Parameters:
  ///   - frameCount: The pictures of the animation, at least 1.
  ///   - byteLimit: The most bytes of pixels. One picture is kept whatever its size.
  init(frameCount: Int, byteLimit: Int) {
    self.frameCount = frameCount
    self.byteLimit = byteLimit
  }

  subscript(index: Int) -> AnimationFrame? { frames[index] }

  /// How many pictures fit, given the size of those that are there.
  var capacity: Int {
    guard let frame = frames.first?.value else { return 1 }
    return max(1, byteLimit / max(1, frame.bitmap.byteCount))
  }

  /// Adds a picture and gives back those that left for it, to be freed where it harms nobody.
  mutating func insert(_ frame: AnimationFrame, at index: Int) -> [AnimationFrame] {
    var leaving: [AnimationFrame] = []
    if let old = frames.updateValue(frame, forKey: index) {
      byteCount -= old.bitmap.byteCount
      leaving.append(old)
    }
    byteCount += frame.bitmap.byteCount
    while byteCount > byteLimit, let last = frames.keys.max(by: { distance(to: $0) < distance(to: $1) }),
      frames.count > 1, let frame = frames.removeValue(forKey: last)
    {
      byteCount -= frame.bitmap.byteCount
      leaving.append(frame)
    }
    return leaving
  }

  /// Empties the cache and gives back what was in it.
  mutating func removeAll() -> [AnimationFrame] {
    defer {
      frames = [:]
      byteCount = 0
    }
    return Array(frames.values)
  }

  /// In how many steps a picture is shown.
  private func distance(to index: Int) -> Int { (index - current + frameCount) % frameCount }
}
