/// The requested and the cached frames of an animation, and the choice of the frame to decode next. A pure value.
struct FrameSchedule {
  /// A caller that waits for a frame.
  struct Waiter {
    let id: Int
    let index: Int
    let continuation: CheckedContinuation<AnimationFrame, any Error>
  }

  /// The number of frames to decode ahead.
  static let aheadCount = 3

  var cache: FrameCache
  private(set) var waiters: [Waiter] = []
  /// The first frame that could not be decoded, and its error.
  private(set) var failure: (index: Int, error: any Error)?
  /// Whether a thread is decoding.
  private(set) var isWorking = false
  private var lastID = 0
  /// Whether the first frames follow the last one.
  private let loops: Bool

  init(frameCount: Int, byteLimit: Int, loops: Bool = true) {
    self.loops = loops
    cache = FrameCache(frameCount: frameCount, byteLimit: byteLimit)
  }

  mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  /// The frame if it is cached, the error if it cannot be decoded, else `nil`.
  func result(at index: Int) -> Result<AnimationFrame, any Error>? {
    if let frame = cache[index] { return .success(frame) }
    if let failure, index >= failure.index { return .failure(failure.error) }
    return nil
  }

  mutating func add(_ waiter: Waiter) { waiters.append(waiter) }

  /// Removes a cancelled waiter.
  mutating func removeWaiter(_ id: Int) -> Waiter? {
    waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
  }

  /// Whether decoding has to be started on a thread. If so, it counts as working until ``next()`` returns `nil`.
  mutating func startsWork() -> Bool {
    guard !isWorking, target() != nil else { return false }
    isWorking = true
    return true
  }

  /// The frame to decode now, or `nil` if there is none, which ends the work.
  mutating func next() -> Int? {
    let next = target()
    isWorking = next != nil
    return next
  }

  /// Stores the result of decoding a frame.
  ///
  /// - Returns: The waiters to resume, and evicted frames to free outside the lock.
  mutating func finish(
    _ index: Int, _ result: Result<AnimationFrame, any Error>
  ) -> (waiters: [Waiter], evicted: [AnimationFrame]) {
    switch result {
    case .success(let frame):
      let evicted = cache.insert(frame, at: index)
      return (removeWaiters { $0 == index }, evicted)
    case .failure(let error):
      failure = (index, error)
      return (removeWaiters { $0 >= index }, [])
    }
  }

  private mutating func removeWaiters(where isIncluded: (Int) -> Bool) -> [Waiter] {
    let removed = waiters.filter { isIncluded($0.index) }
    waiters.removeAll { isIncluded($0.index) }
    return removed
  }

  /// The frame of the first waiter, else the current frame or one of the next few.
  ///
  /// The current frame is included, since a caller may be about to wait for it: decoding past it would need a restart.
  private func target() -> Int? {
    if let waiter = waiters.first { return waiter.index }
    let count = min(Self.aheadCount, cache.capacity - 1, cache.frameCount - 1)
    guard count > 0 else { return nil }
    let ahead = cache.current...(loops ? cache.current + count : min(cache.current + count, cache.frameCount - 1))
    return ahead.lazy.map { $0 % cache.frameCount }.first { result(at: $0) == nil }
  }
}
