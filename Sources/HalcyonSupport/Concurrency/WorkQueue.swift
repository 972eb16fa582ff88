import Foundation

/// The queue of work that the threads of a ``WorkerPool`` share.
///
/// Unchecked: `state` is accessed only while `condition` is locked. Threads sleep on a condition variable, which
/// ``Lock`` does not have.
final class WorkQueue: @unchecked Sendable {
  /// Called once: with true to start the work, with false if it was removed before it started.
  typealias Item = @Sendable (_ isStarted: Bool) -> Void

  /// How often a spinning thread checks for work before it sleeps: for about a tenth of a millisecond.
  private static let spinCount = 200

  private struct State {
    var waiting: WaitingItems
    var isClosed = false
    /// Threads that work, or are about to begin.
    var threadCount = 0
    /// The threads that sleep.
    var sleepingCount = 0
    /// The threads that check for work before they sleep. Each checks once more with the lock held.
    var spinningCount = 0
  }

  private let condition = NSCondition()
  private var state: State
  private let nextID = Atomic<UInt64>(0)
  private let waitingCount = Atomic<Int>(0)
  private let spins: Bool
  private let threadLimit: Int
  private let idleSeconds: Double

  /// - Parameters:
  ///   - threadLimit: The most threads that ``add(id:priority:item:)`` asks for. Default: none, the caller runs
  ///     ``work()``.
  ///   - idleSeconds: How long a thread without work sleeps before it ends, in seconds; with 0 it ends at once.
  ///   - spins: Whether a thread without work checks for more before it sleeps. This pays where a caller awaits
  ///     each item before it adds the next: waking a thread takes as long as a small item. The thread yields the
  ///     processor between checks.
  ///   - newestFirst: Whether the newest of the items of equal priority starts first.
  init(threadLimit: Int = 0, idleSeconds: Double = 0, spins: Bool = false, newestFirst: Bool = false) {
    state = State(waiting: WaitingItems(newestFirst: newestFirst))
    self.threadLimit = threadLimit
    self.idleSeconds = idleSeconds
    self.spins = spins
  }

  func newID() -> UInt64 { nextID.add(1) }

  /// Adds an item; calls it with false if the queue is closed.
  ///
  /// - Parameter priority: Read with the lock held, so that no change before or after it is missed.
  /// - Returns: Whether the caller must start another thread that runs ``work()``.
  @discardableResult
  func add(id: UInt64, priority: @autoclosure () -> ImagePriority, item: @escaping Item) -> Bool {
    let added: (wakes: Bool, needsThread: Bool)? = condition.withLock {
      guard !state.isClosed else { return nil }
      state.waiting.append(item, id: id, priority: priority())
      let count = waitingCount.add(1)
      let wakes = count > state.spinningCount && state.sleepingCount > 0
      // A sleeping thread that has been woken, but has not taken its item yet, counts as sleeping, and its item as
      // waiting.
      guard count > state.spinningCount + state.sleepingCount, state.threadCount < threadLimit else {
        return (wakes, false)
      }
      state.threadCount += 1
      return (wakes, true)
    }
    guard let added else {
      item(false)
      return false
    }
    // After unlocking: otherwise the woken thread would have to wait for the lock.
    if added.wakes { condition.signal() }
    return added.needsThread
  }

  /// Changes the priority of a waiting item; has no effect if it has started or was not added yet.
  func setPriority(_ priority: ImagePriority, of id: UInt64) {
    condition.withLock { state.waiting.setPriority(priority, of: id) }
  }

