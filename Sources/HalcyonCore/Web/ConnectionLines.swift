/// Who waits for which host, and how many are served: the rules of ``ConnectionGate``, as a value.
struct ConnectionLines {
  private struct Waiter {
    let origin: WebOrigin
    var priority: ImagePriority
  }

  /// One host's waiters, by their priority.
  fileprivate struct Line {
    var activeCount = 0
    var waitingCount = 0
    /// Numbers in rising order. Those that left, or have another priority by now, are dropped when they come up.
    var queues = [[UInt64]](repeating: [], count: ImagePriority.allCases.count)
    /// How many at the front of each queue are done with.
    var heads = [Int](repeating: 0, count: ImagePriority.allCases.count)
  }

  private static let mostUrgentFirst = Array(ImagePriority.allCases.reversed())

  var limits: ConnectionLimits
  private(set) var activeCount = 0
  private var waiters: [UInt64: Waiter] = [:]
  private var lines: [WebOrigin: Line] = [:]

  init(limits: ConnectionLimits) {
    self.limits = limits
  }

  var waitingCount: Int { waiters.count }

  /// The waiter that is missed least: of the least priority, the last.
  var leastUrgent: UInt64? {
    waiters.min { left, right in
      let (one, other) = (left.value.priority, right.value.priority)
      return one != other ? one < other : left.key > right.key
    }?.key
  }

  /// Takes a place where nobody waits for one.
  mutating func enterAtOnce(_ origin: WebOrigin, _ priority: ImagePriority) -> Bool {
    guard waiters.isEmpty, hasPlace(lines[origin]?.activeCount ?? 0, priority) else { return false }
    lines[origin, default: Line()].activeCount += 1
    activeCount += 1
    return true
  }

  mutating func join(_ origin: WebOrigin, id: UInt64, _ priority: ImagePriority) {
    waiters[id] = Waiter(origin: origin, priority: priority)
    lines[origin, default: Line()].waitingCount += 1
    lines[origin]?.insert(id, priority)
  }

  mutating func reorder(_ id: UInt64, _ priority: ImagePriority) {
    guard let waiter = waiters[id], waiter.priority != priority else { return }
    waiters[id]?.priority = priority
    lines[waiter.origin]?.insert(id, priority)
  }

  mutating func giveUp(_ id: UInt64) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    lines[waiter.origin]?.waitingCount -= 1
    removeIfIdle(waiter.origin)
  }

  mutating func leave(_ origin: WebOrigin) {
    activeCount -= 1
    lines[origin]?.activeCount -= 1
    removeIfIdle(origin)
  }

  /// Gives a place to the most urgent that may have one.
  mutating func admitNext() -> UInt64? {
    guard activeCount < limits.total, !waiters.isEmpty else { return nil }
    var best: (priority: ImagePriority, id: UInt64, origin: WebOrigin)?
    for index in lines.indices where lines.values[index].waitingCount > 0 {
      guard let candidate = candidate(at: index) else { continue }
      if let best, (best.priority, candidate.id) > (candidate.priority, best.id) { continue }
      best = (candidate.priority, candidate.id, lines.keys[index])
    }
    guard let best, waiters.removeValue(forKey: best.id) != nil else { return nil }
    lines[best.origin]?.waitingCount -= 1
    lines[best.origin]?.activeCount += 1
    activeCount += 1
    return best.id
  }

  private mutating func candidate(
    at index: Dictionary<WebOrigin, Line>.Index
  ) -> (priority: ImagePriority, id: UInt64)? {
    for priority in Self.mostUrgentFirst where hasPlace(lines.values[index].activeCount, priority) {
      let (queue, first) = lines.values[index].queue(priority)
      var head = first
      while head < queue.count, waiters[queue[head]]?.priority != priority { head += 1 }
      let candidate = head < queue.count ? queue[head] : nil
      if head != first { lines.values[index].drop(upTo: head, priority) }
      if let candidate { return (priority, candidate) }
    }
    return nil
  }

  /// Loads that nobody waits for leave a third of the places free for those that somebody looks at.
  private func hasPlace(_ hostCount: Int, _ priority: ImagePriority) -> Bool {
    let share = priority <= .low ? 2.0 / 3 : 1
    return activeCount < max(1, Int(Double(limits.total) * share))
      && hostCount < max(1, Int(Double(limits.perHost) * share))
  }

  private mutating func removeIfIdle(_ origin: WebOrigin) {
    if let line = lines[origin], line.activeCount == 0, line.waitingCount == 0 { lines[origin] = nil }
  }
}

extension ConnectionLines.Line {
  fileprivate func queue(_ priority: ImagePriority) -> (ids: [UInt64], head: Int) {
    (queues[priority.rawValue], heads[priority.rawValue])
  }

  fileprivate mutating func insert(_ id: UInt64, _ priority: ImagePriority) {
    let level = priority.rawValue
    // Nearly always the end: numbers rise.
    let place = queues[level][heads[level]...].lastIndex { $0 < id }.map { $0 + 1 } ?? heads[level]
    queues[level].insert(id, at: place)
  }

  /// Forgets the front of a queue; memory is given back in large steps.
  fileprivate mutating func drop(upTo head: Int, _ priority: ImagePriority) {
    let level = priority.rawValue
    heads[level] = head
    guard head > 64, head * 2 > queues[level].count else { return }
    queues[level].removeFirst(head)
    heads[level] = 0
  }
}
