import Halcyon

/// The byte range of a range request (RFC 9110, 14.1.2).
enum ByteRange: Equatable {
  /// A range within the body.
  case part(Range<Int>)
  /// The range lies outside the body.
  case unsatisfiable

  /// `nil` when the whole body is to be sent: without a range, with a failed `If-Range` or malformed `Range`, or with
  /// several ranges, to which a server may respond with the whole body.
  init?(_ request: HTTPHeaders, stored: HTTPHeaders, byteCount: Int) {
    guard let field = request["Range"]?.lowercased(), field.hasPrefix("bytes="), Self.holds(request["If-Range"], stored)
    else { return nil }
    let ends = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false).map {
      String($0).trimmingPrefix { $0 == " " }
    }
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
    switch (Int(ends[0]), Int(ends[1])) {
    case (let first?, let last?) where last < first: return nil
    case (let first?, let last):
      self = first < byteCount ? .part(first..<min(last ?? .max - 1, byteCount - 1) + 1) : .unsatisfiable
    case (nil, let count?) where ends[0].isEmpty:
      self = count > 0 && byteCount > 0 ? .part(max(0, byteCount - count)..<byteCount) : .unsatisfiable
    default: return nil
    }
  }

  /// Whether `If-Range` matches the stored response: by a strong entity tag, or by the same date.
  private static func holds(_ condition: String?, _ stored: HTTPHeaders) -> Bool {
    guard let condition else { return true }
    return !condition.hasPrefix("W/") && (condition == stored["ETag"] || condition == stored["Last-Modified"])
  }
}
