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
