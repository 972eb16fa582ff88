public import Foundation

/// The clocks of a pipeline and its caches: wall-clock time and uptime.
///
/// A test passes a source that it advances by hand.
public protocol TimeSource: Sendable {
  /// The current date; it may jump in both directions.
  func now() -> Date
  /// The time since an arbitrary fixed moment; it never decreases.
  func uptime() -> Duration
  /// Suspends for a duration; throws `CancellationError` as soon as the task is cancelled.
  func sleep(for duration: Duration) async throws
}

extension TimeSource {
  /// Suspends with `Task.sleep`, for at most 68 years.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration.clamped) }
}

/// The system's clocks.
public struct SystemTime: TimeSource {
  /// Creates a source; all instances read the same clocks.
  public init() {}

  /// The system's date.
  public func now() -> Date { Date() }

  /// The time since the machine started, including sleep.
  public func uptime() -> Duration { .nanoseconds(Self.uptimeNanoseconds()) }

  // Half the cost of `ContinuousClock`; called for every memory hit.
  @inlinable
  package static func uptimeNanoseconds() -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  #if canImport(Darwin)
  @inlinable static var clock: clockid_t { CLOCK_MONOTONIC }
  #else
  @inlinable static var clock: clockid_t { CLOCK_BOOTTIME }
  #endif
}
