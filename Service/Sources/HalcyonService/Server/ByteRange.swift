import HTTPTypes

/// The range of bytes that a request asks for (RFC 9110, 14.2).
enum ByteRange: Equatable {
  /// A range within the result.
  case part(Range<Int>)
  /// The range lies outside the result.
  case unsatisfiable

  /// `nil` where the whole result is sent: without a range, with several, with one that is malformed, or if the client
  /// has a part of another version.
  init?(_ request: HTTPFields, current: HTTPFields, byteCount: Int) {
    guard let field = request[.range]?.lowercased(), field.hasPrefix("bytes=") else { return nil }
    if let condition = request[.ifRange], condition != current[.eTag], condition != current[.lastModified] {
      return nil
    }
    let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
      .map { String($0.filter { $0 != " " }) }
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
    switch (Int(ends[0]), Int(ends[1])) {
    case (let first?, let last?) where last < first:
      return nil
    case (let first?, let last):
      guard last != nil || ends[1].isEmpty else { return nil }
      self = first < byteCount ? .part(first..<min(last ?? .max, byteCount - 1) + 1) : .unsatisfiable
    case (nil, let count?) where ends[0].isEmpty:
      self = count > 0 && byteCount > 0 ? .part(max(0, byteCount - count)..<byteCount) : .unsatisfiable
    default:
      return nil
    }
  }
}
