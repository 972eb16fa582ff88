import HalcyonSupport
import HalcyonHTTP

/// Who waits for which host, and how many are served: the rules of ``ConnectionLimiter``, as a value.
struct HostQueues {
  /// Stands for a host as long as it has transfers or waiters: a number is found faster than a name.
  typealias Number = Int

  private struct Waiter {
    let line: Number
    var priority: ImagePriority
  }

  /// One host's waiters, by their priority.
  fileprivate struct Line {
    let origin: Origin
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
  private var numbers: [Origin: Number] = [:]
  /// `nil` at the numbers that stand for no host.
  private var lines: [Line?] = []
  private var freeNumbers: [Number] = []

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
  mutating func enterAtOnce(_ origin: Origin, _ priority: ImagePriority) -> Number? {
    guard waiters.isEmpty else { return nil }
    let known = numbers[origin]
    guard hasPlace(known.flatMap { lines[$0]?.activeCount } ?? 0, priority) else { return nil }
    let number = known ?? add(origin)
    lines[number]?.activeCount += 1
    activeCount += 1
    return number
  }

  mutating func join(_ origin: Origin, id: UInt64, _ priority: ImagePriority) {
    let number = numbers[origin] ?? add(origin)
    waiters[id] = Waiter(line: number, priority: priority)
    lines[number]?.waitingCount += 1
    lines[number]?.insert(id, priority)
  }

  mutating func reorder(_ id: UInt64, _ priority: ImagePriority) {
    guard let waiter = waiters[id], waiter.priority != priority else { return }
    waiters[id]?.priority = priority
    lines[waiter.line]?.insert(id, priority)
  }

  mutating func giveUp(_ id: UInt64) {
    guard let waiter = waiters.removeValue(forKey: id) else { return }
    lines[waiter.line]?.waitingCount -= 1
    removeIfIdle(waiter.line)
  }

  mutating func leave(_ number: Number) {
    activeCount -= 1
    lines[number]?.activeCount -= 1
    removeIfIdle(number)
  }

  /// Gives a place to the most urgent that may have one.
  mutating func admitNext() -> (id: UInt64, line: Number)? {
    guard activeCount < limits.total, !waiters.isEmpty else { return nil }
    var best: (priority: ImagePriority, id: UInt64, line: Number)?
    for number in lines.indices where (lines[number]?.waitingCount ?? 0) > 0 {
      guard let candidate = candidate(in: number) else { continue }
      if let best, (best.priority, candidate.id) > (candidate.priority, best.id) { continue }
      best = (candidate.priority, candidate.id, number)
    }
    guard let best, waiters.removeValue(forKey: best.id) != nil else { return nil }
    lines[best.line]?.waitingCount -= 1
    lines[best.line]?.activeCount += 1
    activeCount += 1
    return (best.id, best.line)
  }

  private mutating func candidate(in number: Number) -> (priority: ImagePriority, id: UInt64)? {
    for priority in Self.mostUrgentFirst {
      guard let line = lines[number], hasPlace(line.activeCount, priority) else { continue }
      let (queue, first) = line.queue(priority)
      var head = first
      while head < queue.count, waiters[queue[head]]?.priority != priority { head += 1 }
      let candidate = head < queue.count ? queue[head] : nil
      if head != first { lines[number]?.drop(upTo: head, priority) }
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

  private mutating func add(_ origin: Origin) -> Number {
    let number = freeNumbers.popLast() ?? lines.count
    if number == lines.count { lines.append(nil) }
    lines[number] = Line(origin: origin)
    numbers[origin] = number
    return number
  }

  private mutating func removeIfIdle(_ number: Number) {
    guard let line = lines[number], line.activeCount == 0, line.waitingCount == 0 else { return }
    numbers[line.origin] = nil
    lines[number] = nil
    freeNumbers.append(number)
  }
}

extension HostQueues.Line {
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
