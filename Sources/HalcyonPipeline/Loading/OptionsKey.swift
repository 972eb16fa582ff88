import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// The options of a request as part of the key of a job. Default options need no allocation.
enum OptionsKey<Options: Hashable & Sendable>: Hashable, Sendable {
  case `default`
  indirect case custom(Options)
}

/// The options that change how bytes are fetched. Requests with different ones share no fetch.
///
/// Tags, pins and expirations are applied to the stored entry afterwards, those of all requests that share the fetch.
struct FetchKey: Hashable, Sendable {
  private static let standard = FetchKey(.withoutOptions)

  private let readsStore: Bool
  private let writesStore: Bool
  private let freshness: FreshnessPolicy
  private let usesETags: Bool
  private let cache: ObjectIdentifier?
  private let hooks: [UInt64?]?
  private let decoder: String?

  static func key(_ request: ImageRequest) -> OptionsKey<FetchKey> {
    guard request.optionsBox != nil else { return .default }
    let key = FetchKey(request)
    return key == standard ? .default : .custom(key)
  }

  fileprivate init(_ request: ImageRequest) {
    let (policy, options) = (request.cachePolicy, request.optionsBox?.options)
    (readsStore, writesStore) = (policy.readsStore, policy.writesStore)
    freshness = request.freshness
    usesETags = request.usesETags
    hooks = options?.hookIDs
    decoder = options?.decoderHook?.identity
    cache = (options?.originalCache ?? options?.targetCache).map { ObjectIdentifier($0) }
  }
}

/// The options that change how an image is made and cached, besides those in its key. Requests with different ones share
/// no job.
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
    let key = LoadKey(request)
    return key == standard ? .default : .custom(key)
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
}
