/// The caches that a request reads and writes.
///
/// Whether a cached response is fresh is decided by ``FreshnessPolicy``. Requests with different cache policies are not
/// coalesced.
///
/// ```swift
/// let request = ImageRequest(url: url, cachePolicy: .memoryOnly)
/// ```
public struct CachePolicy: Hashable, Sendable {
  /// Whether the decoded image may be read from memory. Default: yes.
  public var readsMemory: Bool
  /// Whether the decoded image is inserted into memory. Default: yes.
  public var writesMemory: Bool
  /// Whether encoded bytes may be read from the store. Default: yes.
  public var readsStore: Bool
  /// Whether encoded bytes are inserted into the store. Default: yes.
  public var writesStore: Bool

  /// Creates a policy. By default everything is allowed.
  public init(
    readsMemory: Bool = true, writesMemory: Bool = true, readsStore: Bool = true, writesStore: Bool = true
  ) {
    self.readsMemory = readsMemory
    self.writesMemory = writesMemory
    self.readsStore = readsStore
    self.writesStore = writesStore
  }

  /// Neither reads nor writes any cache.
  public static let disabled = CachePolicy(
    readsMemory: false, writesMemory: false, readsStore: false, writesStore: false)
  /// Neither reads nor writes the store.
  public static let memoryOnly = CachePolicy(readsStore: false, writesStore: false)
  /// Neither reads nor writes memory.
  public static let storeOnly = CachePolicy(readsMemory: false, writesMemory: false)
  /// An image that is not in memory is downloaded, and stored in both tiers; the store is not read.
  public static let ignoringStore = CachePolicy(readsStore: false)
}
