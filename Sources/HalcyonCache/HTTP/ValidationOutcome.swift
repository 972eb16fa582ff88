package import HalcyonSupport
package import HalcyonHTTP

/// What a cache says about the answer to a request.
public enum ValidationOutcome: Sendable {
  /// The answer goes to whoever asked. With a draft it may be kept, once its body is there and right.
  case deliver(StorableResponse?)
  /// The stored answer is served: a 304 renewed it, or it stands in for an error.
  case serve(StoredEntry)
  /// The 304 is about something that is not stored: send the request again as ``CacheLookup/unconditional``.
  case fetchUnconditionally
}

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
