import HalcyonHTTP
import HalcyonSupport

/// Limits the retries to each origin, so that an outage is not answered with a retry storm: token buckets that ten
/// successful loads refill by one retry, up to the capacity.
final class RetryBudget: Sendable {
  private static let refillPerSuccess = 0.1
  /// The most origins that are remembered; those that are not have the full capacity.
  private static let originLimit = 1000

  private let capacity: Double
  /// The tokens of origins that have spent some.
  private let tokens = Lock<[Origin: Double]>([:])

  init(capacity: Int) {
    self.capacity = Double(capacity)
  }

  func recordSuccess(of origin: Origin) {
    tokens.withLock { tokens in
      guard let known = tokens[origin] else { return }
      let refilled = known + Self.refillPerSuccess
      tokens[origin] = refilled < capacity ? refilled : nil
    }
  }

  /// Takes one retry out of the budget of an origin; `false` if there is none.
  func spend(for origin: Origin) -> Bool {
    tokens.withLock { tokens in
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
