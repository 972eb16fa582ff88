public import HalcyonSupport
public import Foundation

/// A time source that only moves when a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// let pipeline = ImagePipeline { ($0.transport, $0.cache, $0.time) = (transport, ImageCache(disk: nil), clock) }
/// clock.advance(by: .seconds(60))
/// ```
///
/// No test hangs because it does not advance its clock. If nothing advances it for the patience of the clock, by
/// default 30 seconds of real time, a wait ends with an error and a message on standard error.
public final class TestClock: TimeSource {
  private struct Sleeper {
    let id: UInt64
    let end: Duration
    let continuation: CheckedContinuation<WakeUp, Never>
  }

  private enum WakeUp {
    case timeHasCome
    case cancelled
    case forgotten
  }

  private struct State {
    var date: Date
    var uptime = Duration.zero
    var sleepers: [Sleeper] = []
    var watchers: [(id: UInt64, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var lastID: UInt64 = 0
    var advanceCount = 0
  }

  private let state: Lock<State>
  private let patience: Duration

  /// Creates a clock set to a date, with an uptime of zero.
  ///
  /// - Parameters:
  ///   - date: The first date.
  ///   - patience: The real time after which a wait ends with an error unless the clock is advanced.
  public init(date: Date = Date(timeIntervalSince1970: 1_700_000_000), patience: Duration = .seconds(30)) {
    state = Lock(State(date: date))
    self.patience = patience
  }

  /// The current date.
  public func now() -> Date { state.withLock(\.date) }

  /// The sum of all advances.
  public func uptime() -> Duration { state.withLock(\.uptime) }

  /// Advances the date and the uptime, and resumes the sleeping tasks whose time has come.
  ///
  /// - Parameter duration: At least zero.
  public func advance(by duration: Duration) {
    precondition(
      duration >= .zero, "duration must be at least 0, got \(duration); use setDate(_:) to move the date back")
    let woken = state.withLock { state in
      state.uptime += duration
      state.advanceCount += 1
      let parts = duration.components
      state.date += Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
      let now = state.uptime
      defer { state.sleepers.removeAll { $0.end <= now } }
      return state.sleepers.filter { $0.end <= now }
    }
    for sleeper in woken { sleeper.continuation.resume(returning: .timeHasCome) }
  }

  /// Waits until the clock has been advanced by this duration in total.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled; ``NotAdvanced`` when the patience of the clock ends.
  public func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return try Task.checkCancellation() }
    let id = newID()
    let guardian = Task { await giveUp(on: id) }
    defer { guardian.cancel() }
    let wakeUp = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        addSleeper(id, for: duration, continuation)
        if Task.isCancelled { wake(id, .cancelled) }
      }
    } onCancel: {
      wake(id, .cancelled)
    }
    switch wakeUp {
    case .timeHasCome: return
    case .cancelled: throw CancellationError()
    case .forgotten:
      let error = NotAdvanced(duration: duration, patience: patience)
      error.show()
      throw error
    }
  }

  /// Nothing has advanced the clock while a task waited for it.
  public struct NotAdvanced: Error, CustomStringConvertible {
    let duration: Duration
    let patience: Duration

    /// How long it waited, and how to advance the clock.
    public var description: String {
      """
      TestClock: a wait of \(duration) has ended with an error, since no test has advanced the clock for \(patience). \
      Call clock.advance(by: \(duration)) when clock.waitForSleepers() has returned, or do without the wait, for example \
      with RetryStrategy.never for a load that fails.
      """
    }

    fileprivate func show() { try? FileHandle.standardError.write(contentsOf: Data((description + "\n").utf8)) }
  }

  /// Ends a wait when the clock has not been advanced for the time of its patience.
  private func giveUp(on id: UInt64) async {
    var seen = state.withLock(\.advanceCount)
    while (try? await Task.sleep(for: patience)) != nil {
      let count = state.withLock(\.advanceCount)
      if count == seen { return wake(id, .forgotten) }
      seen = count
    }
  }

  /// The number of tasks that are sleeping.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Waits until at least `count` tasks are sleeping.
  ///
  /// Returns early when the task is cancelled, so that the time limit of a test ends it, and with a message on standard
  /// error when the patience of the clock ends: nothing sleeps then.
  public func waitForSleepers(_ count: Int = 1) async {
    let id = newID()
    let guardian = Task {
      guard (try? await Task.sleep(for: patience)) != nil, endWatching(id) else { return }
      let text =
        "TestClock: \(sleeperCount) of \(count) tasks wait for the clock after \(patience). Is the load still running?\n"
      try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
    defer { guardian.cancel() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isReached = state.withLock { state in
          if state.sleepers.count < count { state.watchers.append((id, count, continuation)) }
          return state.sleepers.count >= count
        }
        if isReached { continuation.resume() }
        if Task.isCancelled { endWatching(id) }
      }
    } onCancel: {
      endWatching(id)
    }
  }

  /// Whether the watcher was waiting.
  @discardableResult
  private func endWatching(_ id: UInt64) -> Bool {
    let watcher = state.withLock { state in
      state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
    }
    watcher?.continuation.resume()
    return watcher != nil
  }

  private func newID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  private func addSleeper(_ id: UInt64, for duration: Duration, _ continuation: CheckedContinuation<WakeUp, Never>) {
    let watchers = state.withLock { state in
      let sleeper = Sleeper(id: id, end: state.uptime + duration, continuation: continuation)
      state.sleepers.append(sleeper)
      let count = state.sleepers.count
      defer { state.watchers.removeAll { $0.count <= count } }
      return state.watchers.filter { $0.count <= count }
    }
    for watcher in watchers { watcher.continuation.resume() }
  }

  private func wake(_ id: UInt64, _ reason: WakeUp) {
    let sleeper: Sleeper? = state.withLock { state in
      state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
    }
    sleeper?.continuation.resume(returning: reason)
  }

  /// Sets the date, as users and time servers do; the uptime does not change.
  public func setDate(_ date: Date) {
    state.withLock { $0.date = date }
  }
}
