/// Decides whether and when a failed transfer is retried.
///
/// Called after every failure except a cancellation, even if a retry is unlikely to help, as after status 404 or a body
/// that is not an image (see ``FailedAttempt/isTransient``). May be called from several threads at once.
///
/// ```swift
/// struct FixedDelay: RetryStrategy {
///   func delay(after failure: FailedAttempt) async -> Duration? {
///     failure.isTransient && failure.attemptCount < 10 ? .seconds(3) : nil
///   }
/// }
/// ```
public protocol RetryStrategy: Sendable {
  /// The delay before the next attempt, or `nil` to fail.
  ///
  /// After status 429 with `Retry-After` the whole host is paused for that long, after 503 the URL; then one of the
  /// waiting loads is sent first.
  func delay(after failure: FailedAttempt) async -> Duration?
}

/// A failure of an attempt.
public struct FailedAttempt: Sendable {
  /// The error of the last attempt.
  public var error: ImageError
  /// Whether another attempt may succeed, see ``ImageError/isTransient``.
  public var isTransient: Bool { error.isTransient }
  /// The number of attempts so far, at least 1.
  ///
  /// An attempt that the server refused with `Retry-After` does not count if the server has served other requests since
  /// it refused this one before.
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
