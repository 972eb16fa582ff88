public import Foundation

/// When a cache entry expires.
///
/// An expired entry is not served. Durations are clamped to 292 years in memory.
///
/// ```swift
/// request.options.storeExpiration = .days(30)
/// request.options.memoryExpiration = .after(.seconds(600), since: .storing)
/// ```
public enum CacheExpiration: Hashable, Sendable, Codable {
  /// It does not expire.
  case never
  /// It is expired from the start.
  case expired
  /// It expires at a date; reading does not extend it.
  case date(Date)
  /// It expires this long after it was last used, or stored.
  case after(Duration, since: Start = .lastUse)

  /// From when a duration counts.
  public enum Start: Hashable, Sendable, Codable {
    /// The last read, write or revalidation: an entry that is used stays.
    case lastUse
    /// The time when the image was stored. Neither reading nor revalidation extends it.
    case storing
  }

  /// It expires this many days of 24 hours after the last use, or after it was stored.
  public static func days(_ count: Int, since start: Start = .lastUse) -> CacheExpiration {
    let (seconds, isOver) = count.multipliedReportingOverflow(by: 86_400)
    return .after(.seconds(isOver ? (count > 0 ? .max : .min) : seconds), since: start)
  }
}

extension CacheExpiration {
  /// Whether it does not count from the time when an entry was stored.
  var isExtendedByUse: Bool {
    if case .after(_, since: .storing) = self { false } else { true }
  }

  /// The date on which an entry stored now expires; for ``never`` in a hundred years, which file systems can store.
  package func end(from now: Date) -> Date {
    switch self {
    case .never: now.addingTimeInterval(100 * 365 * 86_400)
    case .expired: now
    case .after(let duration, since: _): now.addingTimeInterval(duration.inSeconds)
    case .date(let end): end
    }
  }
}
