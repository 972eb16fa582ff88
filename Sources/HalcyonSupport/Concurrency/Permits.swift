import Foundation

/// Permits for something limited, such as memory or concurrent work: acquired before its use, and released after it.
///
/// They are granted in the order in which they are asked for. More permits than the limit are granted together when no
/// others are in use. Safe from any thread.
@_spi(Programs) public final class Permits: Sendable {
  /// Why permits were not granted.
  public enum Refusal: Error {
    /// The task was cancelled while it waited.
    case cancelled
    /// Too many others wait.
    case queueFull
  }

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

  private enum Answer {
    case granted, waiting, queueFull
  }

  /// The most permits that are granted together.
  public let limit: Int
  private let state = Lock(State())

  /// Creates permits of which none is in use.
  public init(limit: Int) { self.limit = limit }

  /// The permits in use.
  public var usedCount: Int { state.withLock { $0.usedCount } }

  /// Those who wait for permits.
  public var waitingCount: Int { state.withLock { $0.waiters.count } }

  /// Waits until permits are granted.
  ///
  /// - Parameter queueLimit: The most others that may wait.
  public func acquire(_ count: Int = 1, queueLimit: Int = .max) async throws(Refusal) {
    let id = newID()
    var isFull = false
    let isGranted = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        switch acquire(count, id, queueLimit, orWait: { continuation.resume(returning: $0) }) {
        case .granted: continuation.resume(returning: true)
        case .waiting: if Task.isCancelled { cancel(id) }
        case .queueFull:
          isFull = true
          continuation.resume(returning: false)
        }
      }
    } onCancel: {
      cancel(id)
    }
    if !isGranted { throw isFull ? .queueFull : .cancelled }
  }

  /// Blocks the thread until permits are granted.
  public func acquireBlocking(_ count: Int = 1) {
    let granted = DispatchSemaphore(value: 0)
    if acquire(count, newID(), .max, orWait: { _ in granted.signal() }) == .waiting { granted.wait() }
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

  private func acquire(
    _ count: Int, _ id: UInt64, _ queueLimit: Int, orWait end: @escaping @Sendable (Bool) -> Void
  ) -> Answer {
    state.withLock { state in
      if state.waiters.isEmpty, fits(count, state) {
        state.usedCount += count
        return .granted
      }
      guard state.waiters.count < queueLimit else { return .queueFull }
      state.waiters.append(Waiter(id: id, count: count, end: end))
      return .waiting
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
