/// What a disk cache may hold. Every value can be changed at any time.
public struct DiskCacheConfiguration: Hashable, Sendable {
  /// The most bytes of disk space for the whole folder, its index included. Default: 512 MiB.
  ///
  /// A limit under 16 MiB covers the entries only; index and folders take up to 3 MiB more.
  public var sizeLimit: Int
  /// When an entry stops being served, unless it says so itself; also one that is there already when this is changed.
  /// Default: 7 days after it was last read.
  public var expiration: CacheExpiration
  /// What is removed without being asked, and when. Default: ``CleaningPolicy/init(wipesAfterIdle:)``.
  public var cleaning: CleaningPolicy
  /// Whether the cache cleans after its first use and by its timer. Otherwise it cleans when ``DiskCache/clean()`` is
  /// called, and makes room when an entry is stored. Short for two of the ``CleaningPolicy/occasions``. Default: true.
  public var cleansOnItsOwn: Bool {
    get { !cleaning.occasions.isDisjoint(with: [.firstUse, .timer]) }
    set {
      if newValue { cleaning.occasions.formUnion([.firstUse, .timer]) }
      if !newValue { cleaning.occasions.subtract([.firstUse, .timer]) }
    }
  }
  /// What a stored entry survives. Default: ``DiskDurability/cache``.
  public var durability = DiskDurability.cache
  /// Whether the folder lies on a network, where processes share no memory: the index then keeps its changes in a plain
  /// journal, which is slower. Default: `nil`, the system is asked. It matters when the index is opened.
  public var isOnNetwork: Bool?

  /// Creates a configuration.
  public init(
    sizeLimit: Int = 512 << 20, expiration: CacheExpiration = .days(7), cleaning: CleaningPolicy = CleaningPolicy()
  ) {
    self.sizeLimit = sizeLimit
    self.expiration = expiration
    self.cleaning = cleaning
  }
}
