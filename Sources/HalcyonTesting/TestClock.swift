public import Foundation
public import HalcyonCore

/// Clocks that stand still until they are moved.
public final class TestClock: TimeSource {
  private struct State {
    var date: Date
    var uptime = Duration.zero
  }

  private let state: Lock<State>

  /// Creates clocks that show a date.
  public init(date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
    state = Lock(State(date: date))
  }

  /// The date as last set.
  public func now() -> Date { state.withLock(\.date) }

  /// The sum of all steps forward.
  public func uptime() -> Duration { state.withLock(\.uptime) }

  /// Lets time pass on both clocks.
  public func advance(by duration: Duration) {
    precondition(duration >= .zero, "time passes forward only; use setDate(_:) to move the clock on the wall back")
    state.withLock { state in
      state.uptime += duration
      let parts = duration.components
      state.date += Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
    }
  }

  /// Sets the clock on the wall, as users and time servers do; the uptime stays.
  public func setDate(_ date: Date) {
    state.withLock { $0.date = date }
  }
}
