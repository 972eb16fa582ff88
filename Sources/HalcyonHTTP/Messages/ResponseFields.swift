package import Foundation

/// `Content-Range: bytes 500-999/1000` (RFC 9110, 14.4).
package struct ContentRange: Hashable {
  package let first: Int
  package let last: Int
  /// Bytes of the whole body; `nil` for `*`.
  package let total: Int?

  package init?(_ field: String?) {
    guard let field, field.lowercased().hasPrefix("bytes ") else { return nil }
    let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Self.number($0) }
    guard ends.count == 2, let first = ends[0], let last = ends[1], first <= last else { return nil }
    let total = Self.number(parts[1])
    guard total != nil || parts[1] == "*", last < total ?? .max else { return nil }
    self.first = first
    self.last = last
    self.total = total
  }

  private static func number(_ text: Substring) -> Int? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
  }
}

/// `Retry-After`: seconds, or a date (RFC 9110, 10.2.3).
package enum RetryAfter {
  /// - Parameter date: The date of the wall when the answer came.
  package static func parse(_ field: String?, now date: Date) -> Duration? {
    guard let field else { return nil }
    if field.utf8.allSatisfy({ (48...57).contains($0) }), let seconds = Int(field) {
      return .seconds(min(seconds, 1 << 31))
    }
    return HTTPDate.parse(field, now: date).map { .seconds(max(0, $0.timeIntervalSince(date))) }
  }
}
