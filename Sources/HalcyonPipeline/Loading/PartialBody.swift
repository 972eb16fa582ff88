import HalcyonHTTP
import HalcyonCache
import Foundation

/// The beginning of a body whose transfer was cut, and what is needed to ask for the rest (RFC 9110, 13.1.5 and 14).
final class PartialBody: Sendable {
  let data: Data
  /// The head of the answer that the bytes came with.
  let metadata: EntryMetadata
  /// Proves that the rest belongs to the same bytes: a strong entity tag, or a date.
  private let validator: String

  /// A date of change proves something only when the change was this much before the answer.
  private static let settlingTime = 60.0

  /// `nil` when the server does not say that, or how, the transfer can be taken up again.
  convenience init?(data: Data, metadata: EntryMetadata) {
    let headers = metadata.headers
    guard !data.isEmpty, metadata.status == 200, headers["Content-Encoding"] == nil,
      headers["Accept-Ranges"]?.lowercased().contains("bytes") == true, let validator = Self.validator(headers),
      data.count < headers.contentLength ?? .max
    else { return nil }
    self.init(data, metadata, validator: validator)
  }

  private init(_ data: Data, _ metadata: EntryMetadata, validator: String) {
    self.data = data
    self.metadata = metadata
    self.validator = validator
  }

  /// Bytes of the whole body, where known.
  var byteCount: Int? { metadata.headers.contentLength }

  /// The fields that ask for the rest.
  var requestFields: HTTPHeaders {
    ["Range": "bytes=\(data.count)-", "If-Range": validator, "Accept-Encoding": "identity"]
  }

  /// Whether an answer is the rest of these bytes, to its end.
  func isContinued(by headers: HTTPHeaders) -> Bool {
    guard headers["Content-Encoding"] == nil, let range = ContentRange(headers["Content-Range"]) else { return false }
    if let tag = headers["ETag"], Self.isStrong(validator), tag != validator { return false }
    if let byteCount, let total = range.total, total != byteCount { return false }
    return range.first == data.count && range.total.map { $0 == range.last + 1 } ?? true
  }

  /// The same beginning with more bytes.
  func extended(to data: Data) -> PartialBody {
    PartialBody(data, metadata, validator: validator)
  }

  private static func validator(_ headers: HTTPHeaders) -> String? {
    if let tag = headers["ETag"] { return isStrong(tag) ? tag : nil }
    guard let text = headers["Last-Modified"], let date = headers["Date"],
      let modified = HTTPDate.parse(text, now: .now), let made = HTTPDate.parse(date, now: .now),
      made.timeIntervalSince(modified) >= settlingTime
    else { return nil }
    return text
  }

  private static func isStrong(_ tag: String) -> Bool { tag.hasPrefix("\"") && tag.utf8.count >= 2 }
}
