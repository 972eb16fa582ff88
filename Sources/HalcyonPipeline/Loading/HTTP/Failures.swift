import HalcyonCache
import HalcyonHTTP
@_spi(Programs) import HalcyonSupport

/// Caches failures for a short time, so that a scrolled list does not request a missing image again and again.
final class FailureMemory: Sendable {
  private struct Failure {
    let error: ImageError
    let deadline: Duration
  }

  private let time: any TimeSource
  private let knownLifetimes: Lock<FailureLifetimes>
  private let failures = RecentTable<CacheKey, Failure>(costLimit: 1000)

  init(lifetimes: FailureLifetimes, time: any TimeSource) {
    self.time = time
    knownLifetimes = Lock(lifetimes)
  }

  /// How long failures are remembered; setting forgets those remembered so far.
  var lifetimes: FailureLifetimes {
    get { knownLifetimes.withLock(\.self) }
    set {
      knownLifetimes.withLock { $0 = newValue }
      failures.removeAll()
    }
  }

  /// The error remembered for a key, which is made only if anything is remembered.
  func error(for key: @autoclosure () -> CacheKey) -> ImageError? {
    failures.isEmpty ? nil : failures[key()].flatMap { time.uptime() < $0.deadline ? $0.error : nil }
  }

  /// - Parameters:
  ///   - stated: The lifetime that the response states, in seconds; `nil` if there is none.
  ///   - limit: How long the redirects that led to the failure are fresh.
  func remember(_ error: ImageError, for key: CacheKey, stated: Double? = nil, atMost limit: Duration) {
    let lifetime = min(lifetimes.lifetime(of: error, stated: stated), limit)
    guard lifetime > .zero else { return }
    failures.insert(Failure(error: error, deadline: time.uptime() + lifetime.clamped), for: key)
  }

  func forget(_ key: CacheKey) { failures.remove(key) }
}

/// Limits the retries to each origin, so that an outage causes no retry storm: a token bucket. A retry takes a token when
/// it is sent; a load that succeeds returns those of its retries and a tenth of one, up to the capacity. So retries that
/// succeed are not limited, whatever their number.
final class RetryBudget: Sendable {
  private static let refillPerSuccess = 0.1
  /// The most origins that are remembered; all others have the full capacity.
  private static let originLimit = 1000

  private let capacity: Double
  /// The tokens of origins that have spent some.
  private let tokens = Lock<[Origin: Double]>([:])

  init(capacity: Int) {
    self.capacity = Double(capacity)
  }

  /// - Parameter retryCount: The retries that the load has taken tokens for.
  func recordSuccess(of origin: Origin, retryCount: Int = 0) {
    tokens.withLock { tokens in
      guard let known = tokens[origin] else { return }
      let refilled = known + Double(retryCount) + Self.refillPerSuccess
      tokens[origin] = refilled < capacity ? refilled : nil
    }
  }

  /// Whether there is a token for a retry; the origin is `nil` before the URL of a load is resolved.
  func allowsRetry(of origin: Origin?) -> Bool {
    tokens.withLock { tokens in origin.flatMap { tokens[$0] } ?? capacity } >= 1
  }

  /// Takes a token for a retry; `false` if there is none.
  func spend(for origin: Origin?) -> Bool {
    guard let origin else { return true }
    return tokens.withLock { tokens in
      let known = tokens[origin] ?? capacity
      guard known >= 1 else { return false }
      if tokens.count >= Self.originLimit, tokens[origin] == nil,
        let fullest = tokens.max(by: { $0.value < $1.value })
      {
        tokens[fullest.key] = nil
      }
      tokens[origin] = known - 1
      return true
    }
  }
}
