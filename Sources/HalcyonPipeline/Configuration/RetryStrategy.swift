/// Decides whether and when a failed transfer is retried.
///
/// Consulted only for transient failures (``ImageError/isTransient``), and never after a cancellation. May be called
/// from several threads at once.
public protocol RetryStrategy: Sendable {
  /// The delay before the next attempt, or `nil` to fail.
  func delay(after failure: FailedAttempt) async -> Duration?
}

/// A transient failure of an attempt.
public struct FailedAttempt: Sendable {
  /// The error of the last attempt.
  public var error: ImageError
  /// The number of attempts so far, at least 1.
  public var attemptCount: Int
  /// The value of `Retry-After` (RFC 9110, 10.2.3), if the response has one.
  public var retryAfter: Duration?

  /// Creates a description.
  public init(error: ImageError, attemptCount: Int, retryAfter: Duration? = nil) {
    self.error = error
    self.attemptCount = attemptCount
    self.retryAfter = retryAfter
  }
}

/// Never retries.
public struct NoRetry: RetryStrategy {
  /// Creates the strategy.
  public init() {}

  /// Returns `nil`.
  public func delay(after failure: FailedAttempt) async -> Duration? { nil }
}
