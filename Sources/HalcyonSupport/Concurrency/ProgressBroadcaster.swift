/// Broadcasts the progress of an operation to any number of streams, and its outcome to any number of waiters.
package final class ProgressBroadcaster<Progress: Sendable, Outcome: Sendable>: Sendable {
  private struct State {
    var progress: Progress
    var outcome: Outcome?
    var streams = ObserverList<AsyncStream<Progress>.Continuation>()
    var waiters: [CheckedContinuation<Outcome, Never>] = []
  }

  private let state: Lock<State>

  package init(_ progress: Progress) {
    state = Lock(State(progress: progress))
  }

  /// Changes the progress; has no effect after ``finish(_:)``.
  package func update(_ change: (inout Progress) -> Void) {
    state.withLock { state in
      guard state.outcome == nil else { return }
      change(&state.progress)
      // Under the lock, so that streams receive changes in order. Yielding only makes the reader's task runnable.
      for stream in state.streams.all { stream.yield(state.progress) }
    }
  }

  /// Sets the outcome and ends all streams. Only the first call has an effect.
  package func finish(_ outcome: Outcome) {
    let (streams, waiters) = state.withLock { state in
      guard state.outcome == nil else { return ([AsyncStream<Progress>.Continuation](), state.waiters) }
      state.outcome = outcome
      defer { state.waiters = [] }
      return (state.streams.removeAll(), state.waiters)
    }
    for stream in streams { stream.finish() }
    for waiter in waiters { waiter.resume(returning: outcome) }
  }

  /// Waits for the outcome, even when the waiting task is cancelled.
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

  /// The current progress and every later change; only the newest if the reader falls behind.
  ///
  /// Ends with ``finish(_:)``.
  package func stream() -> AsyncStream<Progress> {
    let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
    let id: UInt64? = state.withLock { state in
      continuation.yield(state.progress)
      return state.outcome == nil ? state.streams.add(continuation) : nil
    }
    if let id {
      continuation.onTermination = { [weak self] _ in self?.remove(id) }
    } else {
      continuation.finish()
    }
    return stream
  }

  private func remove(_ id: UInt64) {
    let removed = state.withLock { $0.streams.remove(id) }
    withExtendedLifetime(removed) {}
  }
}
