import HalcyonSupport

/// The decoded pictures of one animation, for all views that play it.
///
/// Pictures are decoded on threads of their own, the next few before they are asked for, and kept as long as they fit
/// into a limit in bytes. One decoder serves everybody; asking for an earlier picture that is no longer kept starts it
/// again. Nothing is decoded while nobody asks. Safe from any thread.
public final class AnimationFrames: Sendable {
  /// Threads for all animations together, so that many of them do not crowd out what else has to be decoded.
  private static let workers = WorkerPool(name: "animation", width: 2)

  /// How many pictures there are, and how often they are shown.
  public var animation: AnimationInfo { image.animation }

  private let image: AnimatedImage
  private let schedule: Lock<FrameSchedule>
  private let sequence: SoleFrameSequence

  /// Creates an empty cache. Views that play one image share ``AnimatedImage/frames`` instead.
  ///
  /// - Parameter byteLimit: The most bytes of pictures to hold, at least 0. One picture is held whatever its size.
  ///   Default: 64 MiB.
  public init(_ image: AnimatedImage, byteLimit: Int = 64 << 20) {
    precondition(byteLimit >= 0, "byteLimit must be at least 0, got \(byteLimit)")
    self.image = image
    schedule = Lock(FrameSchedule(frameCount: max(1, image.animation.frameCount), byteLimit: byteLimit))
    sequence = SoleFrameSequence(FrameSequence(image))
  }

  /// The picture at an index if it is decoded, or `nil`. Neither suspends nor decodes: fit for a view about to be drawn.
  ///
  /// - Precondition: `index` is at least 0 and below the number of pictures.
  public func cachedFrame(at index: Int) -> AnimationFrame? {
    check(index)
    return schedule.withLock { $0.cache[index] }
  }

  /// The picture at an index, decoded where it is not there; the next few are decoded while it is shown.
  ///
  /// - Precondition: `index` is at least 0 and below the number of pictures.
  /// - Throws: What the decoder throws, usually ``ImageDecodingError``. Pictures before the damaged one can still be
  ///   had. ``ImageDecodingError/cancelled`` when the calling task is cancelled.
  public func frame(at index: Int) async throws -> AnimationFrame {
    try await frame(at: index, isShown: true)
  }

  /// Decodes all pictures, or the first of them where not all can be held.
  ///
  /// - Throws: What ``frame(at:)`` throws; the pictures before the damaged one are held then.
  public func preload() async throws {
    var index = 0
    // How many can be held is known once there is one.
    while index < min(animation.frameCount, schedule.withLock({ $0.cache.capacity })) {
      _ = try await frame(at: index, isShown: false)
      index += 1
    }
  }

  private func frame(at index: Int, isShown: Bool) async throws -> AnimationFrame {
    check(index)
    let (known, id) = schedule.withLock { schedule in
      if isShown { schedule.cache.current = index }
      return (schedule.result(at: index), schedule.newID())
    }
    if let known {
      startWork()
      return try known.get()
    }
    let frame = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        wait(FrameSchedule.Waiter(id: id, index: index, continuation: continuation))
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      cancel(id)
    }
    // The thread that decoded held the lock afterwards: the thread sanitizer sees that order, see ``HappensBefore``.
    schedule.withLock { _ in }
    return frame
  }

  /// Bytes of the pictures that are held.
  public var byteCount: Int { schedule.withLock { $0.cache.byteCount } }

  /// Frees the pictures that are held, for example under memory pressure. They are decoded again when they are asked for.
  public func removeAll() {
    let leaving = schedule.withLock { $0.cache.removeAll() }
    withExtendedLifetime(leaving) {}
  }

  private func check(_ index: Int) {
    precondition(
      (0..<max(1, animation.frameCount)).contains(index), "picture \(index) of \(animation.frameCount) does not exist")
  }

  private func wait(_ waiter: FrameSchedule.Waiter) {
    let known = schedule.withLock { schedule in
      let known = schedule.result(at: waiter.index)
      if known == nil { schedule.add(waiter) }
      return known
    }
    if let known { waiter.continuation.resume(with: known) }
    startWork()
  }

  private func cancel(_ id: Int) {
    let waiter = schedule.withLock { $0.removeWaiter(id) }
    waiter?.continuation.resume(throwing: ImageDecodingError.cancelled)
  }

  private func startWork() {
    guard schedule.withLock({ $0.startsWork() }) else { return }
    Self.workers.enqueue { self.work() }
  }

  private func work() {
    while let index = schedule.withLock({ $0.next() }) {
      let result = Result { try sequence.frame(at: index) }
      let (told, leaving) = schedule.withLock { $0.finish(index, result) }
      for waiter in told { waiter.continuation.resume(with: result) }
      withExtendedLifetime(leaving) {}
    }
  }
}

/// A sequence that one thread at a time uses.
///
/// Unchecked: ``AnimationFrames`` starts work only when ``FrameSchedule`` says that no thread is at work, and its lock is
/// taken before and after every use.
private final class SoleFrameSequence: @unchecked Sendable {
  private var sequence: FrameSequence

  init(_ sequence: FrameSequence) {
    self.sequence = sequence
  }

  func frame(at index: Int) throws -> AnimationFrame { try sequence.frame(at: index) }
}
