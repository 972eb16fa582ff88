public import Foundation

/// When an entry stops being served.
public enum CacheExpiration: Hashable, Sendable {
  /// It is served as long as it is there.
  case never
  /// It is not served at all.
  case expired
  /// This long after it was last read or written.
  case after(Duration)
  /// At a date, however often it is read.
  case date(Date)

  /// This many seconds after the last use.
  public static func seconds(_ count: Int) -> CacheExpiration { .after(.seconds(count)) }
  /// This many minutes after the last use.
  public static func minutes(_ count: Int) -> CacheExpiration { .after(.seconds(product(count, 60))) }
  /// This many hours after the last use.
  public static func hours(_ count: Int) -> CacheExpiration { .after(.seconds(product(count, 3600))) }
  /// This many days after the last use, each 24 hours.
  public static func days(_ count: Int) -> CacheExpiration { .after(.seconds(product(count, 86_400))) }

  /// More than there are seconds is all of them.
  private static func product(_ count: Int, _ factor: Int) -> Int {
    let (product, isOver) = count.multipliedReportingOverflow(by: factor)
    return isOver ? (count > 0 ? .max : .min) : product
  }
}
