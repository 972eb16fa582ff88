import Foundation
import HalcyonHTTP
import HalcyonSupport

/// The queues of a ``ConnectionLimiter``, one for each host, as a value: which request is granted next.
///
/// A host that refuses a request (status 429 or 503) gets an allowance, the most transfers that it has at once:
/// - A refusal sets the allowance to 1, so that few more requests are refused.
/// - 429 with `Retry-After` pauses the host: the allowance is 0 until then, and all requests wait in its queue. The one
///   that is granted next is a probe.
/// - 503 with `Retry-After` pauses its URL, and the host only when several URLs are refused (``RefusedURLs``).
/// - Each other response to a request sent since the last refusal raises the allowance by 1; at the limit of hosts
///   there is none any more. So the number of requests in flight doubles with each round trip, until the host refuses
///   one again.
///
/// A limited number of hosts without loads keep their allowance.
///
/// A change takes O(log n) for n hosts and waiters. The waiters of a host with refused URLs are searched in their order.
struct HostQueues {
  /// Identifies a host while it has transfers or waiters: looking up an index is faster than looking up a name.
  typealias HostID = Int

  /// A transfer that was started.
  struct Transfer {
    let host: HostID
    let url: URL
    /// The refusals of the host when the transfer started.
    let refusalCount: Int
  }

  private struct Waiter {
    let host: HostID
    let url: URL
    var priority: ImagePriority
    /// Among waiters of equal priority the highest rank starts first.
    var rank: Int
  }

  /// A waiter, the least urgent first. It counts as long as the waiter has this priority and rank.
  private struct LeastUrgent: Comparable {
    let id: UInt64
    let priority: ImagePriority
    let rank: Int

    static func < (left: LeastUrgent, right: LeastUrgent) -> Bool {
      (left.priority, left.rank) > (right.priority, right.rank)
    }
  }

  /// The first end of a pause of a host with waiters, the earliest first. It counts as long as it is ``HostQueue/pauseEnd``.
  private struct PauseEnd: Comparable {
    let uptime: Duration
    let host: HostID

    static func < (left: PauseEnd, right: PauseEnd) -> Bool { left.uptime > right.uptime }
  }

  private static let mostUrgentFirst = Array(ImagePriority.allCases.reversed())
  /// The most hosts without loads that keep their allowance.
  private static let idleLimit = 100

  var limits: ConnectionLimits {
    didSet { for host in hosts.indices where hasWaiters(host) { updateCandidate(of: host) } }
  }
  private(set) var activeCount = 0
  private var waiters: [UInt64: Waiter] = [:]
  private var hostIDs: [Origin: HostID] = [:]
  /// `nil` at unused identifiers.
  private var hosts: [HostQueue?] = []
  private var freeIDs: [HostID] = []
  /// The uptime at which each paused host goes on.
  private var pauseEnds: [HostID: Duration] = [:]
  /// The hosts with refused URLs.
  private var refusing: Set<HostID> = []
  /// The hosts without loads that keep their allowance.
  private var idle: Set<HostID> = []
  private var candidates = Heap<HostQueue.Candidate>()
  private var leastUrgent = Heap<LeastUrgent>()
  private var nextPauseEnds = Heap<PauseEnd>()
  /// The uptime of the last call of ``endPauses(at:)``.
  private var now = Duration.zero

  private let newestFirst: Bool
  /// Counts waiters, and changes of their priorities.
  private var lastNumber = 0

  /// - Parameter newestFirst: Whether the newest of the waiters of equal priority starts first. Default: no, they start
  ///   in the order of their identifiers.
  init(limits: ConnectionLimits, newestFirst: Bool = false) {
    (self.limits, self.newestFirst) = (limits, newestFirst)
  }

  var waitingCount: Int { waiters.count }

  /// The waiter to reject first: lowest priority, then the one that would start last.
  mutating func waiterToReject() -> UInt64? {
    while let least = leastUrgent.first {
      if let waiter = waiters[least.id], waiter.priority == least.priority, waiter.rank == least.rank {
        return least.id
      }
      leastUrgent.removeFirst()
    }
    return nil
  }