  /// Removes a waiting item and calls it with false; has no effect if it has started or was not added yet.
  func remove(_ id: UInt64) {
    let removed = condition.withLock {
      let removed = state.waiting.remove(id)
      if removed != nil { waitingCount.add(-1) }
      return removed
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

  /// Runs items until there have been none for the idle time, or the queue is closed and empty.
  func work() {
    while let item = next() { item(true) }
  }

  /// Threads that have not ended.
  var threadCount: Int { condition.withLock { state.threadCount } }

  /// Items that wait.
  var count: Int { waitingCount.load() }

  /// Slots in use for the order of items: at most twice the number of waiting items, and 64.
  var slotCount: Int { condition.withLock { state.waiting.slotCount } }

  private func next() -> Item? {
    if spins {
      condition.withLock { state.spinningCount += 1 }
      spinBriefly()
    }
    return condition.withLock {
      if spins { state.spinningCount -= 1 }
      var mayWait = idleSeconds > 0
      while true {
        if let item = state.waiting.removeFirst() {
          waitingCount.add(-1)
          return item
        }
        guard mayWait, !state.isClosed else {
          // With the lock held, so that an item added later counts one thread less and starts another.
          state.threadCount -= 1
          return nil
        }
        mayWait = sleep()
      }
    }
  }

  /// Waits for an item, with the lock held.
  ///
  /// - Returns: `false` after the idle time.
  private func sleep() -> Bool {
    state.sleepingCount += 1
    defer { state.sleepingCount -= 1 }
    return condition.wait(until: Date(timeIntervalSinceNow: idleSeconds))
  }

  private func spinBriefly() {
    var checks = 0
    while checks < Self.spinCount, waitingCount.load() == 0 {
      sched_yield()
      checks += 1
    }
  }
}

/// Items by priority; items of equal priority in order of arrival, or newest first. All operations are O(1) amortised.
///
/// An item that is removed or changes its priority leaves a stale identifier in its lane, which is skipped later.
private struct WaitingItems {
  private struct Entry {
    let item: WorkQueue.Item
    var level: Int
  }

  /// Identifiers of one priority in order of arrival; those before `head` have been taken.
  private struct Lane {
    var ids: [UInt64] = []
    var head = 0

    mutating func removeOldest() -> UInt64? {
      guard head < ids.count else { return nil }
      defer { head += 1 }
      return ids[head]
    }

    mutating func removeNewest() -> UInt64? { ids.popLast() }
  }

  private static let spareSlotCount = 64

  private let newestFirst: Bool
  private var items: [UInt64: Entry] = [:]
  private var lanes = Array(repeating: Lane(), count: ImagePriority.allCases.count)
  /// Identifiers in all lanes, with stale and taken ones.
  private(set) var slotCount = 0

  init(newestFirst: Bool) { self.newestFirst = newestFirst }

  mutating func append(_ item: @escaping WorkQueue.Item, id: UInt64, priority: ImagePriority) {
    items[id] = Entry(item: item, level: priority.rawValue)
    lanes[priority.rawValue].ids.append(id)
    slotCount += 1
  }

  /// The item goes behind those that have this priority already, and counts as the newest.
  mutating func setPriority(_ priority: ImagePriority, of id: UInt64) {
    guard let level = items[id]?.level, level != priority.rawValue else { return }
    items[id]?.level = priority.rawValue
    lanes[priority.rawValue].ids.append(id)
    slotCount += 1
    compactIfSparse()
  }

  mutating func remove(_ id: UInt64) -> WorkQueue.Item? {
    defer { compactIfSparse() }
    return items.removeValue(forKey: id)?.item
  }

  /// Removes the oldest or the newest item of the highest priority.
  mutating func removeFirst() -> WorkQueue.Item? {
    guard !items.isEmpty else { return nil }
    defer { compactIfSparse() }
    for level in lanes.indices.reversed() {
      while let id = newestFirst ? lanes[level].removeNewest() : lanes[level].removeOldest() {
        if newestFirst { slotCount -= 1 }
        if items[id]?.level == level { return items.removeValue(forKey: id)?.item }
      }
    }
    return nil
  }

  /// Drops the slots without an item once there are more of them than items and spare slots together.
  ///
  /// At least every second slot visited is dropped, so removals stay O(1) amortised.
  private mutating func compactIfSparse() {
    guard slotCount > 2 * items.count + Self.spareSlotCount else { return }
    for level in lanes.indices {
      // An item that has left a lane and come back is in it twice; it starts at the place that is reached first.
      lanes[level].ids = lanes[level].ids[lanes[level].head...].filter { items[$0]?.level == level }
      lanes[level].head = 0
    }
    slotCount = lanes.reduce(0) { $0 + $1.ids.count }
  }
}
