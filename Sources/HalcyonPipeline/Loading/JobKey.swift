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
  private let policy: CachePolicy
  private let usesETags: Bool
  private let cache: ObjectIdentifier?
  private let hooks: [HookIdentity?]?
  private let decoder: String?

  static func key(_ request: ImageRequest) -> OptionsKey<FetchKey> {
    guard request.optionsBox != nil else { return .default }
    let key = FetchKey(request)
    return key == standard ? .default : .custom(key)
  }

  fileprivate init(_ request: ImageRequest) {
    let options = request.optionsBox?.options
    (readsStore, writesStore) = (request.readsStore, request.writesStore)
    policy = request.freshness == .staleFirst ? .standard : request.freshness
    usesETags = request.revalidatesByETag
    hooks = options?.hookIDs
    decoder = options?.decoderHook?.identity
    cache = (options?.cache).map { ObjectIdentifier($0) }
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
  private let memoryExpiration: CacheExpiration?

  static func key(_ request: ImageRequest) -> OptionsKey<LoadKey> {
    guard request.optionsBox != nil else { return .default }
    let key = LoadKey(request)
    return key == standard ? .default : .custom(key)
  }

  private init(_ request: ImageRequest) {
    fetch = FetchKey(request)
    (readsMemory, writesMemory) = (request.readsMemory, request.writesMemory)
    allowsPartialImage = request.acceptsPartialImage
    storage = request.storagePolicy
    memoryExpiration = request.optionsBox?.options.memoryExpiration
  }
}

extension ImageRequest {
  fileprivate static var withoutOptions: ImageRequest { ImageRequest(url: .unnamedImage) }
}
