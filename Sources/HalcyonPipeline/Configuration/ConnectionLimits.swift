import HalcyonSupport

/// Limits on the number of concurrent and waiting transfers.
public struct ConnectionLimits: Hashable, Sendable {
  /// The maximum number of concurrent transfers; below 1 counts as 1. Default: 24.
  public var total: Int { didSet { total = max(1, total) } }
  /// The maximum number of concurrent transfers per origin (scheme, host and port); below 1 counts as 1. Default: 6.
  public var perHost: Int { didSet { perHost = max(1, perHost) } }
  /// The maximum number of transfers that wait for a permit. Default: 10,000.
  ///
  /// Beyond it, the waiting transfer with the lowest priority fails with ``ImageError/tooManyWaiting(limit:url:)``.
  public var waiting: Int

  /// Creates limits.
  public init(total: Int = 24, perHost: Int = 6, waiting: Int = 10_000) {
    self.total = max(1, total)
    self.perHost = max(1, perHost)
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
