/// What is asked for of an animation, what is there, and what has to be decoded next. A pure value.
struct FrameSchedule {
  /// Somebody who waits for a picture.
  struct Waiter {
    let id: Int
    let index: Int
    let continuation: CheckedContinuation<AnimationFrame, any Error>
  }

  /// Pictures decoded before they are asked for.
  static let aheadCount = 3

  var cache: FrameCache
  private(set) var waiters: [Waiter] = []
  /// The first picture that cannot be had, and why.
  private(set) var failure: (index: Int, error: any Error)?
  /// Whether a thread is at work.
  private(set) var isWorking = false
  private var lastID = 0

  init(frameCount: Int, byteLimit: Int) {
    cache = FrameCache(frameCount: frameCount, byteLimit: byteLimit)
  }

  mutating func newID() -> Int {
    lastID += 1
    return lastID
  }

  /// What is known of a picture at once.
  func result(at index: Int) -> Result<AnimationFrame, any Error>? {
    if let frame = cache[index] { return .success(frame) }
    if let failure, index >= failure.index { return .failure(failure.error) }
    return nil
  }

  mutating func add(_ waiter: Waiter) { waiters.append(waiter) }

  /// Takes somebody out who no longer waits.
  mutating func removeWaiter(_ id: Int) -> Waiter? {
    waiters.firstIndex { $0.id == id }.map { waiters.remove(at: $0) }
  }

  /// Whether a thread has to be started; from then on one is at work until ``next()`` gives nothing.
  mutating func startsWork() -> Bool {
    guard !isWorking, goal() != nil else { return false }
    isWorking = true
    return true
  }

  /// The picture to decode now, or `nil` when there is none, which ends the work.
  mutating func next() -> Int? {
    let next = goal()
    isWorking = next != nil
    return next
  }

  /// Takes what decoding gave. Returns those to tell, and pictures to free.
  mutating func finish(
    _ index: Int, _ result: Result<AnimationFrame, any Error>
  ) -> (told: [Waiter], leaving: [AnimationFrame]) {
    switch result {
    case .success(let frame):
      let leaving = cache.insert(frame, at: index)
      return (take { $0 == index }, leaving)
    case .failure(let error):
      failure = (index, error)
      return (take { $0 >= index }, [])
    }
  }

  private mutating func take(where isTaken: (Int) -> Bool) -> [Waiter] {
    let taken = waiters.filter { isTaken($0.index) }
    waiters.removeAll { isTaken($0.index) }
    return taken
  }

  /// What is waited for comes first, then the picture that is shown, for which somebody may be about to wait, and the
  /// next few: passing it by would mean starting again for it.
  private func goal() -> Int? {
    if let waiter = waiters.first { return waiter.index }
    let count = min(Self.aheadCount, cache.capacity - 1, cache.frameCount - 1)
    guard count > 0 else { return nil }
    return (0...count).lazy.map { (cache.current + $0) % cache.frameCount }.first { result(at: $0) == nil }
  }
}
