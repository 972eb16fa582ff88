public import HalcyonSupport
public import HalcyonHTTP

/// The result of looking up a request in an ``HTTPCache``, before it is sent.
public struct CacheLookup: Sendable {
  /// How to handle the request.
  public enum Action: Hashable, Sendable {
    /// Serve ``CacheLookup/stored``.
    case serve
    /// Serve ``CacheLookup/stored``, and revalidate it in the background, once at a time for each key.
    case serveStaleWhileRevalidating
    /// Send the request with ``CacheLookup/addedFields``.
    case fetch
    /// Fail: no response may be served and the network may not be used. A proxy responds with 504.
    case unavailable
  }

  /// The constant part, by reference, because lookups are passed along often.
  private final class Finding: Sendable {
    let key: CacheKey
    let requestHeaders: HTTPHeaders
    let action: Action
    let response: StoredResponse

    init(_ key: CacheKey, _ requestHeaders: HTTPHeaders, _ action: Action, _ response: StoredResponse) {
      self.key = key
      self.requestHeaders = requestHeaders
      self.action = action
      self.response = response
    }
  }

  private let finding: Finding

  /// The key of the request's responses.
  public var key: CacheKey { finding.key }
  /// The header fields of the request, without ``addedFields``.
  public var requestHeaders: HTTPHeaders { finding.requestHeaders }
  /// How to handle the request.
  public var action: Action { finding.action }
  /// The stored response that matches the request, fresh or stale.
  public var stored: StoredEntry? { finding.response.entry }
  /// Header fields to add to the request: the validators of the stored response, and `Cache-Control`.
  public private(set) var addedFields = HTTPHeaders()
  /// Whether the request may revalidate ``stored``.
  private var mayRevalidate: Bool
  /// The metadata of ``stored``, if the request may revalidate it.
  package var revalidated: EntryMetadata? { mayRevalidate ? stored?.metadata : nil }

  /// Why the request cannot be served from the store alone; `nil` if it can.
  public var miss: CacheMiss? {
    switch action {
    case .serve, .serveStaleWhileRevalidating: nil
    case .fetch, .unavailable: stored == nil ? finding.response.miss : .stale
    }
  }

  /// The key of ``stored``.
  var storedKey: CacheKey { finding.response.key }
  /// The variants stored at the time of the lookup.
  var variants: [VaryKey] { finding.response.variants }

  /// The lookup without validators, to send the request again after a 304 that does not match the stored response.
  public var unconditional: CacheLookup {
    var lookup = self
    lookup.addedFields["If-None-Match"] = nil
    lookup.addedFields["If-Modified-Since"] = nil
    lookup.mayRevalidate = false
    return lookup
  }

  /// Whether a 304 is a response to validators of the cache.
  var isConditional: Bool { addedFields.isConditional }

  init(
    key: CacheKey, requestHeaders: HTTPHeaders, found: StoredResponse, action: Action, mayRevalidate: Bool,
    addedFields: HTTPHeaders
  ) {
    finding = Finding(key, requestHeaders, action, found)
    self.mayRevalidate = mayRevalidate
    self.addedFields = addedFields
  }
}
