package import Foundation

/// A `Retry-After` field: seconds or a date (RFC 9110, 10.2.3).
package enum RetryAfter {
  /// The delay of a response. A date counts from the server's own `Date`, if it sends one: its clock may be wrong.
  package static func delay(in headers: HTTPHeaders, now: Date) -> Duration? {
    guard let field = headers["Retry-After"] else { return nil }
    return parse(field, now: headers["Date"].flatMap { HTTPDate.parse($0, now: now) } ?? now)
  }

  /// The delay from `date` on, at least zero; a number of seconds is capped at 2^31. `nil` if the field is invalid.
  ///
  /// - Parameter date: When the response was received.
  package static func parse(_ field: String?, now date: Date) -> Duration? {
    guard let field else { return nil }
    if field.isASCIIDigits, let seconds = Int64(field) { return .seconds(min(seconds, Int64(1) << 31)) }
    return HTTPDate.parse(field, now: date).map { .seconds(max(0, $0.timeIntervalSince(date))) }
  }
}
