import HalcyonSupport

/// Limits the retries of a pipeline, so that an outage is not answered with a retry storm: a token bucket that ten
/// successful loads refill by one retry, up to the capacity.
final class RetryBudget: Sendable {
  private static let refillPerSuccess = 0.1

  private let capacity: Double
  private let tokens: Lock<Double>

  init(capacity: Int) {
    self.capacity = Double(capacity)
    tokens = Lock(Double(capacity))
  }

  func recordSuccess() {
    tokens.withLock { $0 = min(capacity, $0 + Self.refillPerSuccess) }
  }

  /// Takes one retry out of the budget; `false` if there is none.
  func spend() -> Bool {
    tokens.withLock { tokens in
      guard tokens >= 1 else { return false }
      tokens -= 1
      return true
    }
  }
}
