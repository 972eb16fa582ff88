import HalcyonSupport

/// The limits and policies of a disk cache. All can be changed at any time.
public struct DiskCacheConfiguration: Hashable, Sendable {
  /// The most disk space for the whole folder, including its index, in bytes. Default: 512 MiB.
  ///
  /// A limit under 16 MiB covers the entries only; the index and the folders take up to 3 MiB more.
  public var sizeLimit: Int
  /// The expiration of entries without their own, read at lookup time. Default: 7 days after the last read.
  public var expiration: CacheExpiration
  /// What is removed automatically, and when. Default: ``CleaningPolicy/init(wipesAfterIdle:)``.
  public var cleaning: CleaningPolicy
  /// Whether backups include the folder. Default: false, since what is cached can usually be loaded again.
  ///
  /// If not, the folder has the attribute of Apple's systems and the file `CACHEDIR.TAG` by which backup programs skip it.
  /// Takes effect when the cache is first used.
  public var isBackedUp = false
  /// Whether the folder is on a network file system. Default: `nil`, detected from the file system.
  ///
  /// Processes cannot share memory there, so that the index uses a rollback journal, which is slower than WAL. Takes
  /// effect when the index is opened.
  package var isOnNetwork: Bool?
  /// Whether an index that is missing or damaged is rebuilt, and what killed processes left unfinished is recovered.
  /// Default: true.
  ///
  /// Without it nothing is repaired, and such an index is an error: for programs that only examine a cache.
  @_spi(Programs) public var isRepairing = true

  /// Creates a configuration.
  public init(
    sizeLimit: Int = 512 << 20, expiration: CacheExpiration = .days(7), cleaning: CleaningPolicy = CleaningPolicy()
  ) {
    self.sizeLimit = sizeLimit
    self.expiration = expiration
    self.cleaning = cleaning
  }
}

/// The configuration shared by the parts of a disk cache.
final class DiskSettings: Sendable {
  private let state: Lock<DiskCacheConfiguration>

  init(_ configuration: DiskCacheConfiguration) {
    state = Lock(configuration)
  }

  var current: DiskCacheConfiguration {
    get { state.withLock(\.self) }
    set { state.withLock { $0 = newValue } }
  }
}
