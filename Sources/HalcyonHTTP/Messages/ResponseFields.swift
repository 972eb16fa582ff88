package import Foundation

/// A `Content-Range` field, for example `bytes 500-999/1000` (RFC 9110, 14.4).
package struct ContentRange: Hashable {
  package let first: Int
  package let last: Int
  /// The complete length of the representation, in bytes; `nil` if unknown (`*`).
  package let total: Int?

  package init?(_ field: String?) {
    guard let field, field.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Self.number(String($0)) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
    let total = Self.number(parts[1])
    guard total != nil || parts[1] == "*", last < total ?? .max else { return nil }
    self.first = first
    self.last = last
    self.total = total
  }

  private static func number(_ text: String) -> Int? { text.isASCIIDigits ? Int(text) : nil }
}

/// A `Retry-After` field: seconds or a date (RFC 9110, 10.2.3).
package enum RetryAfter {
  /// The delay from `date` on, at least zero; a number of seconds is capped at 2^31. `nil` if the field is invalid.
  ///
  /// - Parameter date: When the response was received.
  package static func parse(_ field: String?, now date: Date) -> Duration? {
    guard let field else { return nil }
    if field.isASCIIDigits, let seconds = Int(field) { return .seconds(min(seconds, 1 << 31)) }
    return HTTPDate.parse(field, now: date).map { .seconds(max(0, $0.timeIntervalSince(date))) }
  }
}
