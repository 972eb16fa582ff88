/// Holds tasks, threads and replies until a test lets them continue.
///
/// `open()` lets all waiters pass from then on; `release(_:)` lets a number of them pass, the longest waiting first.
public final class Gate: Sendable {
  private struct State: Sendable {
    var isOpen = false
    var passCount = 0
    var heldCount = 0

    mutating func pass() -> Bool {
      guard isOpen || passCount > 0 else { return false }
      if !isOpen { passCount -= 1 }
      heldCount -= 1
      return true
    }
  }

  private let state = Monitor(State())

  public init() {}

  /// The number of current waiters; a waiter that may pass no longer counts, even before it runs.
  public var heldCount: Int { state.read { $0.heldCount } }

  /// Lets all current and future waiters pass.
  public func open() {
    state.update { $0.isOpen = true }
  }

  /// Lets `count` waiters pass; unused passes are kept for future waiters.
  public func release(_ count: Int = 1) {
    precondition(count > 0, "count must be over 0, got \(count)")
    state.update { $0.passCount += count }
  }

  /// Suspends until the gate lets this task pass.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first; it uses no pass then.
  public func wait() async throws(CancellationError) {
    state.update { $0.heldCount += 1 }
    do {
      try await state.wait { $0.pass() }
    } catch {
      state.update { $0.heldCount -= 1 }
      throw error
    }
  }

  /// Blocks the calling thread until the gate lets it pass; do not call from a task.
  public func waitBlocking() {
    state.update { $0.heldCount += 1 }
    state.waitBlocking { $0.pass() }
  }

  /// Suspends until at least `count` waiters are held.
  ///
  /// After `release()` this can show that the released waiter has done its work and waits again.
  public func waitUntilHolding(_ count: Int = 1) async throws(CancellationError) {
    try await state.wait { $0.heldCount >= count }
  }

  /// Calls `onPass` once when the gate lets this waiter pass, unless `leave(_:)` is called first.
  ///
  /// - Returns: The identifier of the waiter.
  func arrive(onPass: @escaping @Sendable () -> Void) -> Int {
    state.update { $0.heldCount += 1 }
    return state.notify(when: { $0.pass() }, onPass)
  }

  /// Removes a waiter; no effect when it has passed.
  func leave(_ waiter: Int) {
    guard state.withdraw(waiter) else { return }
    state.update { $0.heldCount -= 1 }
  }
}
