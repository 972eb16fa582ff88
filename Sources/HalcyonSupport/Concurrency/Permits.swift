import Foundation

/// Permits for something limited, such as memory or concurrent work: acquired before its use, and released after it.
///
/// They are granted in the order in which they are asked for. More permits than the limit are granted together when no
/// others are in use. Safe from any thread.
@_spi(Programs) public final class Permits: Sendable {
  private struct Waiter {
    let id: UInt64
    let count: Int
    /// Called once: with whether the permits are granted.
    let end: @Sendable (Bool) -> Void
  }

  private struct State {
    var usedCount = 0
    var waiters: [Waiter] = []
    var lastID: UInt64 = 0
  }

  /// The most permits that are granted together.
  public let limit: Int
  private let state = Lock(State())

  /// Creates permits of which none is in use; a limit below 0 counts as 0.
  public init(limit: Int) { self.limit = max(0, limit) }

  /// The permits in use.
  public var usedCount: Int { state.withLock { $0.usedCount } }

  /// Those who wait for permits.
  public var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Waits until permits are granted.
  public func acquire(_ count: Int = 1) async throws(CancellationError) {
    let id = newID()
    let isGranted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if acquire(count, id, orWait: { continuation.resume(returning: $0) }) {
          continuation.resume(returning: true)
        } else if Task.isCancelled {
          cancel(id)
        }
      }
    } onCancel: {
      cancel(id)
    }
    if !isGranted { throw CancellationError() }
  }

  /// Blocks the thread until permits are granted.
  public func acquireBlocking(_ count: Int = 1) {
    let ended = DispatchSemaphore(value: 0)
    if !acquire(count, newID(), orWait: { _ in ended.signal() }) { ended.wait() }
  }

  /// Blocks the thread until permits are granted, or until it is cancelled.
  ///
  /// - Parameter isCancelled: Asked before, and a hundred times a second while it waits.
  /// - Returns: Whether the permits are granted.
  public func acquireBlocking(_ count: Int = 1, isCancelled: () -> Bool) -> Bool {
    if isCancelled() { return false }
    let (id, ended) = (newID(), DispatchSemaphore(value: 0))
    let isGranted = Atomic(true)
    let isFree = acquire(count, id) { granted in
      isGranted.store(granted)
      ended.signal()
    }
    if isFree { return true }
    while ended.wait(timeout: .now() + .milliseconds(10)) == .timedOut { if isCancelled() { cancel(id) } }
    return isGranted.load()
  }

  /// Takes permits at once, also above the limit.
  public func take(_ count: Int) { change { $0.usedCount += count } }

  /// Returns permits.
  public func release(_ count: Int = 1) { change { $0.usedCount -= count } }

  private func newID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  /// Whether permits are granted at once; otherwise `end` is called later.
  private func acquire(_ count: Int, _ id: UInt64, orWait end: @escaping @Sendable (Bool) -> Void) -> Bool {
    state.withLock { state in
      let isFree = state.waiters.isEmpty && fits(count, state)
      if isFree {
        state.usedCount += count
      } else {
        state.waiters.append(Waiter(id: id, count: count, end: end))
      }
      return isFree
    }
  }

  private func cancel(_ id: UInt64) {
    var cancelled: Waiter?
    change { state in
      if let index = state.waiters.firstIndex(where: { $0.id == id }) { cancelled = state.waiters.remove(at: index) }
    }
    cancelled?.end(false)
  }

  /// Changes the state, and grants what fits then.
  private func change(_ change: (inout State) -> Void) {
    let granted = state.withLock { state in
      change(&state)
      var granted: [Waiter] = []
      while let waiter = state.waiters.first, fits(waiter.count, state) {
        state.usedCount += waiter.count
        granted.append(state.waiters.removeFirst())
      }
      return granted
    }
    for waiter in granted { waiter.end(true) }
  }

  private func fits(_ count: Int, _ state: State) -> Bool {
    state.usedCount == 0 || count <= limit - state.usedCount
  }
}
