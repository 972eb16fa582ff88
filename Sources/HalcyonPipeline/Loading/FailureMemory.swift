import HalcyonSupport

/// Remembers recent failures for a short time, so that a scrolled list does not request a missing image again and again.
final class FailureMemory: Sendable {
  private struct Failure {
    let error: ImageError
    let deadline: Duration
  }

  /// The maximum number of failures remembered.
  private static let countLimit = 1000

  private let lifetimes: FailureLifetimes
  private let time: any TimeSource
  private let failures = Lock<[CacheKey: Failure]>([:])

  init(lifetimes: FailureLifetimes, time: any TimeSource) {
    self.lifetimes = lifetimes
    self.time = time
  }

  /// The error remembered for a key.
  func error(for key: CacheKey) -> ImageError? {
    failures.withLock { failures in
      guard !failures.isEmpty, let failure = failures[key] else { return nil }
      if time.uptime() < failure.deadline { return failure.error }
      failures[key] = nil
      return nil
    }
  }

  func remember(_ error: ImageError, for key: CacheKey) {
    let lifetime = lifetimes.lifetime(of: error)
    guard lifetime > .zero else { return }
    let now = time.uptime()
    failures.withLock { failures in
      if failures.count >= Self.countLimit { failures = failures.filter { $0.value.deadline > now } }
      if failures.count >= Self.countLimit { failures = [:] }
      failures[key] = Failure(error: error, deadline: now + lifetime.clamped)
    }
  }

  func forget(_ key: CacheKey) {
    failures.withLock { failures in
      if !failures.isEmpty { failures[key] = nil }
    }
  }
}
