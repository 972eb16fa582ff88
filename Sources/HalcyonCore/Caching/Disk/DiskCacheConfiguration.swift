/// What a disk cache may hold. Every value can be changed at any time.
public struct DiskCacheConfiguration: Hashable, Sendable {
  /// The most bytes of disk space, counted in whole blocks of 4 KiB plus one for each file's name. Default: 512 MiB.
  public var sizeLimit: Int
  /// When an entry stops being served, unless it says so itself. Default: 7 days after it was last read.
  public var expiration: CacheExpiration
  /// Everything is forgotten when nothing was read or written for this long. Default: `nil`, never.
  public var wipesAfterIdle: Duration?
  /// Whether the cache cleans after its first use and every ten minutes. Default: true. Otherwise it cleans when
  /// ``DiskCache/clean()`` is called, and makes room when an entry is stored.
  public var cleansOnItsOwn = true

  /// Creates a configuration.
  public init(
    sizeLimit: Int = 512 << 20, expiration: CacheExpiration = .days(7), wipesAfterIdle: Duration? = nil
  ) {
    self.sizeLimit = sizeLimit
    self.expiration = expiration
    self.wipesAfterIdle = wipesAfterIdle
  }
}
