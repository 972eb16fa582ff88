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
struct HostQueues {
  /// Identifies a host while it has transfers or waiters: an index is found faster than a name.
  typealias HostID = Int

  /// A transfer that was started.
  struct Transfer {
    fileprivate let host: HostID
    fileprivate let url: URL
    /// That of the host at the start.
    fileprivate let refusalCount: Int
  }

  private struct Waiter {
    let host: HostID
    let url: URL
    var priority: ImagePriority
    /// Among waiters of equal priority the highest rank starts first.
    var rank: Int

    var urgency: (ImagePriority, Int) { (priority, rank) }
  }

  /// The waiters of one host by priority.
  fileprivate struct Host {
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
  }

  private static let mostUrgentFirst = Array(ImagePriority.allCases.reversed())
  /// The most hosts without loads that keep their allowance.
  private static let idleLimit = 100

  var limits: ConnectionLimits
  private(set) var activeCount = 0
  private var waiters: [UInt64: Waiter] = [:]
  private var hostIDs: [Origin: HostID] = [:]
  /// `nil` at unused identifiers.
  private var hosts: [Host?] = []
  private var freeIDs: [HostID] = []
  /// The uptime at which each paused host goes on.
  private var pauseEnds: [HostID: Duration] = [:]
  /// The hosts with refused URLs.
  private var refusing: Set<HostID> = []

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
  var leastUrgent: UInt64? { waiters.min { $0.value.urgency < $1.value.urgency }?.key }

  /// Starts a transfer at once if nothing waits and the limits allow it, or if it may exceed them.
  mutating func enterAtOnce(_ target: HTTPURL, _ priority: ImagePriority, exceedsLimits: Bool = false) -> Transfer? {
    if exceedsLimits { return begin(hostIDs[target.origin] ?? add(target.origin), target.url) }
    let known = hostIDs[target.origin]
    let host = known.flatMap { hosts[$0] }
    guard waiters.isEmpty, host?.refused.isPaused(target.url) != true, allowsTransfer(to: host, at: priority) else {
      return nil
    }
    return begin(known ?? add(target.origin), target.url)
  }

  private func allowsTransfer(to host: Host?, at priority: ImagePriority) -> Bool {
    let hostCount = host?.activeCount ?? 0
    return hostCount < host?.allowance ?? .max && hostCount < host?.refused.limit ?? .max
      && limits.allowTransfer(at: priority, activeCount: activeCount, hostCount: hostCount)
  }

  private mutating func begin(_ host: HostID, _ url: URL) -> Transfer {
    hosts[host]?.activeCount += 1
    activeCount += 1
    return Transfer(host: host, url: url, refusalCount: hosts[host]?.refusalCount ?? 0)
  }

  mutating func enqueue(_ id: UInt64, for target: HTTPURL, _ priority: ImagePriority) {
    let host = hostIDs[target.origin] ?? add(target.origin)
    hosts[host]?.waitingCount += 1
    insert(id, host, target.url, priority)
  }

  mutating func updatePriority(of id: UInt64, to priority: ImagePriority) {
    guard let waiter = waiters[id], waiter.priority != priority else { return }
    insert(id, waiter.host, waiter.url, priority)
  }

  private mutating func insert(_ id: UInt64, _ host: HostID, _ url: URL, _ priority: ImagePriority) {
    lastNumber += 1
    waiters[id] = Waiter(host: host, url: url, priority: priority, rank: newestFirst ? lastNumber : -Int(id))
    hosts[host]?.insert(id, priority, atEnd: newestFirst)
  }

