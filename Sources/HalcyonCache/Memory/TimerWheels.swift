/// The deadlines of all entries, on the two clocks that they live by.
struct TimerWheels: Sendable {
  private var uptimes: TimerWheel
  private var dates: TimerWheel

  init(at moment: Timestamp) {
    uptimes = TimerWheel(second: moment.uptimeSecond)
    dates = TimerWheel(second: moment.dateSecond ?? 0)
  }

  /// Whether nothing is filed.
  var isEmpty: Bool { uptimes.isEmpty && dates.isEmpty }

  /// Files a node, wherever it was filed before.
  mutating func file(_ node: Int, under deadline: Deadline) {
    remove(node)
    switch deadline {
    case .never: break
    case .uptime(let uptime): uptimes.file(node, second: Timestamp.second(ofUptime: uptime) + 1)
    case .date(let date): dates.file(node, second: Timestamp.second(of: date) + 1)
    }
  }

  mutating func remove(_ node: Int) {
    uptimes.remove(node)
    dates.remove(node)
  }

  /// Takes out the nodes that may be due: those of the second that has begun only where `exactly`.
  mutating func takeDue(at moment: Timestamp, exactly: Bool) -> [Int] {
    var due = uptimes.advance(to: moment.uptimeSecond)
    if let second = moment.dateSecond {
      // A clock that was set back starts over; one that only trembles does not.
      due += second < dates.currentSecond - 2 ? dates.restart(at: second) : dates.advance(to: second)
    }
    if exactly { due += uptimes.takeNextSecond() + dates.takeNextSecond() }
    return due
  }
}

/// Files numbers under the second in which they fall due, and finds those that are due without looking at the others.
///
/// Four wheels of 64 buckets: seconds, then 64, 4,096 and 262,144 seconds in a bucket. Whatever time has passed, all a
/// number costs is being filed again once for each wheel on its way down. What is taken out may be due or only near:
/// whoever takes it looks at the exact time, and files it again.
struct TimerWheel: Sendable {
  private static let levels = 0..<4
  private static let horizon: Int64 = 1 << 24

  private(set) var currentSecond: Int64
  private var lists = LinkedLists(listCount: 4 * 64)

  init(second: Int64) {
    currentSecond = second
  }

  /// Whether no number is filed.
  var isEmpty: Bool { lists.isEmpty }

  /// Files a number under the second that ends after its deadline.
  mutating func file(_ member: Int, second: Int64) {
    let second = min(max(second, currentSecond + 1), currentSecond + Self.horizon - 1)
    let distance = second - currentSecond
    let level = (63 - distance.leadingZeroBitCount) / 6
    lists.prepend(member, to: bucket(of: second, level: level))
  }

  mutating func remove(_ member: Int) {
    lists.remove(member)
  }

  /// Moves on to a second, and takes out all that may be due by then; nothing when it has passed already.
  mutating func advance(to second: Int64) -> [Int] {
    let passed = currentSecond
    guard second > passed else { return [] }
    currentSecond = second
    return Self.levels.flatMap { take(from: passed, to: second, level: $0) }
  }

  /// Takes out all that may be due within the second that has begun.
  mutating func takeNextSecond() -> [Int] {
    Self.levels.flatMap { take(from: currentSecond, to: currentSecond + 1, level: $0) }
  }

  /// Takes out everything and starts again at another second.
  mutating func restart(at second: Int64) -> [Int] {
    currentSecond = second
    return (0..<4 * 64).flatMap { lists.removeAll(from: $0) }
  }

  private mutating func take(from passed: Int64, to second: Int64, level: Int) -> [Int] {
    let (first, last) = (passed >> Int64(6 * level) + 1, second >> Int64(6 * level))
    guard first <= last else { return [] }
    return (max(first, last - 63)...last).flatMap { lists.removeAll(from: level * 64 + Int($0 & 63)) }
  }

  private func bucket(of second: Int64, level: Int) -> Int {
    level * 64 + Int((second >> Int64(6 * level)) & 63)
  }
}
