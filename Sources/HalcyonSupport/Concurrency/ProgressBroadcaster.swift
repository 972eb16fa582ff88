/// Tells everyone who listens how far some work has come, and how it ended.
package final class ProgressBroadcaster<Progress: Sendable, Outcome: Sendable>: Sendable {
  private struct State {
    var progress: Progress
    var outcome: Outcome?
    var listeners: [UInt64: AsyncStream<Progress>.Continuation] = [:]
    var waiters: [CheckedContinuation<Outcome, Never>] = []
    var lastID: UInt64 = 0
  }

  private let state: Lock<State>

  package init(_ progress: Progress) {
    state = Lock(State(progress: progress))
  }

  /// Changes the progress; does nothing after the end.
  package func update(_ change: (inout Progress) -> Void) {
    state.withLock { state in
      guard state.outcome == nil else { return }
      change(&state.progress)
      // Under the lock, so that nobody sees progress go back. It only makes the listener's task ready to run.
      for listener in state.listeners.values { listener.yield(state.progress) }
    }
  }

  /// Ends the work; the first call counts.
  package func finish(_ outcome: Outcome) {
    let (listeners, waiters) = state.withLock { state in
      guard state.outcome == nil else { return (Array(state.listeners.values), state.waiters) }
      state.outcome = outcome
      defer { (state.listeners, state.waiters) = ([:], []) }
      return (Array(state.listeners.values), state.waiters)
    }
    for listener in listeners { listener.finish() }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  /// The outcome, waited for; also when the waiting task is cancelled.
  package var outcome: Outcome {
    get async {
      await withCheckedContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiters.append(continuation) }
          return state.outcome
        }
        if let outcome { continuation.resume(returning: outcome) }
      }
    }
  }

  /// The progress as it is, and every change to come; who falls behind gets the newest. Ends with the work.
  package func stream() -> AsyncStream<Progress> {
    let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
    let (id, hasEnded) = state.withLock { state in
      state.lastID += 1
      continuation.yield(state.progress)
      if state.outcome == nil { state.listeners[state.lastID] = continuation }
      return (state.lastID, state.outcome != nil)
    }
    if hasEnded {
      continuation.finish()
    } else {
      continuation.onTermination = { [weak self] _ in self?.remove(id) }
    }
    return stream
  }

  private func remove(_ id: UInt64) {
    let removed = state.withLock { $0.listeners.removeValue(forKey: id) }
    withExtendedLifetime(removed) {}
  }
}
