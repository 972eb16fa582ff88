import HalcyonSupport

/// The decoded frames of one animation, shared by all views that play it.
///
/// Frames are decoded on dedicated threads, the next few in advance, and cached up to a byte limit. All callers share
/// one decoder; requesting an earlier frame that was evicted restarts it. Nothing is decoded without a request. Safe
/// from any thread.
package final class AnimationFrames: Sendable {
  /// Threads shared by all animations, so that many animations do not delay other decoding.
  private static let workers = WorkerPool(name: "animation", width: 2)

  /// The number of frames and of loops.
  package var animation: AnimationInfo { source.animation }

  private let source: AnimationSource
  private let schedule: Lock<FrameSchedule>
  private let decoder: FrameDecoder

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: The most bytes of frames to cache, at least 0. One frame is kept whatever its size.
  ///   - loops: Whether the first frames are decoded ahead of the last ones.
  init(_ source: AnimationSource, byteLimit: Int, loops: Bool = true) {
    precondition(byteLimit >= 0, "byteLimit must be at least 0, got \(byteLimit)")
    self.source = source
    schedule = Lock(
      FrameSchedule(frameCount: max(1, source.animation.frameCount), byteLimit: byteLimit, loops: loops))
    decoder = FrameDecoder(source)
  }

  /// The frame at an index if it is cached, else `nil`. Neither suspends nor decodes, so a view can call it while
  /// drawing.
  ///
  /// - Precondition: `index` is at least 0 and below the number of frames.
  package func cachedFrame(at index: Int) -> AnimationFrame? {
    check(index)
    return schedule.withLock { $0.cache[index] }
  }

  /// The frame at an index, decoded if it is not cached; the next few are decoded in advance.
  ///
  /// - Precondition: `index` is at least 0 and below the number of frames.
  /// - Throws: Errors of the decoder, usually ``ImageDecodingError``; frames before a damaged one can still be read.
  ///   ``ImageDecodingError/cancelled`` if the calling task is cancelled.
  package func frame(at index: Int) async throws -> AnimationFrame {
    try await frame(at: index, isShown: true)
  }

  /// Decodes all frames, or the first ones if not all fit in the cache.
  ///
  /// - Throws: Errors of ``frame(at:)``; frames before a damaged one are cached.
  package func preload() async throws {
    var index = 0
    // The capacity is known once a frame is cached.
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
    // The decoding thread has released this lock. Acquiring it shows the order of accesses to the thread sanitizer,
    // which misses it if the continuation is resumed before the task suspends.
    schedule.withLock { _ in }
    return frame
  }

  /// Lowers the limit on the cached frames, in bytes. One frame is kept whatever its size.
  package func lowerLimit(to byteLimit: Int) {
    let evicted = schedule.withLock { $0.cache.lowerLimit(to: byteLimit) }
    withExtendedLifetime(evicted) {}
  }

  /// The size of the cached frames in bytes.
  package var byteCount: Int { schedule.withLock { $0.cache.byteCount } }

  /// Empties the cache, for example under memory pressure. Frames are decoded again on request.
  package func removeAll() {
    let evicted = schedule.withLock { $0.cache.removeAll() }
    withExtendedLifetime(evicted) {}
  }

  private func check(_ index: Int) {
    precondition(
      (0..<max(1, animation.frameCount)).contains(index), "frame \(index) of \(animation.frameCount) does not exist")
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
      let result = Result { try decoder.frame(at: index) }
      let (waiters, evicted) = schedule.withLock { $0.finish(index, result) }
      for waiter in waiters { waiter.continuation.resume(with: result) }
      withExtendedLifetime(evicted) {}
    }
  }
}

/// Random access to the frames of an animation, by reading on or by starting again.
///
/// Unchecked: ``AnimationFrames`` starts work only if ``FrameSchedule`` reports that no thread is working, and acquires
/// its lock before and after every use.
private final class FrameDecoder: @unchecked Sendable {
  private let source: AnimationSource
  private var reader: (any ImageFrameReader)?
  private var position = 0

  init(_ source: AnimationSource) {
    self.source = source
  }

  /// The frame at an index, in the time of decoding all frames from the last one to this one.
  func frame(at index: Int) throws -> AnimationFrame {
    do {
      return try read(index)
    } catch {
      // The state of a reader after an error is undefined.
      (reader, position) = (nil, 0)
      throw error
    }
  }

  private func read(_ index: Int) throws -> AnimationFrame {
    let reader = try reader ?? source.reader()
    self.reader = reader
    if index < position {
      try reader.rewind()
      position = 0
    }
    while let frame = try reader.nextFrame() {
      position += 1
      // Skipped frames are not processed.
      if position == index + 1 { return try source.processed(frame) }
    }
    throw ImageDecodingError.corrupt(source.info.format, reason: "it ends after \(position) frames")
  }
}
