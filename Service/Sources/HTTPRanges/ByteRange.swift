import Foundation

/// The bytes that a range request asks for (RFC 9110, 14.1.2).
public enum ByteRange: Equatable {
  /// A range within the body.
  case part(Range<Int>)
  /// The range lies outside the body.
  case unsatisfiable

  /// `nil` when the whole body is to be sent: without a range, with a malformed one, with several ranges, to which a
  /// server may respond with the whole body, or when `ifRange` names another version of the body.
  ///
  /// - Parameters:
  ///   - range: The field `Range` of the request.
  ///   - ifRange: The field `If-Range` of the request.
  ///   - entityTag: The field `ETag` of the response.
  ///   - lastModified: The field `Last-Modified` of the response.
  ///   - byteCount: The length of the whole body.
  public init?(range: String?, ifRange: String?, entityTag: String?, lastModified: String?, byteCount: Int) {
    guard let range = range?.lowercased(), range.hasPrefix("bytes="),
      Self.isCurrent(ifRange, entityTag: entityTag, lastModified: lastModified)
    else { return nil }
    let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }) else { return nil }
    switch (Self.position(ends[0]), Self.position(ends[1])) {
    case (nil, nil): return nil
    case (let first?, let last?) where last < first: return nil
    case (let first?, let last):
      self = first < byteCount ? .part(first..<min(last ?? .max, byteCount - 1) + 1) : .unsatisfiable
    case (nil, let count?):
      self = count > 0 && byteCount > 0 ? .part(max(0, byteCount - count)..<byteCount) : .unsatisfiable
    }
  }

  /// Whether `If-Range` is missing, or matches by a strong comparison (RFC 9110, 13.1.5): a weak entity tag never does.
  private static func isCurrent(_ ifRange: String?, entityTag: String?, lastModified: String?) -> Bool {
    guard let ifRange else { return true }
    return !ifRange.hasPrefix("W/")
      && [entityTag, lastModified].contains { $0?.utf8.elementsEqual(ifRange.utf8) ?? false }
  }

  /// The number of decimal digits; `nil` without any. One that is too large lies outside every body.
  private static func position(_ digits: String) -> Int? { digits.isEmpty ? nil : Int(digits) ?? .max }
}
