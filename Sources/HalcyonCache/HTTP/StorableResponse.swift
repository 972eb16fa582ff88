package import HalcyonSupport
package import HalcyonHTTP

/// An answer that may be kept.
public struct StorableResponse: Sendable {
  /// What is going to be stored beside the body. Tags and expiration may be added.
  public var metadata: EntryMetadata
  let key: CacheKey
  let requestHeaders: HTTPHeaders
  /// The variants that were known when the request was looked up.
  let knownVariants: [VariantKey]

  package init(metadata: EntryMetadata, key: CacheKey, requestHeaders: HTTPHeaders, knownVariants: [VariantKey]) {
    self.metadata = metadata
    self.key = key
    self.requestHeaders = requestHeaders
    self.knownVariants = knownVariants
  }
}
