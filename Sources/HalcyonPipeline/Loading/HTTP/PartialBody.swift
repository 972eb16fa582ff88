import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// The first bytes of an interrupted download, and the validator to request the rest with (RFC 9110, 13.1.5 and 14).
final class PartialBody: Sendable {
  let data: Data
  /// The head of the response that the bytes belong to.
  let metadata: EntryMetadata
  /// Proves that the rest belongs to the same representation: a strong entity tag, or a date.
  private let validator: String

  /// `Last-Modified` is a strong validator only if it is at least this many seconds before `Date` (RFC 9110, 8.8.2.2).
  private static let strongDateAge = 60.0

  /// `nil` if the response does not allow ranges or has no strong validator.
  ///
  /// - Parameter usesETags: Whether entity tags identify representations; otherwise only responses without one are
  ///   resumed.
  convenience init?(data: Data, metadata: EntryMetadata, usesETags: Bool) {
    let headers = metadata.headers
    guard !data.isEmpty, metadata.status == 200, headers["Content-Encoding"] == nil,
      headers["Accept-Ranges"]?.lowercased().contains("bytes") == true, let validator = Self.validator(headers),
      usesETags || headers["ETag"] == nil, data.count < headers.contentLength ?? .max
    else { return nil }
    self.init(data, metadata, validator: validator)
  }

  private init(_ data: Data, _ metadata: EntryMetadata, validator: String) {
    self.data = data
    self.metadata = metadata
    self.validator = validator
  }

  /// The size of the whole body in bytes, if known.
  var byteCount: Int? { metadata.headers.contentLength }

  /// The fields that request the rest.
  var requestFields: HTTPHeaders {
    ["Range": "bytes=\(data.count)-", "If-Range": validator, "Accept-Encoding": "identity"]
  }

  /// Whether a 206 response is the rest of this body, up to its end.
  func isContinued(by headers: HTTPHeaders) -> Bool {
    guard headers["Content-Encoding"] == nil, let range = ContentRange(headers["Content-Range"]) else { return false }
    guard hasSameValidator(headers) else { return false }
    if let byteCount, range.total ?? byteCount != byteCount || range.last + 1 != byteCount { return false }
    if headers["Transfer-Encoding"] == nil, let length = headers.contentLength, length != range.byteCount {
      return false
    }
    return range.first == data.count && range.total.map { $0 == range.last + 1 } ?? true
  }

  /// Parts are joined only if their validators match (RFC 9110, 15.3.7.3).
  ///
  /// A 206 repeats the `ETag` of the whole response, but need not repeat `Last-Modified`, which `If-Range` contained
  /// (15.3.7).
  private func hasSameValidator(_ headers: HTTPHeaders) -> Bool {
    let theirs = Self.isStrong(validator) ? headers["ETag"] ?? "" : headers["Last-Modified"] ?? validator
    return theirs.utf8.elementsEqual(validator.utf8)
  }

  /// The same body with more bytes.
  func extended(to data: Data) -> PartialBody {
    PartialBody(data, metadata, validator: validator)
  }

  private static func validator(_ headers: HTTPHeaders) -> String? {
    if let tag = headers["ETag"] { return isStrong(tag) ? tag : nil }
    guard let text = headers["Last-Modified"], let date = headers["Date"],
      let modified = HTTPDate.parse(text, now: .now), let made = HTTPDate.parse(date, now: .now),
      made.timeIntervalSince(modified) >= strongDateAge
    else { return nil }
    return text
  }

  private static func isStrong(_ tag: String) -> Bool { tag.hasPrefix("\"") && tag.utf8.count >= 2 }
}

extension HTTPRequest {
  /// Whether the request resumes a download that an earlier load began: the store has the beginning of the body alone.
  var resumesDownload: Bool {
    lookup?.miss == .partial && load.resolved.storeAccess.reads && load.resolved.cachePolicy != .reload
      && content == nil
  }
}

extension ImageError {
  /// Whether the bytes received before the error are valid, so that the download can be resumed.
  var allowsResuming: Bool {
    switch self {
    case .transport(let error, _): error.isTransient
    case .cancelled: true
    default: false
    }
  }
}

extension ImageError {
  /// Whether a server that refuses a range may respond with this: with other content than an image.
  var mayRefuseRange: Bool {
    switch self {
    case .emptyResponse, .notAnImage, .decoding, .tooManyRedirects: true
    case .transport(.malformedResponse, _), .transport(.badContentEncoding, _): true
    default: false
    }
  }

  /// Whether the connection was closed instead of a response.
  var isWithoutResponse: Bool {
    if case .transport(.connectionLost(received: 0, _), _) = self { true } else { false }
  }
}

/// Partial bodies in the store, so that a later load resumes the download, in another process too.
///
/// They are entries under keys of their own, count toward the same limit, and expire after a day. A miss of the whole
/// body reports whether there is one (``CacheMiss/partial``). Memcached and S3-compatible storage keep none, so that a
/// miss costs one request to each of them.
struct PartialBodies: Sendable {
  /// Downloading a shorter body again is as fast as looking it up.
  private static let smallestByteCount = 32 << 10

  let load: Load
  /// The store of the load's cache as the pipeline uses it.
  let store: any DataStore

  func stored() async -> PartialBody? {
    guard let entry = try? await store.entry(for: load.key.ofPartialBody) else { return nil }
    // The expiration and the tags belong to the entry of the partial body only.
    var metadata = entry.metadata
    (metadata.expiration, metadata.tags) = (nil, [])
    return PartialBody(data: entry.body, metadata: metadata, usesETags: load.resolved.usesETags)
  }

  /// - Returns: The write; `nil` if the body is not stored.
  @discardableResult
  func store(_ partial: PartialBody) async -> Task<Void, Never>? {
    guard partial.data.count >= Self.smallestByteCount else { return nil }
    var metadata = partial.metadata
    metadata.expiration = .days(1)
    metadata.tags = ["partial"]
    let entry = StoredEntry(body: partial.data, metadata: metadata)
    return await load.cache.writes.start(byteCount: partial.data.count) {
      if !load.watch.isRemovedFromStore { try? await store.store(entry, for: load.key.ofPartialBody) }
    }
  }

  func remove() async {
    await load.cache.writes.start(byteCount: 0) { try? await store.removeEntry(for: load.key.ofPartialBody) }
  }
}
