import Foundation

/// Dedicated threads for work that blocks or computes for long, so that Swift's cooperative threads never do.
///
/// Each thread runs one work item at a time. Waiting work starts by priority; work of equal priority in order of
/// submission, or newest first. Work that is cancelled while it waits never starts.
///
/// Threads are started when work needs them. They end after the idle time without work, or with the pool.
///
/// ``run(_:priority:_:)`` is specialised in every module that uses it.
@usableFromInline
package final class WorkerPool: Sendable {
  private let name: String
  private let queue: WorkQueue

  /// Creates a pool without threads.
  ///
  /// - Parameters:
  ///   - width: The most threads, at least 1.
  ///   - idleSeconds: How long a thread without work waits for more before it ends, in seconds. Default: 10, so that a
  ///     program that scrolls or loads now and then keeps its threads.
  ///   - spins: Whether threads check for more work for about a tenth of a millisecond before they sleep.
  ///   - newestFirst: Whether the newest work of equal priority starts first: the work that was submitted, or changed
  ///     its priority, last.
  package init(
    name: String, width: Int, idleSeconds: Double = 10, spins: Bool = false, newestFirst: Bool = false
  ) {
    precondition(width > 0, "a pool needs at least one thread, got \(width)")
    self.name = name
    queue = WorkQueue(threadLimit: width, idleSeconds: idleSeconds, spins: spins, newestFirst: newestFirst)
  }

  deinit { queue.close() }

  /// Lets the threads end once all waiting work is done. Work that is added later ends with `CancellationError`.
  package func close() { queue.close() }

  /// Runs `work` on a thread of the pool and returns its result.
  ///
  /// - Parameter work: Receives a flag that turns true when the calling task is cancelled.
  /// - Throws: Errors of `work`; `CancellationError` if the task is cancelled before the work starts.
  @inlinable
  package func run<Value: Sendable>(
    priority: ImagePriority = .normal, _ work: @escaping @Sendable (CancellationFlag) throws -> Value
  ) async throws -> Value {
    try await run(newWork(), priority: { priority }, work)
  }

  /// Runs `work` like ``run(priority:_:)``; ``setPriority(_:of:)`` changes its priority while it waits.
  ///
  /// - Parameters:
  ///   - id: An identifier from ``newWork()``, used once.
  ///   - priority: Called once, when the work begins to wait, with a lock held.
  @inlinable
  package func run<Value: Sendable>(
    _ id: WorkID, priority: () -> ImagePriority, _ work: @escaping @Sendable (CancellationFlag) throws -> Value
  ) async throws -> Value {
    let flag = CancellationFlag()
    let completion = HappensBefore()
    defer { completion.acquire() }
    return try await withTaskCancellationHandler {
      // Not a checked one, which allocates: the queue calls each item once.
      try await withUnsafeThrowingContinuation { continuation in
        add(id, priority: priority()) { isStarted in
          guard isStarted, !flag.isCancelled else { return continuation.resume(throwing: CancellationError()) }
          let result = Result { try work(flag) }
          completion.release()
          continuation.resume(with: result)
        }
        if Task.isCancelled { cancel(id) }
      }
    } onCancel: {
      flag.cancel()
      cancel(id)
    }
  }

  /// Runs `work` after all work that was submitted before it with the same priority; returns immediately.
  package func enqueue(priority: ImagePriority = .normal, _ work: @escaping @Sendable () -> Void) {
    add(newWork(), priority: priority) { isStarted in
      if isStarted { work() }
    }
  }

  /// - Parameter item: Called once: with true to start the work, with false if it was removed before it started.
  @usableFromInline
  func add(
    _ id: WorkID, priority: @autoclosure () -> ImagePriority, item: @escaping @Sendable (_ isStarted: Bool) -> Void
  ) {
    guard queue.add(id: id.value, priority: priority(), item: item) else { return }
    Thread.start(named: "halcyon.\(name)", stackSize: 1 << 20) { [queue] in queue.work() }
  }

  @usableFromInline
  func cancel(_ id: WorkID) { queue.remove(id.value) }

  /// Identifies one piece of work.
  @usableFromInline
  package struct WorkID: Sendable {
    fileprivate let value: UInt64
  }

  /// Threads that have not ended.
  package var threadCount: Int { queue.threadCount }

  /// Work that waits for a thread.
  package var waitingCount: Int { queue.count }

  @usableFromInline
  package func newWork() -> WorkID { WorkID(value: queue.newID()) }

  /// Changes the priority of work that waits; has no effect once it has started.
  package func setPriority(_ priority: ImagePriority, of id: WorkID) { queue.setPriority(priority, of: id.value) }
}

/// A flag that only changes from false to true.
@usableFromInline
package final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  @usableFromInline
  package init() {}

  /// Whether ``cancel()`` was called.
  @usableFromInline
  package var isCancelled: Bool { flag.load() }

  /// Makes ``isCancelled`` true.
  @usableFromInline
  package func cancel() { flag.store(true) }
}

/// Cancellation of loops that are called without a flag, in processors and encoders.
extension CancellationFlag {
  @TaskLocal private static var current: (@Sendable () -> Bool)?

  /// Runs `body`, in which ``checkCurrent()`` looks at this flag.
  package func asCurrent<Value>(_ body: () throws -> Value) rethrows -> Value {
    try Self.run(cancelledBy: { self.isCancelled }, body)
  }

  /// Runs `body`, in which ``checkCurrent()`` calls a closure.
  package static func run<Value>(
    cancelledBy isCancelled: @escaping @Sendable () -> Bool, _ body: () throws -> Value
  ) rethrows -> Value {
    try $current.withValue(isCancelled, operation: body)
  }

  /// Whether the work of the calling thread or task has been cancelled.
  package static var isCurrentCancelled: Bool { current?() ?? Task.isCancelled }

  /// Throws `CancellationError` if the work of the calling thread or task has been cancelled.
  package static func checkCurrent() throws {
    if isCurrentCancelled { throw CancellationError() }
  }

  /// Like ``checkCurrent()``, but only at every 16th row, which costs no measurable time.
  package static func checkCurrent(atRow row: Int) throws {
    if row % 16 == 0 { try checkCurrent() }
  }
}

/// A release–acquire pair that orders the writes of a thread before the reads of a task.
///
/// Resuming a continuation orders them as well. But if it is resumed before the task suspends, the thread sanitizer
/// does not see that (Swift 6.3) and reports a false race.
@usableFromInline
final class HappensBefore: Sendable {
  private let isReleased = Atomic(false)

  @usableFromInline
  init() {}

  /// Called by the thread before it resumes the task.
  @usableFromInline
  func release() { isReleased.store(true) }

  /// Called by the task after it was resumed.
  @usableFromInline
  func acquire() { _ = isReleased.load() }
}