  /// Starts a transfer at once if nothing waits and the limits allow it, or if it may exceed them.
  mutating func enterAtOnce(_ target: HTTPURL, _ priority: ImagePriority, exceedsLimits: Bool = false) -> Transfer? {
    if exceedsLimits { return begin(hostIDs[target.origin] ?? add(target.origin), target.url) }
    let known = hostIDs[target.origin]
    if let known { endPauses(of: known) }
    let host = known.flatMap { hosts[$0] }
    guard waiters.isEmpty, host?.refused.isPaused(target.url) != true, allowsTransfer(to: host, at: priority),
      limits.allowTransfer(at: priority, activeCount: activeCount)
    else { return nil }
    return begin(known ?? add(target.origin), target.url)
  }

  private func allowsTransfer(to host: HostQueue?, at priority: ImagePriority) -> Bool {
    let hostCount = host?.activeCount ?? 0
    return hostCount < host?.allowance ?? .max && hostCount < host?.refused.limit ?? .max
      && limits.allowTransfer(at: priority, hostCount: hostCount)
  }

  private mutating func begin(_ host: HostID, _ url: URL) -> Transfer {
    hosts[host]?.activeCount += 1
    activeCount += 1
    idle.remove(host)
    updateCandidate(of: host)
    return Transfer(host: host, url: url, refusalCount: hosts[host]?.refusalCount ?? 0)
  }

  mutating func enqueue(_ id: UInt64, for target: HTTPURL, _ priority: ImagePriority) {
    let host = hostIDs[target.origin] ?? add(target.origin)
    endPauses(of: host)
    hosts[host]?.waitingCount += 1
    idle.remove(host)
    updatePauseEnd(of: host)
    insert(id, host, target.url, priority)
  }

  mutating func updatePriority(of id: UInt64, to priority: ImagePriority) {
    guard let waiter = waiters[id], waiter.priority != priority else { return }
    insert(id, waiter.host, waiter.url, priority)
  }

  private mutating func insert(_ id: UInt64, _ host: HostID, _ url: URL, _ priority: ImagePriority) {
    lastNumber += 1
    let rank = newestFirst ? lastNumber : -Int(id)
    waiters[id] = Waiter(host: host, url: url, priority: priority, rank: rank)
    hosts[host]?.insert(id, priority, atEnd: newestFirst)
    if leastUrgent.count > 2 * waiters.count + Self.idleLimit {
      leastUrgent = Heap(waiters.map { LeastUrgent(id: $0, priority: $1.priority, rank: $1.rank) })
    } else {
      leastUrgent.insert(LeastUrgent(id: id, priority: priority, rank: rank))
    }
    updateCandidate(of: host)
  }

  /// Finds the next waiter of a host again, after a change of its waiters or limits.
  private mutating func updateCandidate(of host: HostID) {
    guard hosts[host]?.waitingCount ?? 0 > 0 || hosts[host]?.candidate != nil else { return }
    let next = candidate(of: host)
    guard next != hosts[host]?.candidate else { return }
    hosts[host]?.candidate = next
    guard let next else { return }
    if candidates.count > 2 * hosts.count + Self.idleLimit {
      candidates = Heap(hosts.compactMap { $0?.candidate })
    } else {
      candidates.insert(next)
    }
  }

