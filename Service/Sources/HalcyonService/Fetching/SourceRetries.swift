import Halcyon

/// Sends a request to a source again after failures that pass, but not after a status that is the client's: it gets that
/// status, and decides itself when to ask again.
struct SourceRetries: RetryStrategy, Hashable {
  func delay(after failure: FailedAttempt) async -> Duration? {
    switch failure.error {
    case .httpStatus(400..<500, _), .retryLater(_, 400..<500, _): nil
    default: await ExponentialBackoff().delay(after: failure)
    }
  }
}
