public import Foundation

/// Parses the three date formats of HTTP, and formats the preferred one (RFC 9110, 5.6.7).
///
/// Foundation's `Date.HTTPFormatStyle` is missing in Swift's toolchains for Linux up to 6.3.1.
public enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// The date in the preferred format, for example `Sun, 06 Nov 1994 08:49:37 GMT`, which ends with the year 9999.
  public static func text(_ date: Date) -> String {
    let seconds = min(max(date.timeIntervalSince1970, -62_167_219_200.0), 253_402_300_799.0)
    let style = Date.VerbatimFormatStyle(
      format: """
        \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
        \(second: .twoDigits) GMT
        """,
      locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    return Date(timeIntervalSince1970: seconds).formatted(style)
  }

  /// The date of a field value, or `nil` if it has none of the three formats exactly, apart from case.
  ///
  /// - Parameters:
  ///   - text: The value of the field.
  ///   - now: Determines the century of a two-digit year: a date that would be over 50 years in the future is in the past.
  public static func parse(_ text: String, now: Date = .now) -> Date? {
    let parts = text.lowercased().split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    // Sun, 06 Nov 1994 08:49:37 GMT
    case 6 where parts[0].hasSuffix(",") && parts[5] == "gmt":
      return date(day: parts[1], month: parts[2], year: number(parts[3], digits: 4), time: parts[4])
    // Sunday, 06-Nov-94 08:49:37 GMT
    case 4 where parts[0].hasSuffix(",") && parts[3] == "gmt":
      let day = parts[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
      guard day.count == 3 else { return nil }
      let year = number(day[2], digits: 2).map { century($0, now: now) }
      return date(day: day[0], month: day[1], year: year, time: parts[2])
    // Sun Nov 06 08:49:37 1994
    case 5:
      return date(day: parts[2], month: parts[1], year: number(parts[4], digits: 4), time: parts[3])
    // Sun Nov  6 08:49:37 1994
    case 6 where parts[2].isEmpty:
      return date(day: "0" + parts[3], month: parts[1], year: number(parts[5], digits: 4), time: parts[4])
    default: return nil
    }
  }

  private static func date(day: String, month: String, year: Int?, time: String) -> Date? {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map { number(String($0), digits: 2) }
    guard let day = number(day, digits: 2), let month = months.firstIndex(of: month), let year, clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2], (1...31).contains(day), hour < 24,
      minute < 60, second <= 60
    else { return nil }
    let days = daysSince1970(year: year, month: month + 1, day: day)
    return Date(timeIntervalSince1970: Double(days * 86_400 + hour * 3600 + minute * 60 + second))
  }

  private static func century(_ twoDigits: Int, now: Date) -> Int {
    let thisYear = 1970 + Int(now.timeIntervalSince1970 / 31_556_952)
    let candidate = thisYear / 100 * 100 + twoDigits
    return candidate > thisYear + 50 ? candidate - 100 : candidate
  }

  private static func number(_ text: String, digits: Int) -> Int? {
    text.utf8.count == digits && text.isASCIIDigits ? Int(text) : nil
  }

  /// Days in the proleptic Gregorian calendar; years are counted from March, so that a leap day is the last of its year.
  private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
    let shifted = month > 2 ? year : year - 1
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}