  /// Removes a waiter.
  mutating func remove(_ id: UInt64) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    hosts[waiter.host]?.waitingCount -= 1
    forget(waiter.url, of: waiter.host)
    updatePauseEnd(of: waiter.host)
    updateCandidate(of: waiter.host)
    removeIfIdle(waiter.host)
  }

  /// Forgets that a URL was refused, if no load waits for it any longer.
  mutating func forget(_ target: HTTPURL) {
    guard let host = hostIDs[target.origin] else { return }
    forget(target.url, of: host)
    updateCandidate(of: host)
    removeIfIdle(host)
  }

  private mutating func forget(_ url: URL, of host: HostID) {
    guard refusing.contains(host), let known = hosts[host],
      known.refused.isPaused(url) || known.refused.wasRefused(url),
      !known.queues.joined().contains(where: { waiters[$0]?.url == url })
    else { return }
    hosts[host]?.refused.remove(url)
    updatePauseEnd(of: host)
  }

  /// Ends a transfer.
  ///
  /// - Parameters:
  ///   - status: That of the response; `nil` if there was none.
  ///   - end: The uptime until which the response asks to send no further requests, if it does.
  mutating func end(_ transfer: Transfer, status: Int?, pausedUntil end: Duration? = nil) {
    activeCount -= 1
    let host = transfer.host
    hosts[host]?.end(transfer, status, pausesURL: status == 503 && end != nil, limit: limits.perHost)
    if let end {
      refusing.insert(host)
      hosts[host]?.refused.refuse(transfer.url, until: status == 503 ? end : nil)
      if status != 503 { pauseHost(host, until: end) }
    } else if status == nil {
      forget(transfer.url, of: host)
    }
    if !refusing.isEmpty, hosts[host]?.refused.isEmpty == true { refusing.remove(host) }
    updatePauseEnd(of: host)
    updateCandidate(of: host)
    removeIfIdle(host)
  }

  /// Whether a status means that the server refuses requests for some time: too many were sent (RFC 6585, 4), or it is
  /// overloaded (RFC 9110, 15.6.4).
  static func isRefusal(_ status: Int) -> Bool { status == 429 || status == 503 }

  /// Starts no transfers to a host, or for one of its URLs, before `end`, an uptime.
  ///
  /// - Parameter status: 503 pauses the URL, and the host only if it is paused already.
  mutating func pause(_ target: HTTPURL, status: Int, until end: Duration) {
    let id = hostIDs[target.origin] ?? add(target.origin)
    if status == 503 {
      refusing.insert(id)
      hosts[id]?.refused.extendPause(of: target.url, until: end)
    } else {
      pauseHost(id, until: end)
    }
    updatePauseEnd(of: id)
    updateCandidate(of: id)
    removeIfIdle(id)
  }

  private mutating func pauseHost(_ id: HostID, until end: Duration) {
    hosts[id]?.allowance = 0
    pauseEnds[id] = max(pauseEnds[id] ?? end, end)
  }

  /// Ends the pauses of hosts and URLs that are over. Those without waiters go on when a request is for them.
  mutating func endPauses(at uptime: Duration) {
    if hasNoPause { return }
    now = uptime
    while let end = nextPauseEnd(), end <= uptime, let host = nextPauseEnds.first?.host { endPauses(of: host) }
  }

  private mutating func endPauses(of id: HostID) {
    guard let end = firstPauseEnd(of: id), end <= now else { return }
    if refusing.contains(id) { hosts[id]?.refused.endPauses(at: now) }
    if let end = pauseEnds[id], end <= now {
      pauseEnds[id] = nil
      hosts[id]?.allowance = 1
    }
    updatePauseEnd(of: id)
    updateCandidate(of: id)
  }

  /// Finds the first end of a pause of a host again, after a change of its waiters or pauses.
  private mutating func updatePauseEnd(of id: HostID) {
    let end = hasWaiters(id) ? firstPauseEnd(of: id) : nil
    guard end != hosts[id]?.pauseEnd else { return }
    hosts[id]?.pauseEnd = end
    if let end { nextPauseEnds.insert(PauseEnd(uptime: end, host: id)) }
  }

  /// The uptime at which a host, or one of its URLs, goes on.
  private func firstPauseEnd(of id: HostID) -> Duration? {
    if hasNoPause { return nil }
    return [pauseEnds[id], refusing.contains(id) ? hosts[id]?.refused.nextEnd : nil].compactMap(\.self).min()
  }

  /// The uptime at which a paused host with waiters, or one of its URLs, goes on; of several, the first.
  mutating func nextPauseEnd() -> Duration? {
    while let end = nextPauseEnds.first {
      if hosts[end.host]?.pauseEnd == end.uptime { return end.uptime }
      nextPauseEnds.removeFirst()
    }
    return nil
  }

  /// Whether nothing is paused or refused, the usual case.
  private var hasNoPause: Bool { pauseEnds.isEmpty && refusing.isEmpty }

  private func hasWaiters(_ id: HostID) -> Bool { (hosts[id]?.waitingCount ?? 0) > 0 }

  /// The requests that a host has served since it first refused one; 0 if it is not known.
  func servedCount(of origin: Origin) -> Int { hostIDs[origin].flatMap { hosts[$0]?.servedCount } ?? 0 }

  /// Starts the transfer of the most urgent waiter that the limits allow.
  mutating func dequeue() -> (id: UInt64, transfer: Transfer)? {
    while let best = candidates.first {
      guard hosts[best.host]?.candidate == best, let waiter = waiters[best.id] else {
        candidates.removeFirst()
        continue
      }
      // All others are less urgent, and not allowed either.
      guard limits.allowTransfer(at: best.priority, activeCount: activeCount) else { return nil }
      candidates.removeFirst()
      waiters[best.id] = nil
      hosts[best.host]?.waitingCount -= 1
      updatePauseEnd(of: best.host)
      return (best.id, begin(best.host, waiter.url))
    }
    return nil
  }

  /// The waiter of a host that starts next, if its limits allow any.
  private mutating func candidate(of host: HostID) -> HostQueue.Candidate? {
    guard let id = nextWaiter(of: host), let waiter = waiters[id] else { return nil }
    return HostQueue.Candidate(id: id, host: host, priority: waiter.priority, rank: waiter.rank)
  }

  private mutating func nextWaiter(of id: HostID) -> UInt64? {
    var refused: UInt64?
    for priority in Self.mostUrgentFirst where allowsTransfer(to: hosts[id], at: priority) {
      guard let next = next(of: id, priority) else { continue }
      guard let host = hosts[id], refusing.contains(id) else { return next }
      let (other, known) = candidates(of: host, priority)
      if let other { return other }
      refused = refused ?? known
    }
    return refused
  }

  /// The next waiter of a host for a URL that was not refused, and the next one for a URL that was.
  private func candidates(of host: HostQueue, _ priority: ImagePriority) -> (other: UInt64?, refused: UInt64?) {
    let isReversed = newestFirst != (host.refused.limit != nil && host.refused.probesLast)
    let queue = host.queues[priority.rawValue]
    var refused: UInt64?
    for id in isReversed ? ArraySlice(queue.reversed()) : queue {
      guard let waiter = waiters[id], waiter.priority == priority, !host.refused.isPaused(waiter.url) else { continue }
      if !host.refused.wasRefused(waiter.url) { return (id, refused) }
      refused = refused ?? id
    }
    return (nil, refused)
  }

  private mutating func next(of id: HostID, _ priority: ImagePriority) -> UInt64? {
    while let next = hosts[id]?.next(priority, isLast: newestFirst) {
      if waiters[next]?.priority == priority { return next }
      hosts[id]?.dropNext(priority, isLast: newestFirst)
    }
    return nil
  }

  private mutating func add(_ origin: Origin) -> HostID {
    let id = freeIDs.popLast() ?? hosts.count
    if id == hosts.count { hosts.append(nil) }
    hosts[id] = HostQueue(origin: origin)
    hostIDs[origin] = id
    return id
  }

  private mutating func removeIfIdle(_ id: HostID) {
    guard let host = hosts[id], host.isIdle else { return }
    if host.allowance == nil, host.refused.nextEnd == nil { return removeHost(id, host) }
    idle.insert(id)
    guard idle.count > Self.idleLimit, let first = idle.min(by: { pauseEnd(of: $0) < pauseEnd(of: $1) }) else { return }
    if let host = hosts[first] { removeHost(first, host) }
  }

  private func pauseEnd(of id: HostID) -> Duration { firstPauseEnd(of: id) ?? .zero }

  private mutating func removeHost(_ id: HostID, _ host: HostQueue) {
    if !hasNoPause {
      pauseEnds[id] = nil
      refusing.remove(id)
    }
    idle.remove(id)
    hostIDs[host.origin] = nil
    hosts[id] = nil
    freeIDs.append(id)
  }
}
