import HalcyonSupport

/// Keeps a pipeline from answering a breakdown with a storm of retries.
///
/// Ten loads that succeed earn one retry; no more than the capacity is saved up.
final class RetryBudget: Sendable {
  private static let gainOfSuccess = 0.1

  private let capacity: Double
  private let tokens: Lock<Double>

  init(capacity: Int) {
    self.capacity = Double(capacity)
    tokens = Lock(Double(capacity))
  }

  func noteSuccess() {
    tokens.withLock { $0 = min(capacity, $0 + Self.gainOfSuccess) }
  }

  /// Takes one retry out of the budget, if there is one.
  func spend() -> Bool {
    tokens.withLock { tokens in
      guard tokens >= 1 else { return false }
      tokens -= 1
      return true
    }
  }
}
