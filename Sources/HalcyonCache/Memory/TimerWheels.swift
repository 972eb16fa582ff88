/// The deadlines of all entries, in one timer wheel for each clock.
struct TimerWheels: Sendable {
  private var uptimes: TimerWheel
  private var dates: TimerWheel

  init(at now: Timestamp) {
    uptimes = TimerWheel(second: now.uptimeSecond)
    dates = TimerWheel(second: now.dateSecond ?? 0)
  }

  /// Whether no timer is scheduled.
  var isEmpty: Bool { uptimes.isEmpty && dates.isEmpty }

  /// Schedules the timer of a node, replacing an earlier one.
  mutating func schedule(_ node: Int, at deadline: Deadline) {
    cancel(node)
    switch deadline {
    case .never: break
    case .uptime(let uptime): uptimes.schedule(node, second: Timestamp.second(ofUptime: uptime) + 1)
    case .date(let date): dates.schedule(node, second: Timestamp.second(of: date) + 1)
    }
  }

  mutating func cancel(_ node: Int) {
    uptimes.cancel(node)
    dates.cancel(node)
  }

  /// Removes and returns the nodes that may be due; nodes of the current second only if `exactly`.
  mutating func advance(to now: Timestamp, exactly: Bool) -> [Int] {
    var due = uptimes.advance(to: now.uptimeSecond)
    if let second = now.dateSecond {
      // A date set back by more than two seconds resets the wheel; smaller adjustments do not.
      due += second < dates.currentSecond - 2 ? dates.reset(to: second) : dates.advance(to: second)
    }
    if exactly { due += uptimes.removeNextSecond() + dates.removeNextSecond() }
    return due
  }
}

/// A hierarchical timer wheel: finds the members that are due in a second without looking at the others.
///
/// Four levels of 64 buckets, of 1, 64, 4,096 and 262,144 seconds each. However much time passes, a member is scheduled
/// again at most once for each level on its way down. Returned members may be due or only near: the caller checks the
/// exact time, and schedules members again that are not due yet.
struct TimerWheel: Sendable {
  private static let levels = 0..<4
  private static let horizon: Int64 = 1 << 24

  private(set) var currentSecond: Int64
  private var lists = LinkedLists(listCount: 4 * 64)

  init(second: Int64) {
    currentSecond = second
  }

  /// Whether no member is scheduled.
  var isEmpty: Bool { lists.isEmpty }

  /// Schedules a member for the second that ends after its deadline, replacing its earlier second.
  mutating func schedule(_ member: Int, second: Int64) {
    let second = min(max(second, currentSecond + 1), currentSecond + Self.horizon - 1)
    let distance = second - currentSecond
    let level = (63 - distance.leadingZeroBitCount) / 6
    lists.prepend(member, to: bucket(of: second, level: level))
  }

  mutating func cancel(_ member: Int) {
    lists.remove(member)
  }

  /// Advances to a second; removes and returns all members that may be due by then. A second in the past returns none.
  mutating func advance(to second: Int64) -> [Int] {
    let passed = currentSecond
    guard second > passed else { return [] }
    currentSecond = second
    return Self.levels.flatMap { remove(from: passed, to: second, level: $0) }
  }

  /// Removes and returns all members that may be due before the current second ends.
  mutating func removeNextSecond() -> [Int] {
    Self.levels.flatMap { remove(from: currentSecond, to: currentSecond + 1, level: $0) }
  }

  /// Removes and returns all members, and continues at another second.
  mutating func reset(to second: Int64) -> [Int] {
    currentSecond = second
    return (0..<4 * 64).flatMap { lists.removeAll(from: $0) }
  }

  private mutating func remove(from passed: Int64, to second: Int64, level: Int) -> [Int] {
    let (first, last) = (passed >> Int64(6 * level) + 1, second >> Int64(6 * level))
    guard first <= last else { return [] }
    return (max(first, last - 63)...last).flatMap { lists.removeAll(from: level * 64 + Int($0 & 63)) }
  }

  private func bucket(of second: Int64, level: Int) -> Int {
    level * 64 + Int((second >> Int64(6 * level)) & 63)
  }
}
