/// The decoded frames of one animation, up to a byte limit.
///
/// Evicts the frame that is shown last, counted from the current frame around the loop. If not all frames fit, no other
/// policy decodes fewer frames.
struct FrameCache {
  let frameCount: Int
  private(set) var byteLimit: Int
  private(set) var byteCount = 0
  /// The frame that is shown now.
  var current = 0
  private var frames: [Int: AnimationFrame] = [:]

  /// - Parameters:
  ///   - frameCount: The number of frames, at least 1.
  ///   - byteLimit: The most bytes of pixels. One frame is kept whatever its size.
  init(frameCount: Int, byteLimit: Int) {
    self.frameCount = frameCount
    self.byteLimit = byteLimit
  }

  subscript(index: Int) -> AnimationFrame? { frames[index] }

  /// How many frames fit, by the size of a cached frame; 1 before the first.
  var capacity: Int {
    guard let frame = frames.first?.value else { return 1 }
    return max(1, byteLimit / max(1, frame.bitmap.byteCount))
  }

  /// Inserts a frame and returns the evicted ones, to be freed outside the lock.
  mutating func insert(_ frame: AnimationFrame, at index: Int) -> [AnimationFrame] {
    var evicted: [AnimationFrame] = []
    if let old = frames.updateValue(frame, forKey: index) {
      byteCount -= old.bitmap.byteCount
      evicted.append(old)
    }
    byteCount += frame.bitmap.byteCount
    return evicted + evictToLimit()
  }

  /// Lowers the limit and returns the evicted frames, to be freed outside the lock.
  mutating func lowerLimit(to byteLimit: Int) -> [AnimationFrame] {
    self.byteLimit = min(self.byteLimit, byteLimit)
    return evictToLimit()
  }

  private mutating func evictToLimit() -> [AnimationFrame] {
    var evicted: [AnimationFrame] = []
    while byteCount > byteLimit, let last = frames.keys.max(by: { distance(to: $0) < distance(to: $1) }),
      frames.count > 1, let frame = frames.removeValue(forKey: last)
    {
      byteCount -= frame.bitmap.byteCount
      evicted.append(frame)
    }
    return evicted
  }

  /// Empties the cache and returns its frames, to be freed outside the lock.
  mutating func removeAll() -> [AnimationFrame] {
    defer {
      frames = [:]
      byteCount = 0
    }
    return Array(frames.values)
  }

  /// The number of steps from the current frame to another.
  private func distance(to index: Int) -> Int { (index - current + frameCount) % frameCount }
}
