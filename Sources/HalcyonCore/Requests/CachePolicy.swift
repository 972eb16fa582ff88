/// Which caches a request reads and writes. Requests that differ in this share no work.
public struct CachePolicy: Hashable, Sendable {
  /// Whether a decoded image may come from memory. Default: yes.
  public var readsMemory: Bool
  /// Whether the decoded image is kept in memory. Default: yes.
  public var writesMemory: Bool
  /// Whether encoded bytes may come from the store. Default: yes.
  public var readsStore: Bool
  /// Whether encoded bytes are kept in the store. Default: yes.
  public var writesStore: Bool
  /// Whether the network may be asked when no cache has the image. Default: yes.
  public var usesNetwork: Bool

  /// Creates a policy; everything is allowed unless said otherwise.
  public init(
    readsMemory: Bool = true, writesMemory: Bool = true, readsStore: Bool = true, writesStore: Bool = true,
    usesNetwork: Bool = true
  ) {
    self.readsMemory = readsMemory
    self.writesMemory = writesMemory
    self.readsStore = readsStore
    self.writesStore = writesStore
    self.usesNetwork = usesNetwork
  }

  /// Asks the network, whatever the caches hold, and keeps the answer.
  public static let reload = CachePolicy(readsMemory: false, readsStore: false)
  /// Never asks the network: a miss is the error ``ImageError/notCached(_:)``.
  public static let cacheOnly = CachePolicy(usesNetwork: false)
  /// Leaves nothing on disk.
  public static let memoryOnly = CachePolicy(readsStore: false, writesStore: false)
}
