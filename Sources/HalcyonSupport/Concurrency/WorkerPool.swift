import Foundation
import Synchronization

/// Threads of our own for work that blocks or computes for long, so that Swift's cooperative threads never do.
///
/// At most ``width`` pieces of work run at once. Waiting work starts in the order of its priority, then of its arrival;
/// work that is cancelled while it waits never starts. The threads end with the pool.
package final class WorkerPool: Sendable {
  private let queue: WorkQueue

  /// Starts the threads.
  ///
  /// - Parameters:
  ///   - width: How many, at least 1.
  ///   - lingers: Whether they look for more work for a moment before they sleep.
  package init(name: String, width: Int, lingers: Bool = false) {
    precondition(width > 0, "a pool needs at least one thread, got \(width)")
    let queue = WorkQueue(lingers: lingers)
    self.queue = queue
    for _ in 1...width { Thread.start(named: "halcyon.\(name)", stackSize: 1 << 20) { queue.work() } }
  }

  deinit { queue.close() }

  /// Runs `work` on a thread of the pool and returns its result.
  ///
  /// - Parameter work: Gets a flag that turns true when the calling task is cancelled.
  /// - Throws: What `work` throws; `CancellationError` when the task was cancelled before the work started.
  package func run<Value: Sendable>(
    priority: ImagePriority = .normal, _ work: @escaping @Sendable (CancellationFlag) throws -> Value
  ) async throws -> Value {
    let flag = CancellationFlag()
    let handover = HappensBefore()
    defer { handover.take() }
    let id = queue.newID()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.add(id: id, priority: priority) { isStarted in
          guard isStarted, !flag.isCancelled else { return continuation.resume(throwing: CancellationError()) }
          let result = Result { try work(flag) }
          handover.give()
          continuation.resume(with: result)
        }
        if Task.isCancelled { queue.remove(id) }
      }
    } onCancel: {
      flag.cancel()
      queue.remove(id)
    }
  }

  /// Runs `work` after everything that was handed in before it with the same priority; nobody waits.
  package func enqueue(priority: ImagePriority = .normal, _ work: @escaping @Sendable () -> Void) {
    queue.add(id: queue.newID(), priority: priority) { isStarted in
      if isStarted { work() }
    }
  }
}

/// A claim that only ever turns from false to true.
package final class CancellationFlag: Sendable {
  private let flag = Atomic(false)

  package init() {}

  /// Whether ``cancel()`` was called.
  package var isCancelled: Bool { flag.load(ordering: .relaxed) }

  /// Makes ``isCancelled`` true.
  package func cancel() { flag.store(true, ordering: .relaxed) }
}
