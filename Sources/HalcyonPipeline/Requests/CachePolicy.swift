/// Which caches a request reads and writes. Whether what they have is still right is another question, see
/// ``FreshnessPolicy``. Requests that differ in this share no work.
public struct CachePolicy: Hashable, Sendable {
  /// Whether a decoded image may come from memory. Default: yes.
  public var readsMemory: Bool
  /// Whether the decoded image is kept in memory. Default: yes.
  public var writesMemory: Bool
  /// Whether encoded bytes may come from the store. Default: yes.
  public var readsStore: Bool
  /// Whether encoded bytes are kept in the store. Default: yes.
  public var writesStore: Bool

  /// Creates a policy; everything is allowed unless said otherwise.
  public init(
    readsMemory: Bool = true, writesMemory: Bool = true, readsStore: Bool = true, writesStore: Bool = true
  ) {
    self.readsMemory = readsMemory
    self.writesMemory = writesMemory
    self.readsStore = readsStore
    self.writesStore = writesStore
  }

  /// Leaves no trace: neither reads nor writes what is kept.
  public static let disabled = CachePolicy(
    readsMemory: false, writesMemory: false, readsStore: false, writesStore: false)
  /// Leaves nothing on disk, and does not look there.
  public static let memoryOnly = CachePolicy(readsStore: false, writesStore: false)
  /// Leaves nothing in memory, and does not look there.
  public static let storeOnly = CachePolicy(readsMemory: false, writesMemory: false)
  /// What is not in memory is fetched, and kept in both tiers; the store is not read.
  public static let ignoringStore = CachePolicy(readsStore: false)
}
