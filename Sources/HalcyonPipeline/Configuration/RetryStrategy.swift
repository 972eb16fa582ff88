/// Decides whether a load that failed is tried again, and when.
///
/// It is asked only about failures that may pass (``ImageError/isTransient``), and never after a cancellation.
public protocol RetryStrategy: Sendable {
  /// How long to wait before the next attempt, or `nil` to give up.
  func delay(after failure: FailedAttempt) async -> Duration?
}

/// A failure that may pass.
public struct FailedAttempt: Sendable {
  /// Why the last attempt failed.
  public var error: ImageError
  /// Attempts so far, from 1.
  public var attemptCount: Int
  /// How long the server asked to be left alone (`Retry-After`; RFC 9110, 10.2.3), where it said so.
  public var retryAfter: Duration?

  /// Creates a description.
  public init(error: ImageError, attemptCount: Int, retryAfter: Duration? = nil) {
    self.error = error
    self.attemptCount = attemptCount
    self.retryAfter = retryAfter
  }
}

/// Waits twice as long after every failure, and a random part of that, so that many clients do not come back at once.
///
/// The n-th wait is drawn evenly between half and all of `firstDelay * 2^(n-1)`, at most `longestDelay`. A server that
/// says when to come back is obeyed, unless that is later than `longestDelay`: then the strategy gives up.
public struct ExponentialBackoff: RetryStrategy {
  /// Attempts in all, the first one included. Default: 3.
  public var attemptLimit: Int
  /// The longest wait before the second attempt. Default: 0.5 seconds.
  public var firstDelay: Duration
  /// The longest wait of all. Default: 30 seconds.
  public var longestDelay: Duration

  private let random: @Sendable () -> Double

  /// Creates a strategy.
  ///
  /// - Parameter random: Gives numbers in 0..<1. Tests give their own.
  public init(
    attemptLimit: Int = 3, firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(30),
    random: @escaping @Sendable () -> Double = { Double.random(in: 0..<1) }
  ) {
    precondition(attemptLimit > 0, "at least one attempt has to be allowed, got \(attemptLimit)")
    self.attemptLimit = attemptLimit
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
    self.random = random
  }

  /// The wait, or `nil` after the last attempt.
  public func delay(after failure: FailedAttempt) async -> Duration? {
    guard failure.attemptCount < attemptLimit else { return nil }
    if let retryAfter = failure.retryAfter { return retryAfter <= longestDelay ? retryAfter : nil }
    let doublings = min(failure.attemptCount - 1, 30)
    let ceiling = min(longestDelay, firstDelay * (1 << doublings))
    return ceiling * (0.5 + random() / 2)
  }
}

/// Tries once.
public struct NoRetry: RetryStrategy {
  /// Creates the strategy.
  public init() {}

  /// Gives up.
  public func delay(after failure: FailedAttempt) async -> Duration? { nil }
}
