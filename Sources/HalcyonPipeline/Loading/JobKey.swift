import HalcyonCache
import HalcyonHTTP
import HalcyonSupport

/// Identifies a job: the key of its result, and what distinguishes loads with this key.
struct JobKey<Options: JobOptions>: Hashable, Sendable {
  let key: CacheKey
  private let options: OptionsKey<Options>
  private let removals: RemovalWatch.Removals

  /// Not inlined, so that its locals are not in the async frame of a load that waits.
  @inline(never)
  init(_ key: CacheKey, _ request: ImageRequest, after removals: RemovalWatch.Removals) {
    self.key = key
    self.removals = removals
    options = OptionsKey(request)
  }

  /// Without the options: requests that differ only in these are rare.
  func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// The options of a request as part of a key. Default options need no allocation.
enum OptionsKey<Options: JobOptions>: Hashable, Sendable {
  case `default`
  indirect case custom(Options)

  init(_ request: ImageRequest) {
    let options = request.optionsBox == nil ? nil : Options(request)
    self = options.map { $0 == .standard ? .default : .custom($0) } ?? .default
  }
}

/// The options of a request that distinguish jobs.
protocol JobOptions: Hashable, Sendable {
  static var standard: Self { get }
  init(_ request: ImageRequest)
}

/// The options that change how a request is sent. Requests with different ones share no transfer (``SharedTransfers``).
struct TransferKey: JobOptions {
  static let standard = TransferKey(.withoutOptions)

  private let usesETags: Bool
  private let cache: ObjectIdentifier?
  private let hooks: [HookIdentity?]?

  init(_ request: ImageRequest) {
    let options = request.optionsBox?.options
    usesETags = request.resolved.usesETags
    hooks = options?.hookIDs
    cache = (options?.cache).map { ObjectIdentifier($0) }
  }
}

/// The options that change how bytes are fetched. Requests with different ones share no fetch.
///
/// Tags, pins and expirations of all requests that share the fetch are applied to the stored entry afterwards.
struct FetchKey: JobOptions {
  static let standard = FetchKey(.withoutOptions)

  private let transfer: TransferKey
  private let readsStore: Bool
  private let writesStore: Bool
  private let policy: CachePolicy
  private let decoder: String?

  init(_ request: ImageRequest) {
    transfer = TransferKey(request)
    (readsStore, writesStore) = (request.resolved.storeAccess.reads, request.resolved.storeAccess.writes)
    policy = request.resolved.cachePolicy == .staleFirst ? .standard : request.resolved.cachePolicy
    decoder = request.optionsBox?.options.decoderHook?.identity
  }
}

/// The options that change how an image is made and cached, and are not in its key. Requests with different ones share
/// no job.
struct LoadKey: JobOptions {
  static let standard = LoadKey(.withoutOptions)

  private let fetch: FetchKey
  private let readsMemory: Bool
  private let writesMemory: Bool
  private let allowsPartialImage: Bool
  private let limitsOriginal: Bool
  private let storage: StoragePolicy
  private let memoryExpiration: CacheExpiration?

  init(_ request: ImageRequest) {
    fetch = FetchKey(request)
    (readsMemory, writesMemory) = (request.resolved.memoryAccess.reads, request.resolved.memoryAccess.writes)
    allowsPartialImage = request.resolved.allowsPartialImage
    limitsOriginal = request.resolved.originalPixelLimit != nil
    storage = request.resolved.storage
    memoryExpiration = request.optionsBox?.options.memoryExpiration
  }
}

extension ImageRequest {
  fileprivate static var withoutOptions: ImageRequest { ImageRequest(source: .string("")) }
}
