import Foundation

/// What the clocks showed when an operation began; they are a user's code, never asked under a lock.
struct Timestamp: Sendable {
  /// Nanoseconds.
  var uptime: Int64
  /// `nil` as long as nothing needs it.
  var date: Date?

  var uptimeSecond: Int64 { Self.second(ofUptime: uptime) }

  var dateSecond: Int64? { date.map(Self.second) }

  static func second(ofUptime uptime: Int64) -> Int64 { uptime / 1_000_000_000 }

  static func second(of date: Date) -> Int64 {
    let seconds = date.timeIntervalSince1970
    return seconds.isNaN ? 0 : Int64(min(max(seconds, -1e15), 1e15).rounded(.down))
  }
}
