import HalcyonSupport

/// Stops calls to something that fails, and lets a trial through now and then to see whether it works again.
///
/// A value without a clock or a lock: its owner has both. All times are uptimes.
struct CircuitBreaker: Sendable {
  /// Whether a call may be made.
  enum Permission: Sendable {
    /// It may.
    case granted
    /// It may, as a trial: until its outcome is known, no other call is permitted.
    case trial
    /// It may not.
    case refused
  }

  private enum State: Sendable {
    case closed(failureCount: Int)
    case open(end: Duration)
    /// A trial whose outcome is never recorded is repeated after `end`.
    case trial(end: Duration)
  }

  private let failureLimit: Int
  private let firstInterval: Duration
  private let longestInterval: Duration
  private var interval: Duration
  private var state = State.closed(failureCount: 0)

  /// How often it has opened, without trials that failed.
  private(set) var openCount = 0

  /// Creates a closed breaker.
  ///
  /// - Parameters:
  ///   - failureLimit: The number of failures in a row that open it; below 1 counts as 1.
  ///   - retryInterval: The time from opening to the first trial; doubled with each trial that fails, up to 32 times.
  init(failureLimit: Int, retryInterval: Duration) {
    self.failureLimit = max(1, failureLimit)
    firstInterval = retryInterval.clamped
    longestInterval = firstInterval * 32
    interval = firstInterval
  }

  /// Whether calls are refused, or one trial is in progress.
  var isOpen: Bool {
    if case .closed = state { false } else { true }
  }

  /// Whether a call may be made now; its outcome has to be recorded.
  mutating func permission(at now: Duration) -> Permission {
    switch state {
    case .closed: return .granted
    case .open(let end), .trial(let end):
      guard now >= end else { return .refused }
      state = .trial(end: now + interval)
      return .trial
    }
  }

  /// Returns the permission of a trial that was not made, so that the next call is the trial.
  mutating func abandonTrial(at now: Duration) {
    if case .trial = state { state = .open(end: now) }
  }

  /// Records a call that succeeded; after a trial all calls are permitted again.
  mutating func recordSuccess() {
    // The call was started before the breaker opened, so its success does not count.
    if case .open = state { return }
    state = .closed(failureCount: 0)
    interval = firstInterval
  }

  /// Records a call that failed.
  mutating func recordFailure(at now: Duration) {
    switch state {
    case .closed(let count) where count + 1 < failureLimit: state = .closed(failureCount: count + 1)
    case .closed:
      openCount += 1
      state = .open(end: now + interval)
    case .trial:
      interval = min(interval * 2, longestInterval)
      state = .open(end: now + interval)
    case .open: break
    }
  }
}
