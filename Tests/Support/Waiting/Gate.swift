/// Holds tasks, threads and replies until a test lets them go on.
///
/// `open()` lets everyone pass from then on; `release(_:)` lets a number pass, the longest waiting first.
package final class Gate: Sendable {
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

  package init() {}

  /// How many wait here now; one that was let through no longer counts, even before it runs.
  package var heldCount: Int { state.read { $0.heldCount } }

  /// Lets everyone pass, now and later.
  package func open() {
    state.update { $0.isOpen = true }
  }

  /// Lets `count` pass; those that have not arrived yet find their pass waiting.
  package func release(_ count: Int = 1) {
    precondition(count > 0, "count must be over 0, got \(count)")
    state.update { $0.passCount += count }
  }

  /// Suspends until the gate lets this task pass.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first; it takes no pass then.
  package func wait() async throws(CancellationError) {
    state.update { $0.heldCount += 1 }
    do {
      try await state.wait { $0.pass() }
    } catch {
      state.update { $0.heldCount -= 1 }
      throw error
    }
  }

  /// Blocks the calling thread until the gate lets it pass; never from a task.
  package func waitBlocking() {
    state.update { $0.heldCount += 1 }
    state.waitBlocking { $0.pass() }
  }

  /// Suspends until at least `count` wait here.
  ///
  /// After `release()` this tells that the released one has done its part and is back.
  package func waitUntilHolding(_ count: Int = 1) async throws(CancellationError) {
    try await state.wait { $0.heldCount >= count }
  }

  /// Calls `onPass` once when the gate lets this visitor pass, unless it leaves first.
  func arrive(onPass: @escaping @Sendable () -> Void) -> Int {
    state.update { $0.heldCount += 1 }
    return state.notify(when: { $0.pass() }, onPass)
  }

  /// Ends a visit; nothing happens when the visitor has passed.
  func leave(_ visitor: Int) {
    guard state.withdraw(visitor) else { return }
    state.update { $0.heldCount -= 1 }
  }
}
