import HalcyonSupport

/// The time of a load that counts towards its timeout: all of it, except waiting for a connection.
final class CountedTime: Sendable {
  private struct State {
    /// The time counted up to `changed`.
    var counted = Duration.zero
    /// The uptime of the last change.
    var changed: Duration
    var queue: QueueState?

    var isWaiting: Bool { queue?.isWaiting == true }

    func counted(at uptime: Duration) -> Duration { isWaiting ? counted : counted + uptime - changed }
  }

  private let time: any TimeSource
  private let state: Lock<State>

  /// Begins to count.
  init(_ time: any TimeSource) {
    self.time = time
    state = Lock(State(changed: time.uptime()))
  }

  func receive(_ queue: QueueState) {
    let now = time.uptime()
    state.withLock { state in
      guard queue.isLater(than: state.queue) else { return }
      state.counted = state.counted(at: now)
      (state.changed, state.queue) = (now, queue)
    }
  }

  /// Waits until the counted time has reached a limit.
  func waitUntil(_ limit: Duration) async throws {
    var rest = limit
    while rest > .zero {
      try await time.sleep(for: rest)
      rest = remaining(of: limit)
    }
  }

  private func remaining(of limit: Duration) -> Duration {
    let now = time.uptime()
    return state.withLock { state in
      let rest = limit - state.counted(at: now)
      // While nothing is counted, waits are at least a hundredth of the limit: a short rest would be polled.
      return state.isWaiting ? max(rest, limit / 100) : rest
    }
  }
}
