package import HalcyonSupport
package import HalcyonHTTP

/// A response that may be stored with ``HTTPCache/store(_:body:)``.
public struct StorableResponse: Sendable {
  /// The metadata to store with the body. Tags and an expiration may be added.
  public var metadata: EntryMetadata
  let key: CacheKey
  let requestHeaders: HTTPHeaders
  /// The variants stored when the request was looked up.
  let knownVariants: [VaryKey]

  package init(metadata: EntryMetadata, key: CacheKey, requestHeaders: HTTPHeaders, knownVariants: [VaryKey]) {
    self.metadata = metadata
    self.key = key
    self.requestHeaders = requestHeaders
    self.knownVariants = knownVariants
  }
}
