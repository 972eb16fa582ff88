import HalcyonSupport

/// Exponential backoff with jitter: the delay doubles after every failure, and is random so that clients do not retry
/// in step.
///
/// The n-th delay is uniformly distributed between half and all of `firstDelay * 2^(n-1)`, at most `longestDelay`. If
/// the response has a longer `Retry-After`, that is the delay, with up to a tenth added; a `Retry-After` above
/// `longestDelay` fails the load.
///
/// ```swift
/// let pipeline = ImagePipeline { $0.options.retryStrategy = ExponentialBackoff(attemptLimit: 5, firstDelay: .seconds(1)) }
/// ```
public struct ExponentialBackoff: RetryStrategy {
  private let attemptLimit: Int
  private let firstDelay: Duration
  private let longestDelay: Duration
  private let random: @Sendable () -> Double

  /// Creates a strategy.
  ///
  /// - Parameters:
  ///   - attemptLimit: The most attempts, the first included. Default: 3.
  ///   - firstDelay: The longest delay before the first retry; it doubles with each. Default: half a second.
  ///   - longestDelay: The upper bound of the delays. Default: 30 seconds.
  ///   - random: Returns a number in 0..<1; may be called from several threads at once. Default: random.
  /// - Precondition: `attemptLimit` is at least 1.
  public init(
    attemptLimit: Int = 3, firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(30),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    precondition(attemptLimit > 0, "attemptLimit must be at least 1, got \(attemptLimit)")
    self.attemptLimit = attemptLimit
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.random = random
  }

  /// The delay; `nil` after the last attempt, and after failures that are not transient.
  public func delay(after failure: FailedAttempt) async -> Duration? {
    guard failure.isTransient, failure.attemptCount < attemptLimit else { return nil }
    let doublings = min(failure.attemptCount - 1, 30)
    let ceiling = min(longestDelay.clamped, firstDelay.clamped * (1 << doublings))
    let delay = ceiling * (0.5 + random() / 2)
    guard let retryAfter = failure.retryAfter else { return delay }
    return retryAfter <= longestDelay ? max(delay, retryAfter.clamped * (1 + random() / 10)) : nil
  }
}

extension RetryStrategy where Self == ExponentialBackoff {
  /// Never retries.
  public static var never: ExponentialBackoff { ExponentialBackoff(attemptLimit: 1) }
}
