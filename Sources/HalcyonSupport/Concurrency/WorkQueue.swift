import Foundation
import Synchronization

/// What the threads of a pool wait on.
///
/// Unchecked: `state` is touched only while `condition` is locked. A condition variable is needed to let threads sleep,
/// and `Mutex` has none.
final class WorkQueue: @unchecked Sendable {
  /// Called once: with true to work, with false when the work was taken back before it started.
  typealias Item = @Sendable (_ isStarted: Bool) -> Void

  /// How often a thread that lingers looks for work before it sleeps: for about a tenth of a millisecond.
  private static let glanceCount = 200

  private struct State {
    var waiting: [[(id: UInt64, item: Item)]] = Array(repeating: [], count: ImagePriority.allCases.count)
    var isClosed = false
  }

  private let condition = NSCondition()
  private var state = State()
  private let nextID = Atomic<UInt64>(0)
  private let waitingCount = Atomic<Int>(0)
  private let lingers: Bool

  /// - Parameter lingers: Whether a thread that ran out of work looks for more for a moment before it sleeps, as is worth
  ///   it where a caller waits for each piece before the next: waking a thread takes as long as a small piece of work.
  ///   Meanwhile it gives way to whoever wants the processor.
  init(lingers: Bool = false) {
    self.lingers = lingers
  }

  func newID() -> UInt64 { nextID.wrappingAdd(1, ordering: .relaxed).newValue }

  func add(id: UInt64, priority: ImagePriority, item: @escaping Item) {
    condition.withLock {
      state.waiting[priority.rawValue].append((id, item))
      waitingCount.add(1, ordering: .relaxed)
    }
    // Not while it is locked: the thread that wakes would have to sleep again at once.
    condition.signal()
  }

  /// Takes waiting work back; does nothing when it has started, ended, or is not there yet.
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

  /// Works until the queue is closed and empty.
  func work() {
    while let item = next() { item(true) }
  }

  private func next() -> Item? {
    if lingers { linger() }
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

  private func linger() {
    var glances = 0
    while glances < Self.glanceCount, waitingCount.load(ordering: .relaxed) == 0 {
      sched_yield()
      glances += 1
    }
  }
}
