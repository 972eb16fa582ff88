package import Foundation

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
