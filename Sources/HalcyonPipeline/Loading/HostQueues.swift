import HalcyonHTTP
import HalcyonSupport

/// The queues of a ``ConnectionLimiter``, one for each host, as a value: which request is granted next.
struct HostQueues {
  /// Identifies a host while it has transfers or waiters: an index is found faster than a name.
  typealias HostID = Int

  private struct Waiter {
    let host: HostID
    var priority: ImagePriority
  }

  /// The waiters of one host by priority.
  fileprivate struct Host {
    let origin: Origin
    var activeCount = 0
    var waitingCount = 0
    /// Identifiers in rising order. Those removed, or moved to another priority, are skipped when they come first.
    /// Empty before the first one waits: most hosts are known for one transfer only.
    var queues: [[UInt64]] = []
    /// The index of the first valid identifier of each queue.
    var heads: [Int] = []
  }

  private static let mostUrgentFirst = Array(ImagePriority.allCases.reversed())

  var limits: ConnectionLimits
  private(set) var activeCount = 0
  private var waiters: [UInt64: Waiter] = [:]
  private var hostIDs: [Origin: HostID] = [:]
  /// `nil` at unused identifiers.
  private var hosts: [Host?] = []
  private var freeIDs: [HostID] = []

  init(limits: ConnectionLimits) {
    self.limits = limits
  }

  var waitingCount: Int { waiters.count }

  /// The waiter to reject first: lowest priority, then most recent.
  var leastUrgent: UInt64? {
    waiters.min { left, right in
      let (one, other) = (left.value.priority, right.value.priority)
      return one != other ? one < other : left.key > right.key
    }?.key
  }

  /// Starts a transfer at once if nothing waits and the limits allow it.
  mutating func enterAtOnce(_ origin: Origin, _ priority: ImagePriority) -> HostID? {
    guard waiters.isEmpty else { return nil }
    let known = hostIDs[origin]
    let hostCount = known.flatMap { hosts[$0]?.activeCount } ?? 0
    guard limits.allowTransfer(at: priority, activeCount: activeCount, hostCount: hostCount) else { return nil }
    let host = known ?? add(origin)
    hosts[host]?.activeCount += 1
    activeCount += 1
    return host
  }

  mutating func enqueue(_ id: UInt64, for origin: Origin, _ priority: ImagePriority) {
    let host = hostIDs[origin] ?? add(origin)
    waiters[id] = Waiter(host: host, priority: priority)
    hosts[host]?.waitingCount += 1
    hosts[host]?.insert(id, priority)
  }

  mutating func updatePriority(of id: UInt64, to priority: ImagePriority) {
    guard let waiter = waiters[id], waiter.priority != priority else { return }
    waiters[id]?.priority = priority
    hosts[waiter.host]?.insert(id, priority)
  }

  /// Removes a waiter.
  mutating func remove(_ id: UInt64) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    hosts[waiter.host]?.waitingCount -= 1
    removeIfIdle(waiter.host)
  }

  /// Ends a transfer.
  mutating func leave(_ host: HostID) {
    activeCount -= 1
    hosts[host]?.activeCount -= 1
    removeIfIdle(host)
  }

  /// Starts the transfer of the most urgent waiter that the limits allow.
  mutating func dequeue() -> (id: UInt64, host: HostID)? {
    guard activeCount < limits.total, !waiters.isEmpty else { return nil }
    var best: (priority: ImagePriority, id: UInt64, host: HostID)?
    for host in hosts.indices where (hosts[host]?.waitingCount ?? 0) > 0 {
      guard let candidate = candidate(of: host) else { continue }
      if let best, (best.priority, candidate.id) > (candidate.priority, best.id) { continue }
      best = (candidate.priority, candidate.id, host)
    }
    guard let best, waiters.removeValue(forKey: best.id) != nil else { return nil }
    hosts[best.host]?.waitingCount -= 1
    hosts[best.host]?.activeCount += 1
    activeCount += 1
    return (best.id, best.host)
  }

  private mutating func candidate(of id: HostID) -> (priority: ImagePriority, id: UInt64)? {
    for priority in Self.mostUrgentFirst {
      guard let host = hosts[id],
        limits.allowTransfer(at: priority, activeCount: activeCount, hostCount: host.activeCount)
      else { continue }
      let (queue, first) = host.queue(priority)
      var head = first
      while head < queue.count, waiters[queue[head]]?.priority != priority { head += 1 }
      let candidate = head < queue.count ? queue[head] : nil
      if head != first { hosts[id]?.drop(upTo: head, priority) }
      if let candidate { return (priority, candidate) }
    }
    return nil
  }

  private mutating func add(_ origin: Origin) -> HostID {
    let id = freeIDs.popLast() ?? hosts.count
    if id == hosts.count { hosts.append(nil) }
    hosts[id] = Host(origin: origin)
    hostIDs[origin] = id
    return id
  }

  private mutating func removeIfIdle(_ id: HostID) {
    guard let host = hosts[id], host.activeCount == 0, host.waitingCount == 0 else { return }
    hostIDs[host.origin] = nil
    hosts[id] = nil
    freeIDs.append(id)
  }
}

extension HostQueues.Host {
  fileprivate func queue(_ priority: ImagePriority) -> (ids: [UInt64], head: Int) {
    (queues[priority.rawValue], heads[priority.rawValue])
  }

  fileprivate mutating func insert(_ id: UInt64, _ priority: ImagePriority) {
    let level = priority.rawValue
    if queues.isEmpty {
      queues = Array(repeating: [], count: ImagePriority.allCases.count)
      heads = Array(repeating: 0, count: ImagePriority.allCases.count)
    }
    // Nearly always the end, since identifiers rise.
    let index = queues[level][heads[level]...].lastIndex { $0 < id }.map { $0 + 1 } ?? heads[level]
    queues[level].insert(id, at: index)
  }

  /// Drops the front of a queue; its memory is released in large steps.
  fileprivate mutating func drop(upTo head: Int, _ priority: ImagePriority) {
    let level = priority.rawValue
    heads[level] = head
    guard head > 64, head * 2 > queues[level].count else { return }
    queues[level].removeFirst(head)
    heads[level] = 0
  }
}
