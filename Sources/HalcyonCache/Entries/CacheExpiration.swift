public import Foundation

/// When a cache entry expires.
///
/// An expired entry is not served.
///
/// ```swift
/// request.options.storeExpiration = .days(30)
/// ```
public enum CacheExpiration: Hashable, Sendable {
  /// It does not expire.
  case never
  /// It is expired from the start.
  case expired
  /// It expires this long after it was last read or written.
  case after(Duration)
  /// It expires at a date; reading does not extend it.
  case date(Date)

  /// It expires this many seconds after the last use.
  public static func seconds(_ count: Int) -> CacheExpiration { .after(.seconds(count)) }
  /// It expires this many minutes after the last use.
  public static func minutes(_ count: Int) -> CacheExpiration { .after(.seconds(product(count, 60))) }
  /// It expires this many hours after the last use.
  public static func hours(_ count: Int) -> CacheExpiration { .after(.seconds(product(count, 3600))) }
  /// It expires this many days of 24 hours after the last use.
  public static func days(_ count: Int) -> CacheExpiration { .after(.seconds(product(count, 86_400))) }

  /// The product, clamped to the range of `Int`.
  private static func product(_ count: Int, _ factor: Int) -> Int {
    let (product, isOver) = count.multipliedReportingOverflow(by: factor)
    return isOver ? (count > 0 ? .max : .min) : product
  }
}

extension CacheExpiration {
  /// The date on which an entry used now expires; for ``never`` in a hundred years, which file systems can store.
  func end(from now: Date) -> Date {
    switch self {
    case .never: now.addingTimeInterval(100 * 365 * 86_400)
    case .expired: now
    case .after(let duration): now.addingTimeInterval(duration.inSeconds)
    case .date(let end): end
    }
  }
}
