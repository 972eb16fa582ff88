import Foundation

/// What to ask a web server for.
struct WebOrder: Sendable {
  var url: URL
  /// The fields of the request, those of the pipeline included.
  var headers: HTTPHeaders
  /// The fields that ask whether what is stored still holds, and whatever else the caches want to be sent.
  var cacheFields = HTTPHeaders()
  /// The fetch key.
  var key: CacheKey
  var cachePolicy: CachePolicy
  /// Where the beginning of a cut body is kept.
  var cache: ImageCache
  /// Whether a failure that is remembered is passed over.
  var ignoresFailures = false

  /// Whether an answer of 304 is an answer.
  var isConditional: Bool { cacheFields["If-None-Match"] != nil || cacheFields["If-Modified-Since"] != nil }
}

/// What a web server gave.
enum WebAnswer: Sendable {
  case body(WebBody)
  /// What is stored still holds (304).
  case notModified(EntryMetadata)
}

/// A whole body that looks like an image.
struct WebBody: Sendable {
  var data: Data
  var info: ImageInfo
  var metadata: EntryMetadata
  /// Whether the bytes may outlive the process.
  var isStorable: Bool
}
