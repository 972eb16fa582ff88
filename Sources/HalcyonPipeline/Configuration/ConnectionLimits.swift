/// How many transfers may go on, and wait, at once.
public struct ConnectionLimits: Hashable, Sendable {
  /// Transfers in all. Default: 24.
  public var total: Int
  /// Transfers with one scheme, host and port. Default: 6.
  public var perHost: Int
  /// Transfers that wait for a place; where more would, the least urgent fails. Default: 10,000.
  public var waiting: Int

  /// Creates limits.
  ///
  /// - Precondition: `total` and `perHost` are at least 1, `waiting` is not negative.
  public init(total: Int = 24, perHost: Int = 6, waiting: Int = 10_000) {
    precondition(total > 0 && perHost > 0, "at least one transfer has to be allowed")
    precondition(waiting >= 0, "a number of waiting transfers cannot be negative, got \(waiting)")
    self.total = total
    self.perHost = perHost
    self.waiting = waiting
  }
}
