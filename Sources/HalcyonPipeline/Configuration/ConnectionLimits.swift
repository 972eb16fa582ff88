import HalcyonSupport

/// Limits on the number of concurrent and waiting transfers.
public struct ConnectionLimits: Hashable, Sendable {
  /// The maximum number of concurrent transfers, at least 1. Default: 24.
  public var total: Int
  /// The maximum number of concurrent transfers per origin (scheme, host and port), at least 1. Default: 6.
  public var perHost: Int
  /// The maximum number of transfers that wait for a permit, at least 0. Default: 10,000.
  ///
  /// Beyond it, the waiting transfer with the lowest priority fails with ``ImageError/tooManyWaiting(limit:)``.
  public var waiting: Int

  /// Creates limits.
  ///
  /// - Precondition: `total` and `perHost` are at least 1, `waiting` is not negative.
  public init(total: Int = 24, perHost: Int = 6, waiting: Int = 10_000) {
    precondition(total > 0 && perHost > 0, "total and perHost must be at least 1, got \(total) and \(perHost)")
    precondition(waiting >= 0, "waiting must be at least 0, got \(waiting)")
    self.total = total
    self.perHost = perHost
    self.waiting = waiting
  }
}

extension ConnectionLimits {
  /// Whether there is a free connection for another transfer, when `activeCount` are in flight.
  ///
  /// Prefetching uses at most two thirds of the connections; the rest is left to visible images.
  func allowTransfer(at priority: ImagePriority, activeCount: Int) -> Bool {
    activeCount < share(of: total, at: priority)
  }

  /// Whether there is a free connection for another transfer to a host, when `hostCount` to it are in flight.
  func allowTransfer(at priority: ImagePriority, hostCount: Int) -> Bool {
    hostCount < share(of: perHost, at: priority)
  }

  /// In integers, since `Int.max`, which means no limit, has no exact `Double`.
  private func share(of limit: Int, at priority: ImagePriority) -> Int {
    priority <= .low ? max(1, limit / 3 * 2 + limit % 3 * 2 / 3) : limit
  }
}
