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

  /// The number of bytes in the range.
  package var byteCount: Int { last - first + 1 }

  private static func number(_ text: String) -> Int? { text.isASCIIDigits ? Int(text) : nil }
}