  /// Removes a waiter.
  mutating func remove(_ id: UInt64) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    hosts[waiter.host]?.waitingCount -= 1
    forget(waiter.url, of: waiter.host)
    removeIfIdle(waiter.host)
  }

  /// Forgets that a URL was refused, if no load waits for it any longer.
  mutating func forget(_ target: HTTPURL) {
    guard let host = hostIDs[target.origin] else { return }
    forget(target.url, of: host)
    removeIfIdle(host)
  }

  private mutating func forget(_ url: URL, of host: HostID) {
    guard refusing.contains(host), let refused = hosts[host]?.refused, refused.isPaused(url) || refused.wasRefused(url),
      !waiters.values.contains(where: { $0.host == host && $0.url == url })
    else { return }
    hosts[host]?.refused.remove(url)
  }

  /// Ends a transfer.
  ///
  /// - Parameters: - status: That of the response; `nil` if there was none. - end: The uptime until which the response
  ///   asks to send no further requests, if it does.
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
    removeIfIdle(id)
  }

  private mutating func pauseHost(_ id: HostID, until end: Duration) {
    hosts[id]?.allowance = 0
    pauseEnds[id] = max(pauseEnds[id] ?? end, end)
  }

  /// Lets the hosts and URLs go on whose pauses have ended.
  mutating func endPauses(at uptime: Duration) {
    if hasNoPause { return }
    for id in refusing { hosts[id]?.refused.endPauses(at: uptime) }
    for (id, end) in pauseEnds where end <= uptime {
      pauseEnds[id] = nil
      hosts[id]?.allowance = 1
    }
  }

  /// The uptime at which a paused host with waiters, or one of its URLs, goes on; of several, the first.
  var nextPauseEnd: Duration? {
    if hasNoPause { return nil }
    let hostEnds = pauseEnds.filter { hasWaiters($0.key) }.map(\.value)
    let urlEnds = refusing.filter(hasWaiters).compactMap { hosts[$0]?.refused.nextEnd }
    return (hostEnds + urlEnds).min()
  }

  /// Whether nothing is paused or refused, the usual case.
  private var hasNoPause: Bool { pauseEnds.isEmpty && refusing.isEmpty }

  private func hasWaiters(_ id: HostID) -> Bool { (hosts[id]?.waitingCount ?? 0) > 0 }

  /// The requests that a host has served since it first refused one; 0 if it is not known.
  func servedCount(of origin: Origin) -> Int { hostIDs[origin].flatMap { hosts[$0]?.servedCount } ?? 0 }

  /// Starts the transfer of the most urgent waiter that the limits allow.
  mutating func dequeue() -> (id: UInt64, transfer: Transfer)? {
    guard activeCount < limits.total, !waiters.isEmpty else { return nil }
    var best: (id: UInt64, waiter: Waiter)?
    for host in hosts.indices where (hosts[host]?.waitingCount ?? 0) > 0 {
      guard let id = candidate(of: host), let waiter = waiters[id] else { continue }
      if let best, best.waiter.urgency > waiter.urgency { continue }
      best = (id, waiter)
    }
    guard let best else { return nil }
    waiters[best.id] = nil
    hosts[best.waiter.host]?.waitingCount -= 1
    return (best.id, begin(best.waiter.host, best.waiter.url))
  }

  private mutating func candidate(of id: HostID) -> UInt64? {
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
  private func candidates(of host: Host, _ priority: ImagePriority) -> (other: UInt64?, refused: UInt64?) {
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
    hosts[id] = Host(origin: origin)
    hostIDs[origin] = id
    return id
  }

  private mutating func removeIfIdle(_ id: HostID) {
    guard let host = hosts[id], host.isIdle else { return }
    if host.allowance == nil, host.refused.nextEnd == nil { return removeHost(id, host) }
    let idle = hosts.indices.filter { hosts[$0]?.isIdle == true }
    guard idle.count > Self.idleLimit, let first = idle.min(by: { pauseEnd($0) < pauseEnd($1) }) else { return }
    if let host = hosts[first] { removeHost(first, host) }
  }

  private func pauseEnd(_ id: HostID) -> Duration { pauseEnds[id] ?? hosts[id]?.refused.nextEnd ?? .zero }

  private mutating func removeHost(_ id: HostID, _ host: Host) {
    if !hasNoPause {
      pauseEnds[id] = nil
      refusing.remove(id)
    }
    hostIDs[host.origin] = nil
    hosts[id] = nil
    freeIDs.append(id)
  }
}

extension HostQueues.Host {
  fileprivate var isIdle: Bool { activeCount == 0 && waitingCount == 0 }

  fileprivate mutating func end(
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

  fileprivate mutating func insert(_ id: UInt64, _ priority: ImagePriority, atEnd: Bool) {
    let level = priority.rawValue
    if queues.isEmpty { queues = Array(repeating: [], count: ImagePriority.allCases.count) }
    if atEnd { return queues[level].append(id) }
    // Nearly always the end, since identifiers rise.
    let index = queues[level].lastIndex { $0 < id }.map { $0 + 1 } ?? queues[level].startIndex
    queues[level].insert(id, at: index)
  }

  fileprivate func next(_ priority: ImagePriority, isLast: Bool) -> UInt64? {
    isLast ? queues[priority.rawValue].last : queues[priority.rawValue].first
  }

  fileprivate mutating func dropNext(_ priority: ImagePriority, isLast: Bool) {
    if isLast { queues[priority.rawValue].removeLast() } else { queues[priority.rawValue].removeFirst() }
  }
}
