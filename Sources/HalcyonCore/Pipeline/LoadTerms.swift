/// Terms as part of a key: the most frequent ones take no room.
enum TermsKey<Terms: Hashable & Sendable>: Hashable, Sendable {
  case usual
  indirect case special(Terms)
}

/// What the bytes of a request are fetched and stored by. Requests that differ in this share no transfer that is going on.
struct FetchTerms: Hashable, Sendable {
  private static let usual = FetchTerms(.withoutOptions)

  private let readsStore: Bool
  private let writesStore: Bool
  private let freshness: FreshnessPolicy
  private let usesETags: Bool
  private let store: StoreTerms
  private let cache: ObjectIdentifier?

  static func key(_ request: ImageRequest) -> TermsKey<FetchTerms> {
    guard request.given != nil else { return .usual }
    let terms = FetchTerms(request)
    return terms == usual ? .usual : .special(terms)
  }

  fileprivate init(_ request: ImageRequest) {
    let policy = request.cachePolicy
    (readsStore, writesStore) = (policy.readsStore, policy.writesStore)
    freshness = request.freshness
    usesETags = request.usesETags
    store = request.storeTerms
    cache = (request.given?.options.originalCache ?? request.given?.options.targetCache).map { ObjectIdentifier($0) }
  }
}

/// What an image is made and kept by, besides all that is in its key. Requests that differ in this share no decoding.
struct LoadTerms: Hashable, Sendable {
  private static let usual = LoadTerms(.withoutOptions)

  private let fetch: FetchTerms
  private let readsMemory: Bool
  private let writesMemory: Bool
  private let allowsPartialImage: Bool
  private let storage: StorageProfile
  private let keepsOriginal: Bool
  private let memoryExpiration: CacheExpiration?
  private let cache: ObjectIdentifier?

  static func key(_ request: ImageRequest) -> TermsKey<LoadTerms> {
    guard request.given != nil else { return .usual }
    let terms = LoadTerms(request)
    return terms == usual ? .usual : .special(terms)
  }

  private init(_ request: ImageRequest) {
    fetch = FetchTerms(request)
    (readsMemory, writesMemory) = (request.cachePolicy.readsMemory, request.cachePolicy.writesMemory)
    allowsPartialImage = request.allowsPartialImage
    storage = request.storage
    keepsOriginal = request.keepsOriginal
    memoryExpiration = request.given?.options.memoryExpiration
    cache = (request.given?.options.targetCache).map { ObjectIdentifier($0) }
  }
}

extension ImageRequest {
  fileprivate static var withoutOptions: ImageRequest { ImageRequest(url: .unnamedImage) }

  var storeTerms: StoreTerms {
    guard let options = given?.options else { return StoreTerms() }
    return StoreTerms(
      expiration: options.storeExpiration, extending: options.storeExtension ?? .cacheTime, tags: options.tags ?? [],
      isPinned: options.isPinned ?? false)
  }
}

extension ImagePipeline.Configuration {
  /// Where a request's image is kept.
  func targetCache(for request: ImageRequest) -> ImageCache { request.given?.options.targetCache ?? cache }

  /// Where the bytes of a request are kept.
  func originalCache(for request: ImageRequest) -> ImageCache {
    request.given?.options.originalCache ?? targetCache(for: request)
  }

  /// The store of one of these caches as the request sees it; `nil` where there is none.
  func store(of cache: ImageCache, for request: ImageRequest) -> (any DataStore)? {
    guard let store = observed(cache.store), request.given != nil else { return observed(cache.store) }
    let terms = request.storeTerms
    return terms == StoreTerms() ? store : RequestStore(base: store, terms: terms)
  }

  /// What the bytes of a request are found by while somebody works on them.
  func liveKey(_ key: CacheKey, for request: ImageRequest) -> LiveBodies.Key {
    LiveBodies.Key(key: key, cache: ObjectIdentifier(originalCache(for: request)))
  }

  /// HTTP's rules over a store; `nil` where there is none.
  func httpCache(in cache: ImageCache, for request: ImageRequest) -> HTTPCache? {
    store(of: cache, for: request).map { HTTPCache(store: $0, rules: httpCaching) }
  }

  /// HTTP's rules over the store of a request's bytes; `nil` where there is none.
  func httpCache(for request: ImageRequest) -> HTTPCache? {
    httpCache(in: originalCache(for: request), for: request)
  }
}
