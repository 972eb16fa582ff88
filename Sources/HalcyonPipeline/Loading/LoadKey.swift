import HalcyonSupport
import HalcyonHTTP
import HalcyonCache

/// Terms as part of a key: the most frequent ones take no room.
enum OptionsKey<Terms: Hashable & Sendable>: Hashable, Sendable {
  case `default`
  indirect case custom(Terms)
}

/// What the bytes of a request are fetched and stored by. Requests that differ in this share no transfer that is going on.
struct FetchKey: Hashable, Sendable {
  private static let standard = FetchKey(.withoutOptions)

  private let readsStore: Bool
  private let writesStore: Bool
  private let freshness: FreshnessPolicy
  private let usesETags: Bool
  private let store: StoreOptions
  private let cache: ObjectIdentifier?

  static func key(_ request: ImageRequest) -> OptionsKey<FetchKey> {
    guard request.optionsBox != nil else { return .default }
    let terms = FetchKey(request)
    return terms == standard ? .default : .custom(terms)
  }

  fileprivate init(_ request: ImageRequest) {
    let policy = request.cachePolicy
    (readsStore, writesStore) = (policy.readsStore, policy.writesStore)
    freshness = request.freshness
    usesETags = request.usesETags
    store = request.storeOptions
    cache = (request.optionsBox?.options.originalCache ?? request.optionsBox?.options.targetCache).map {
      ObjectIdentifier($0)
    }
  }
}

/// What an image is made and kept by, besides all that is in its key. Requests that differ in this share no decoding.
struct LoadKey: Hashable, Sendable {
  private static let standard = LoadKey(.withoutOptions)

  private let fetch: FetchKey
  private let readsMemory: Bool
  private let writesMemory: Bool
  private let allowsPartialImage: Bool
  private let storage: StoragePolicy
  private let keepsOriginal: Bool
  private let memoryExpiration: CacheExpiration?
  private let cache: ObjectIdentifier?

  static func key(_ request: ImageRequest) -> OptionsKey<LoadKey> {
    guard request.optionsBox != nil else { return .default }
    let terms = LoadKey(request)
    return terms == standard ? .default : .custom(terms)
  }

  private init(_ request: ImageRequest) {
    fetch = FetchKey(request)
    (readsMemory, writesMemory) = (request.cachePolicy.readsMemory, request.cachePolicy.writesMemory)
    allowsPartialImage = request.allowsPartialImage
    storage = request.storage
    keepsOriginal = request.keepsOriginal
    memoryExpiration = request.optionsBox?.options.memoryExpiration
    cache = (request.optionsBox?.options.targetCache).map { ObjectIdentifier($0) }
  }
}

extension ImageRequest {
  fileprivate static var withoutOptions: ImageRequest { ImageRequest(url: .unnamedImage) }

  var storeOptions: StoreOptions {
    guard let options = optionsBox?.options else { return StoreOptions() }
    return StoreOptions(
      expiration: options.storeExpiration, extending: options.storeExtension ?? .renewed, tags: options.tags ?? [],
      isPinned: options.isPinned ?? false)
  }
}

extension PipelineConfiguration {
  /// Where a request's image is kept.
  func targetCache(for request: ImageRequest) -> ImageCache { request.optionsBox?.options.targetCache ?? cache }

  /// Where the bytes of a request are kept.
  func originalCache(for request: ImageRequest) -> ImageCache {
    request.optionsBox?.options.originalCache ?? targetCache(for: request)
  }

  /// The store of one of these caches as the request sees it; `nil` where there is none.
  func store(of cache: ImageCache, for request: ImageRequest) -> (any DataStore)? {
    guard let store = observed(cache.store), request.optionsBox != nil else { return observed(cache.store) }
    let terms = request.storeOptions
    return terms == StoreOptions() ? store : RequestStore(base: store, terms: terms)
  }

  /// What the bytes of a request are found by while somebody works on them.
  func liveKey(_ key: CacheKey, for request: ImageRequest) -> InFlightResponses.Key {
    InFlightResponses.Key(key: key, cache: ObjectIdentifier(originalCache(for: request)))
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
