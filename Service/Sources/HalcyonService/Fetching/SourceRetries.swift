import Halcyon

/// Sends a request to a source again after failures that pass, but not after a status that is the client's: it gets that
/// status, and decides itself when to ask again.
struct SourceRetries: RetryStrategy, Hashable {
  private let backoff: ExponentialBackoff

  /// - Parameter timeout: The longest time for a source. Its waits end before that, so that the client gets the last failure.
  init(timeout: Duration) { backoff = ExponentialBackoff(longestDelay: timeout / 3) }

  func delay(after failure: FailedAttempt) async -> Duration? {
    switch failure.error {
    case .httpStatus(400..<500, _), .retryLater(_, 400..<500, _): nil
    default: await backoff.delay(after: failure)
    }
  }
}
