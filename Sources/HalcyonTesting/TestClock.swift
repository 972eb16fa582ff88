public import HalcyonSupport
public import Foundation

/// A time source that only moves when a test advances it.
///
/// ```swift
/// let clock = TestClock()
/// let pipeline = ImagePipeline { ($0.transport, $0.cache, $0.time) = (transport, ImageCache(disk: nil), clock) }
/// clock.advance(by: .seconds(60))
/// ```
public final class TestClock: TimeSource {
  private struct Sleeper {
    let id: UInt64
    let end: Duration
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var date: Date
    var uptime = Duration.zero
    var sleepers: [Sleeper] = []
    var watchers: [(id: UInt64, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    var lastID: UInt64 = 0
  }

  private let state: Lock<State>

  /// Creates a clock set to a date, with an uptime of zero.
  public init(date: Date = Date(timeIntervalSince1970: 1_700_000_000)) {
    state = Lock(State(date: date))
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
      let parts = duration.components
      state.date += Double(parts.seconds) + Double(parts.attoseconds) * 1e-18
      let now = state.uptime
      defer { state.sleepers.removeAll { $0.end <= now } }
      return state.sleepers.filter { $0.end <= now }
    }
    for sleeper in woken { sleeper.continuation.resume(returning: true) }
  }

  /// Waits until the clock has been advanced by this duration in total.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(for duration: Duration) async throws {
    guard duration > .zero else { return try Task.checkCancellation() }
    let id = newID()
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        addSleeper(id, for: duration, continuation)
        if Task.isCancelled { wake(id) }
      }
    } onCancel: {
      wake(id)
    }
    if !isOver { throw CancellationError() }
  }

  /// The number of tasks that are sleeping.
  public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

  /// Waits until at least `count` tasks are sleeping.
  ///
  /// Returns early when the task is cancelled, so that the time limit of a test ends it if nothing sleeps.
  public func waitForSleepers(_ count: Int = 1) async {
    let id = newID()
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

  private func endWatching(_ id: UInt64) {
    let watcher = state.withLock { state in
      state.watchers.firstIndex { $0.id == id }.map { state.watchers.remove(at: $0) }
    }
    watcher?.continuation.resume()
  }

  private func newID() -> UInt64 {
    state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
  }

  private func addSleeper(_ id: UInt64, for duration: Duration, _ continuation: CheckedContinuation<Bool, Never>) {
    let watchers = state.withLock { state in
      let sleeper = Sleeper(id: id, end: state.uptime + duration, continuation: continuation)
      state.sleepers.append(sleeper)
      let count = state.sleepers.count
      defer { state.watchers.removeAll { $0.count <= count } }
      return state.watchers.filter { $0.count <= count }
    }
    for watcher in watchers { watcher.continuation.resume() }
  }

  private func wake(_ id: UInt64) {
    let sleeper: Sleeper? = state.withLock { state in
      state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
    }
    sleeper?.continuation.resume(returning: false)
  }

  /// Sets the date, as users and time servers do; the uptime does not change.
  public func setDate(_ date: Date) {
    state.withLock { $0.date = date }
  }
}
