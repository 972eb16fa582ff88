/// What a disk cache may hold. Every value can be changed at any time.
public struct DiskCacheConfiguration: Hashable, Sendable {
  /// The most bytes of disk space for the whole folder, its index included. Default: 512 MiB.
  ///
  /// A limit under 16 MiB covers the entries only; index and folders take up to 3 MiB more.
  public var sizeLimit: Int
  /// When an entry stops being served, unless it says so itself. Default: 7 days after it was last read.
  public var expiration: CacheExpiration
  /// Everything is forgotten when nothing was read or written for this long. Default: `nil`, never.
  public var wipesAfterIdle: Duration?
  /// Whether the cache cleans after its first use and every ten minutes. Default: true. Otherwise it cleans when
  /// ``DiskCache/clean()`` is called, and makes room when an entry is stored.
  public var cleansOnItsOwn = true
  /// What a stored entry survives. Default: ``DiskDurability/cache``.
  public var durability = DiskDurability.cache
  /// Whether the folder lies on a network, where processes share no memory: the index then keeps its changes in a plain
  /// journal, which is slower. Default: `nil`, the system is asked. It matters when the index is opened.
  public var isOnNetwork: Bool?

  /// Creates a configuration.
  public init(
    sizeLimit: Int = 512 << 20, expiration: CacheExpiration = .days(7), wipesAfterIdle: Duration? = nil
  ) {
    self.sizeLimit = sizeLimit
    self.expiration = expiration
    self.wipesAfterIdle = wipesAfterIdle
  }
}
