/// What a cache says about a request before it is sent.
public struct CacheLookup: Sendable {
  /// What to do with the request.
  public enum Action: Hashable, Sendable {
    /// Serve ``CacheLookup/stored``.
    case serve
    /// Serve ``CacheLookup/stored``, and send the request meanwhile, one at a time for each key.
    case serveWhileAsking
    /// Send the request with ``CacheLookup/addedFields``.
    case ask
    /// The network may not be used and nothing may be served: a proxy answers 504, a pipeline with an error.
    case unavailable
  }

  /// What the request is stored under.
  public let key: CacheKey
  /// The fields of the request, without the added ones.
  public let requestHeaders: HTTPHeaders
  /// What to do.
  public let action: Action
  /// The stored answer that fits the request, fresh or not.
  public let stored: StoredEntry?
  /// Fields that the request is sent with besides its own: the validators of what is stored.
  public private(set) var addedFields = HTTPHeaders()

  /// Why the store cannot answer alone; `nil` where it can.
  public var miss: CacheMiss? {
    switch action {
    case .serve, .serveWhileAsking: nil
    case .ask, .unavailable: stored == nil ? absence : .stale
    }
  }

  /// Why there is no ``stored``.
  private let absence: CacheMiss
  /// Where ``stored`` is.
  let storedKey: CacheKey
  /// The variants that were known for the key.
  let variants: [VariantKey]

  /// The same without validators, for a server whose 304 was about something else.
  public var plain: CacheLookup {
    var plain = self
    plain.addedFields["If-None-Match"] = nil
    plain.addedFields["If-Modified-Since"] = nil
    return plain
  }

  /// Whether a 304 answers a question of ours.
  var isConditional: Bool { addedFields["If-None-Match"] != nil || addedFields["If-Modified-Since"] != nil }

  init(key: CacheKey, requestHeaders: HTTPHeaders, found: FoundAnswer, action: Action, addedFields: HTTPHeaders) {
    self.key = key
    self.requestHeaders = requestHeaders
    self.action = action
    self.addedFields = addedFields
    stored = found.entry
    absence = found.miss
    storedKey = found.key
    variants = found.variants
  }
}

/// What a store has for a request.
struct FoundAnswer {
  var entry: StoredEntry?
  var key: CacheKey
  var variants: [VariantKey] = []
  /// Why there is no entry, where there is none.
  var miss = CacheMiss.absent
}
