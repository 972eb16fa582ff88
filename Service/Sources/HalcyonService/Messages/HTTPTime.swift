import Foundation

/// The date format of HTTP (RFC 9110, 5.6.7).
///
/// Foundation's `Date.HTTPFormatStyle` is missing in Swift's toolchains for Linux up to 6.3.1.
enum HTTPTime {
  /// For example `Sun, 06 Nov 1994 08:49:37 GMT`.
  static func text(_ date: Date) -> String {
    let style = Date.VerbatimFormatStyle(
      format: """
        \(weekday: .abbreviated), \(day: .twoDigits) \(month: .abbreviated) \(year: .padded(4)) \
        \(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\
        \(second: .twoDigits) GMT
        """,
      locale: Locale(identifier: "en_US_POSIX"), timeZone: .gmt, calendar: Calendar(identifier: .gregorian))
    return date.formatted(style)
  }

  /// The date of a text in the form of ``text(_:)``; `nil` for any other.
  static func date(_ text: String) -> Date? {
    let parts = text.split(separator: " ")
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 6, parts[5] == "GMT", let month = months.firstIndex(of: String(parts[2])) else { return nil }
    let numbers = ([parts[1], parts[3]] + parts[4].split(separator: ":")).compactMap { Int($0) }
    guard numbers.count == 5, numbers.allSatisfy({ (0...9999).contains($0) }) else { return nil }
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar.date(
      from: DateComponents(
        year: numbers[1], month: month + 1, day: numbers[0], hour: numbers[2], minute: numbers[3], second: numbers[4]))
  }
}
