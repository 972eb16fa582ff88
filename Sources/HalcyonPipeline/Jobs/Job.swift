import HalcyonSupport

/// One job of ``InFlightJobs``, and those who wait for it.
final class Job<Value: Sendable>: Sendable {
  typealias Outcome = Result<Value, ImageError>

  /// Somebody who waits.
  final class Waiter: Sendable {
    let id: UInt64
    let interest: LoadSubscription
    let keepsResult: Bool
    /// Not a checked one, which costs an object: who takes the waiter out of the job resumes it.
    let continuation: UnsafeContinuation<Outcome, Never>

    init(
      _ id: UInt64, _ interest: LoadSubscription, keepsResult: Bool, _ continuation: UnsafeContinuation<Outcome, Never>
    ) {
      self.id = id
      self.interest = interest
      self.keepsResult = keepsResult
      self.continuation = continuation
    }
  }

  private struct State {
    var waiters: [Waiter]
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  /// What changes, apart from the job: events are told to those who wait by its interest, which may outlive it.
  private final class Audience: Sendable {
    let state: Lock<State>

    init(_ first: Waiter) {
      state = Lock(State(waiters: [first]))
    }

    func report(_ event: LoadEvent) {
      for waiter in state.withLock({ $0.waiters }) { waiter.interest.report(event) }
    }
  }

  /// How soon somebody wants the result; the work hears of it, and tells its events.
  let interest: LoadSubscription
  private let audience: Audience

  init(for waiter: Waiter) {
    let audience = Audience(waiter)
    self.audience = audience
    interest = LoadSubscription(priority: waiter.interest.priority) { audience.report($0) }
    tell(waiter)
  }

  /// Takes over the work, once it has been started.
  func hold(_ task: Task<Void, Never>) {
    let isCancelled = audience.state.withLock { state in
      state.task = task
      return state.isCancelled
    }
    if isCancelled { task.cancel() }
  }

  func cancel() {
    let task = audience.state.withLock { state in
      state.isCancelled = true
      return state.task
    }
    task?.cancel()
  }

  func add(_ waiter: Waiter) {
    audience.state.withLock { $0.waiters.append(waiter) }
    tell(waiter)
  }

  /// Lets somebody go; tells whether nobody is left. `nil` when the job has no such waiter.
  func remove(_ id: UInt64) -> (Waiter, isLast: Bool)? {
    audience.state.withLock { state in
      guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
      let waiter = state.waiters.remove(at: index)
      return (waiter, state.waiters.isEmpty)
    }
  }

  /// Makes the job as urgent as its most urgent waiter.
  func updatePriority() {
    let highest = audience.state.withLock { state in state.waiters.lazy.map { $0.interest.priority }.max() }
    if let highest { interest.priority = highest }
  }

  /// Gives the outcome to all who wait.
  func finish(_ outcome: Outcome) {
    let waiters = audience.state.withLock { state in
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters {
      waiter.interest.stopObserving(id: waiter.id)
      waiter.continuation.resume(returning: outcome)
    }
  }

  /// What the work has to know of a waiter.
  private func tell(_ waiter: Waiter) {
    if waiter.keepsResult { interest.keepResult() }
    if waiter.interest.wantsPartialData { interest.wantPartialData() }
  }
}
