import HalcyonSupport

/// State behind a lock that tasks and threads can wait on, without polling.
///
/// Every closure runs under the lock: it must be short, must not block and must not use the monitor.
public final class Monitor<State: Sendable>: Sendable {
  /// Returns whether the waiter may continue; it may change the state only when it returns `true`.
  public typealias Claim = @Sendable (inout State) -> Bool

  private struct Waiter: Sendable {
    let id: Int
    let claim: Claim
    let resume: @Sendable (Bool) -> Void
  }

  private struct Contents: Sendable {
    var state: State
    var waiters: [Waiter] = []
    var lastID = 0
  }

  private let contents: Lock<Contents>

  public init(_ state: State) {
    contents = Lock(Contents(state: state))
  }

  /// Reads and changes the state, then wakes the waiters whose claim now holds, the longest waiting first.
  @discardableResult
  public func update<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    let (result, woken) = contents.withLock { contents in
      let result = body(&contents.state)
      return (result, Self.takeSatisfied(from: &contents))
    }
    for waiter in woken { waiter.resume(true) }
    return result
  }

  /// Reads the state, without waking waiters.
  public func read<Result: Sendable>(_ body: (State) -> Result) -> Result {
    contents.withLock { body($0.state) }
  }

  /// Suspends until `claim` holds.
  ///
  /// - Throws: `CancellationError` when the task is cancelled first; the claim has then not changed the state.
  public func wait(until claim: @escaping Claim) async throws(CancellationError) {
    let id = reserveID()
    let isClaimed = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        enlist(id, claim) { continuation.resume(returning: $0) }
        // The handler may have run before the waiter was enlisted.
        if Task.isCancelled { withdraw(id) }
      }
    } onCancel: {
      withdraw(id)
    }
    guard isClaimed else { throw CancellationError() }
  }

  /// Suspends until `claim` holds, even when the task is cancelled: only for claims that are certain to hold.
  public func waitIgnoringCancellation(until claim: @escaping Claim) async {
    await withCheckedContinuation { continuation in
      enlist(reserveID(), claim) { _ in continuation.resume() }
    }
  }

  /// Blocks the calling thread until `claim` holds; do not call from a task.
  public func waitBlocking(until claim: @escaping Claim) {
    let latch = Latch()
    enlist(reserveID(), claim) { _ in latch.open() }
    latch.wait()
  }

  /// Calls `onClaim` once, from any thread, when `claim` holds; at once if it holds now.
  ///
  /// - Returns: The identifier of the waiter, for `withdraw(_:)`.
  func notify(when claim: @escaping Claim, _ onClaim: @escaping @Sendable () -> Void) -> Int {
    let id = reserveID()
    enlist(id, claim) { if $0 { onClaim() } }
    return id
  }

  /// Ends a wait; `false` when its claim has already held.
  @discardableResult
  func withdraw(_ id: Int) -> Bool {
    let withdrawn = contents.withLock { contents in
      contents.waiters.firstIndex { $0.id == id }.map { contents.waiters.remove(at: $0) }
    }
    withdrawn?.resume(false)
    return withdrawn != nil
  }

  private func reserveID() -> Int {
    contents.withLock {
      $0.lastID += 1
      return $0.lastID
    }
  }

  private func enlist(_ id: Int, _ claim: @escaping Claim, resume: @escaping @Sendable (Bool) -> Void) {
    let isClaimed = contents.withLock { contents in
      if claim(&contents.state) { return true }
      contents.waiters.append(Waiter(id: id, claim: claim, resume: resume))
      return false
    }
    if isClaimed { resume(true) }
  }

  private static func takeSatisfied(from contents: inout Contents) -> [Waiter] {
    var satisfied: [Waiter] = []
    var waiting: [Waiter] = []
    for waiter in contents.waiters {
      if waiter.claim(&contents.state) { satisfied.append(waiter) } else { waiting.append(waiter) }
    }
    contents.waiters = waiting
    return satisfied
  }
}
