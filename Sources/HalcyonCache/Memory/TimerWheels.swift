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
