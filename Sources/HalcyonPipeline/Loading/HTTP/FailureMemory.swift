import HalcyonCache
import HalcyonSupport

/// Remembers recent failures for a short time, so that a scrolled list does not request a missing image again and again.
final class FailureMemory: Sendable {
  private struct Failure {
    let error: ImageError
    let deadline: Duration
  }

  private struct State {
    var lifetimes: FailureLifetimes
    var failures: [CacheKey: Failure] = [:]
  }

  /// The maximum number of failures remembered.
  private static let countLimit = 1000

  private let time: any TimeSource
  private let state: Lock<State>

  init(lifetimes: FailureLifetimes, time: any TimeSource) {
    self.time = time
    state = Lock(State(lifetimes: lifetimes))
  }

  /// How long failures are remembered; setting forgets those remembered so far.
  var lifetimes: FailureLifetimes {
    get { state.withLock(\.lifetimes) }
    set { state.withLock { $0 = State(lifetimes: newValue) } }
  }

  /// The error remembered for a key.
  func error(for key: CacheKey) -> ImageError? {
    state.withLock { state in
      guard !state.failures.isEmpty, let failure = state.failures[key] else { return nil }
      if time.uptime() < failure.deadline { return failure.error }
      state.failures[key] = nil
      return nil
    }
  }

  /// - Parameter limit: How long the redirects that led to the failure are fresh.
  func remember(_ error: ImageError, for key: CacheKey, atMost limit: Duration) {
    let now = time.uptime()
    state.withLock { state in
      let lifetime = min(state.lifetimes.lifetime(of: error), limit)
      guard lifetime > .zero else { return }
      if state.failures.count >= Self.countLimit { state.failures = state.failures.filter { $0.value.deadline > now } }
      if state.failures.count >= Self.countLimit { state.failures = [:] }
      state.failures[key] = Failure(error: error, deadline: now + lifetime.clamped)
    }
  }

  func forget(_ key: CacheKey) {
    state.withLock { state in
      if !state.failures.isEmpty { state.failures[key] = nil }
    }
  }
}

extension PipelineConfiguration {
  /// How long redirects are fresh from now on.
  func lifetime(of redirects: [EntryMetadata.Redirect]) -> Duration {
    .seconds(min(httpCaching.remainingLifetime(of: redirects, at: time.now()), 1e9))
  }
}
