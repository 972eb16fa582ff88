import Foundation
import Synchronization

/// The queue of work that the threads of a ``WorkerPool`` share.
///
/// Unchecked: `state` is accessed only while `condition` is locked. Threads sleep on a condition variable, which
/// `Mutex` does not have.
final class WorkQueue: @unchecked Sendable {
  /// Called once: with true to start the work, with false if it was removed before it started.
  typealias Item = @Sendable (_ isStarted: Bool) -> Void

  /// How often a spinning thread checks for work before it sleeps: for about a tenth of a millisecond.
  private static let spinCount = 200

  private struct State {
    var waiting: [[(id: UInt64, item: Item)]] = Array(repeating: [], count: ImagePriority.allCases.count)
    var isClosed = false
  }

  private let condition = NSCondition()
  private var state = State()
  private let nextID = Atomic<UInt64>(0)
  private let waitingCount = Atomic<Int>(0)
  private let spins: Bool

  /// - Parameter spins: Whether a thread without work checks for more before it sleeps. This pays where a caller awaits
  ///   each item before it adds the next: waking a thread takes as long as a small item. The thread yields the
  ///   processor between checks.
  init(spins: Bool = false) {
    self.spins = spins
  }

  func newID() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).newValue }

  func add(id: UInt64, priority: ImagePriority, item: @escaping Item) {
    condition.withLock {
      state.waiting[priority.rawValue].append((id, item))
      waitingCount.add(1, ordering: .relaxed)
    }
    // After unlocking: otherwise the woken thread would have to wait for the lock.
    condition.signal()
  }

  /// Removes a waiting item and calls it with false; has no effect if it has started or was not added yet.
  func remove(_ id: UInt64) {
    let removed: Item? = condition.withLock {
      for level in state.waiting.indices {
        if let index = state.waiting[level].firstIndex(where: { $0.id == id }) {
          waitingCount.subtract(1, ordering: .relaxed)
          return state.waiting[level].remove(at: index).item
        }
      }
      return nil
    }
    removed?(false)
  }

  /// Lets the threads end once all waiting work is done.
  func close() {
    condition.withLock {
      state.isClosed = true
      condition.broadcast()
    }
  }

  /// Runs items until the queue is closed and empty.
  func work() {
    while let item = next() { item(true) }
  }

  private func next() -> Item? {
    if spins { spinBriefly() }
    return condition.withLock {
      while true {
        if let level = state.waiting.lastIndex(where: { !$0.isEmpty }) {
          waitingCount.subtract(1, ordering: .relaxed)
          return state.waiting[level].removeFirst().item
        }
        if state.isClosed { return nil }
        condition.wait()
      }
    }
  }

  private func spinBriefly() {
    var checks = 0
    while checks < Self.spinCount, waitingCount.load(ordering: .relaxed) == 0 {
      sched_yield()
      checks += 1
    }
  }
}
