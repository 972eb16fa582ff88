/// A tier of a ``TieredStore`` has begun to fail, or works again.
public struct TierHealthChange: Sendable {
  /// The name of the tier.
  public let tier: String
  /// Whether it has begun to fail; `false` if it works again.
  public let isFailing: Bool
  /// The last error of the tier.
  public let error: any Error
}

/// Detects when a tier begins or ceases to fail. A value without a lock; its owner has one.
struct TierHealth {
  /// Reads may work while changes fail, for example without the permission to write.
  enum Kind { case reads, changes }

  private var failureCounts: [Kind: Int] = [:]
  private var lastError: (any Error)?

  /// Records a call; `error` is `nil` for one that succeeded.
  ///
  /// - Parameter limit: The failures of one kind in a row with which the tier begins to fail.
  /// - Returns: The change, if the call makes one.
  mutating func record(_ kind: Kind, _ error: (any Error)?, limit: Int, tier: String) -> TierHealthChange? {
    let wasFailing = isFailing(limit)
    if error == nil, failureCounts[kind] == nil { return nil }
    failureCounts[kind] = error.map { _ in min((failureCounts[kind] ?? 0) + 1, limit) }
    lastError = error ?? lastError
    guard isFailing(limit) != wasFailing, let lastError else { return nil }
    return TierHealthChange(tier: tier, isFailing: !wasFailing, error: lastError)
  }

  private func isFailing(_ limit: Int) -> Bool { failureCounts.values.contains { $0 >= limit } }
}
