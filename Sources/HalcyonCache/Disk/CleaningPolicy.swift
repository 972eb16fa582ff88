/// What a ``DiskCache`` removes without being asked, and when. Only sizes and dates are looked at, never an image.
///
/// ```swift
/// disk.configuration.cleaning.wipesAfterIdle = .seconds(24 * 3600)
/// disk.configuration.cleaning.occasions = [.firstUse, .background]
/// ```
public struct CleaningPolicy: Hashable, Sendable {
  /// When a cache cleans.
  public enum Occasion: Hashable, Sendable, CaseIterable {
    /// After its first use: when an app has just been launched.
    case firstUse
    /// Every ``CleaningPolicy/interval``, while the cache lives.
    case timer
    /// When the program says that it leaves the screen: ``DiskCache/willEnterBackground()``.
    case background
    /// When the program says that it is about to end: ``DiskCache/willTerminate()``, which then takes longer.
    case termination
  }

  /// Whether what has expired is removed. It is never served, removed or not. Default: yes.
  public var removesExpired = true
  /// Whether the least recently used entries are evicted down to ``DiskCacheConfiguration/sizeLimit``. New entries make
  /// room for themselves in any case; this matters when the limit has been lowered. Default: yes.
  public var trimsToSizeLimit = true
  /// Everything older is forgotten when nothing was read or written for this long, by any process. Default: `nil`, never.
  public var wipesAfterIdle: Duration?
  /// When the cache cleans without being asked. Default: always but at termination.
  public var occasions: Set<Occasion> = [.firstUse, .timer, .background]
  /// The time from one cleaning by the timer to the next, at least 5 seconds. Default: 10 minutes.
  public var interval = Duration.seconds(600)

  /// Creates a policy with the defaults named at each property.
  public init(wipesAfterIdle: Duration? = nil) {
    self.wipesAfterIdle = wipesAfterIdle
  }

  /// A cache that cleans only when it is asked.
  ///
  /// Nothing is done from time to time then: what dead writers left is settled by the first change, where room runs
  /// short, and by cleanings; the order of reads is written down with changes, with cleanings, and after 256 reads.
  public static var whenAsked: CleaningPolicy {
    var policy = CleaningPolicy()
    policy.occasions = []
    return policy
  }
}
