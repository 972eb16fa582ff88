public import HalcyonSupport
public import HalcyonHTTP

/// What a cache says about a request before it is sent.
public struct CacheLookup: Sendable {
  /// What to do with the request.
  public enum Action: Hashable, Sendable {
    /// Serve ``CacheLookup/stored``.
    case serve
    /// Serve ``CacheLookup/stored``, and send the request meanwhile, one at a time for each key.
    case serveStaleWhileRevalidating
    /// Send the request with ``CacheLookup/addedFields``.
    case fetch
    /// The network may not be used and nothing may be served: a proxy answers 504, a pipeline with an error.
    case unavailable
  }

  /// What was found does not change, and lookups are handed on often.
  private final class Finding: Sendable {
    let key: CacheKey
    let requestHeaders: HTTPHeaders
    let action: Action
    let found: StoredResponse

    init(_ key: CacheKey, _ requestHeaders: HTTPHeaders, _ action: Action, _ found: StoredResponse) {
      self.key = key
      self.requestHeaders = requestHeaders
      self.action = action
      self.found = found
    }
  }

  private let finding: Finding

  /// What the request is stored under.
  public var key: CacheKey { finding.key }
  /// The fields of the request, without the added ones.
  public var requestHeaders: HTTPHeaders { finding.requestHeaders }
  /// What to do.
  public var action: Action { finding.action }
  /// The stored answer that fits the request, fresh or not.
  public var stored: StoredEntry? { finding.found.entry }
  /// Fields that the request is sent with besides its own: the validators of what is stored.
  public private(set) var addedFields = HTTPHeaders()

  /// Why the store cannot answer alone; `nil` where it can.
  public var miss: CacheMiss? {
    switch action {
    case .serve, .serveStaleWhileRevalidating: nil
    case .fetch, .unavailable: finding.found.entry == nil ? finding.found.miss : .stale
    }
  }

  /// Where ``stored`` is.
  var storedKey: CacheKey { finding.found.key }
  /// The variants that were known for the key.
  var variants: [VariantKey] { finding.found.variants }

  /// The same without validators, for a server whose 304 was about something else.
  public var unconditional: CacheLookup {
    var lookup = self
    lookup.addedFields["If-None-Match"] = nil
    lookup.addedFields["If-Modified-Since"] = nil
    return lookup
  }

  /// Whether a 304 answers a question of ours.
  var isConditional: Bool { addedFields["If-None-Match"] != nil || addedFields["If-Modified-Since"] != nil }

  init(key: CacheKey, requestHeaders: HTTPHeaders, found: StoredResponse, action: Action, addedFields: HTTPHeaders) {
    finding = Finding(key, requestHeaders, action, found)
    self.addedFields = addedFields
  }
}
