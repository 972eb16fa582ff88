import Foundation

/// What to ask a web server for.
struct WebOrder: Sendable {
  var url: URL
  /// The fields of the request; those of the pipeline are added.
  var headers: HTTPHeaders
  /// The fields that ask whether what is stored still holds; empty when nothing is.
  var validators = HTTPHeaders()
  /// The fetch key.
  var key: CacheKey
  var cachePolicy: CachePolicy
}

/// What a web server gave.
enum WebAnswer: Sendable {
  case body(WebBody)
  /// What is stored still holds (304).
  case notModified(headers: HTTPHeaders, requestDate: Date, responseDate: Date)
}

/// A whole body that looks like an image.
struct WebBody: Sendable {
  var data: Data
  var info: ImageInfo
  var metadata: EntryMetadata
  /// Whether the bytes may outlive the process.
  var isStorable: Bool
}
