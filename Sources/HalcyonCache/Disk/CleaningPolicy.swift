/// What a ``DiskCache`` removes automatically, and when. Cleaning reads only sizes and dates, never an image.
///
/// ```swift
/// let disk = DiskCache(directory: folder)
/// disk.configuration.cleaning.wipesAfterIdle = .seconds(24 * 3600)
/// disk.configuration.cleaning.occasions = [.firstUse, .background]
/// ```
public struct CleaningPolicy: Hashable, Sendable {
  /// An occasion on which a cache cleans.
  public enum Occasion: Hashable, Sendable, CaseIterable {
    /// After the first use of the cache, typically after the launch of an app.
    case firstUse
    /// Every ``CleaningPolicy/interval`` while the cache exists.
    case timer
    /// When ``DiskCache/willEnterBackground()`` is called.
    case background
    /// When ``DiskCache/willTerminate()`` is called, which then takes longer.
    case termination
  }

  /// Whether expired entries are removed. They are never served in any case. Default: true.
  public var removesExpired = true
  /// Whether the least recently used entries are evicted down to ``DiskCacheConfiguration/sizeLimit``. Default: true.
  ///
  /// Matters after the limit was lowered: storing an entry evicts others in any case.
  public var trimsToSizeLimit = true
  /// The time without a read or write, by any process, after which older entries are removed; a hit of an image in memory is
  /// a read. Default: `nil`, never.
  public var wipesAfterIdle: Duration?
  /// When the cache cleans automatically. Default: on all occasions.
  public var occasions = Set(Occasion.allCases)
  /// The interval of the cleaning timer, at least 5 seconds. Default: 10 minutes.
  public var interval = Duration.seconds(600)

  /// Creates a policy with the default of each property.
  public init(wipesAfterIdle: Duration? = nil) {
    self.wipesAfterIdle = wipesAfterIdle
  }

  /// A policy without automatic cleaning.
  ///
  /// There is no periodic work either. Unfinished writes of killed processes are recovered by the first change, when
  /// space runs short, and by ``DiskCache/clean()``; the order of reads is saved with changes, cleanings, and after 256
  /// reads.
  public static var whenAsked: CleaningPolicy {
    var policy = CleaningPolicy()
    policy.occasions = []
    return policy
  }
}
