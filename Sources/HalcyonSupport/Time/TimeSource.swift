public import Foundation

/// The two clocks that caches live by. Give a pipeline one that you move by hand to test what happens later.
public protocol TimeSource: Sendable {
  /// The date and time on the wall; it may jump in both directions.
  func now() -> Date
  /// Time since some fixed moment; it never goes back.
  func uptime() -> Duration
  /// Waits this long, or throws `CancellationError` as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws
}

extension TimeSource {
  /// Waits as `Task.sleep` does.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

/// The clocks of the system.
public struct SystemTime: TimeSource {
  /// Creates the source; all of them show the same time.
  public init() {}

  /// The system's date.
  public func now() -> Date { Date() }

  /// Time since the machine started, its sleep included.
  public func uptime() -> Duration { .nanoseconds(Self.uptimeNanoseconds()) }

  package static func uptimeNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  // Half the time that `ContinuousClock` takes for the same; a hit in memory asks every time.
  #if canImport(Darwin)
  private static var clock: clockid_t { CLOCK_MONOTONIC }
  #else
  private static var clock: clockid_t { CLOCK_BOOTTIME }
  #endif
}
