import HalcyonHTTP
import HalcyonSupport

/// The waiters of one host by priority, and how many transfers it may have, for ``HostQueues``.
struct HostQueue {
  /// The next waiter of a host, the most urgent first. It counts as long as it is ``HostQueue/candidate``.
  struct Candidate: Comparable {
    let id: UInt64
    let host: HostQueues.HostID
    let priority: ImagePriority
    let rank: Int

    static func < (left: Candidate, right: Candidate) -> Bool {
      (left.priority, left.rank) < (right.priority, right.rank)
    }
  }

  let origin: Origin
  var activeCount = 0
  var waitingCount = 0
  /// Identifiers in rising order, or with the newest waiter last. Identifiers that were removed, or moved to another
  /// priority, are skipped at their turn. Empty until a request waits: most hosts have one transfer only. Slices,
  /// since they drop their first element without moving the others.
  var queues: [ArraySlice<UInt64>] = []
  /// The most transfers at once, after a refusal.
  var allowance: Int?
  var refusalCount = 0
  /// Requests served since the first refusal.
  var servedCount = 0
  var refused = RefusedURLs()
  /// The waiter that starts next, if the limits of the host allow it.
  var candidate: Candidate?
  /// The end of a pause that counts.
  var pauseEnd: Duration?

  var isIdle: Bool { activeCount == 0 && waitingCount == 0 }

  mutating func end(
    _ transfer: HostQueues.Transfer, _ status: Int?, pausesURL: Bool, limit: Int
  ) {
    activeCount -= 1
    guard let status else { return }
    if HostQueues.isRefusal(status) {
      refusalCount += 1
      if !pausesURL { allowance = min(allowance ?? 1, 1) }
      return
    }
    if allowance != nil || !refused.isEmpty { servedCount += 1 }
    if refused.limit != nil { allowance = min(allowance ?? 1, 1) }
    refused.serve(transfer.url)
    if let allowance {
      guard allowance > 0, transfer.refusalCount == refusalCount else { return }
      self.allowance = allowance + 1 < limit ? allowance + 1 : nil
    }
  }

  mutating func insert(_ id: UInt64, _ priority: ImagePriority, atEnd: Bool) {
    let level = priority.rawValue
    if queues.isEmpty { queues = Array(repeating: [], count: ImagePriority.allCases.count) }
    if atEnd { return queues[level].append(id) }
    // Nearly always the end, since identifiers rise.
    let index = queues[level].lastIndex { $0 < id }.map { $0 + 1 } ?? queues[level].startIndex
    queues[level].insert(id, at: index)
  }

  func next(_ priority: ImagePriority, isLast: Bool) -> UInt64? {
    isLast ? queues[priority.rawValue].last : queues[priority.rawValue].first
  }

  mutating func dropNext(_ priority: ImagePriority, isLast: Bool) {
    if isLast { queues[priority.rawValue].removeLast() } else { queues[priority.rawValue].removeFirst() }
  }
}
