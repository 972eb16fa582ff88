import HalcyonSupport
import HalcyonImaging
import HalcyonHTTP
import HalcyonCache
import Foundation

/// What to ask a web server for.
struct HTTPRequest: Sendable {
  var address: HTTPURL
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

  var url: URL { address.url }

  var origin: Origin { address.origin }

  /// Whether an answer of 304 is an answer.
  var isConditional: Bool { cacheFields["If-None-Match"] != nil || cacheFields["If-Modified-Since"] != nil }
}

/// What a web server gave.
enum HTTPResult: Sendable {
  case body(HTTPResponse)
  /// What is stored still holds (304).
  indirect case notModified(EntryMetadata)
}

/// A whole body that looks like an image.
final class HTTPResponse: Sendable {
  let data: Data
  let info: ImageInfo
  let metadata: EntryMetadata
  /// Whether the bytes may outlive the process.
  let isStorable: Bool

  init(data: Data, info: ImageInfo, metadata: EntryMetadata, isStorable: Bool) {
    self.data = data
    self.info = info
    self.metadata = metadata
    self.isStorable = isStorable
  }
}
