public import Foundation

/// The two clocks that caches live by. Give a pipeline one that you move by hand to test what happens later.
public protocol TimeSource: Sendable {
  /// The date and time on the wall; it may jump in both directions.
  func now() -> Date
  /// Time since some fixed moment; it never goes back.
  func uptime() -> Duration
}

/// The clocks of the system.
public struct SystemTime: TimeSource {
  private static let start = ContinuousClock.now

  /// Creates the source; all of them show the same time.
  public init() {}

  /// The system's date.
  public func now() -> Date { Date() }

  /// Time since this process first asked, sleep of the machine included.
  public func uptime() -> Duration { Self.start.duration(to: .now) }
}
