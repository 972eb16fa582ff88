/// The limits and the eviction policy of a memory cache.
///
/// Every value can be changed at any time.
public struct MemoryCacheConfiguration: Hashable, Sendable {
  /// The maximum bytes of pixels; 0 or less stores no images. From 64 MiB on it includes the memory of removed images that is
  /// kept for new ones: a sixteenth, at most 32 MiB.
  ///
  /// Default: a quarter of the memory available to this process: of the smallest memory limit of its control groups on
  /// Linux, of what the system leaves to the app on iOS, tvOS, watchOS and visionOS, there at most 512 MB; otherwise of the
  /// physical memory.
  public var costLimit: Int
  /// The maximum number of images; 0 or less stores no images.
  ///
  /// Default: no limit.
  public var countLimit: Int
  /// When an image stored without an expiration of its own stops being served.
  ///
  /// Default: 5 minutes after its last use.
  public var expiration: CacheExpiration
  /// Which image is evicted first when a limit is reached.
  ///
  /// Default: ``EvictionPolicy/adaptive``.
  public var policy: EvictionPolicy
  /// Whether an evicted image is found again as long as its pixels are in use elsewhere.
  ///
  /// Default: `true`. Such an image counts toward no limit until it is read, which reinserts it with its cost. Until
  /// then its weak reference takes a few hundred bytes; those of deallocated images are removed whenever the number of
  /// weak references has doubled.
  @_spi(Programs) public var findsImagesInUse = true
  /// Whether all images are evicted when the system is short of memory. Default: `true`.
  ///
  /// Images that are still shown are found again. `false` evicts half of the bytes under some
  /// pressure, nine tenths under full pressure, and all at a memory warning of UIKit.
  ///
  /// Linux reports pressure when tasks of the process's control group, or else of the machine, waited for memory during
  /// 15 % of one or two seconds (PSI); without PSI, or the permission to use it, it reports none.
  public var emptiesUnderPressure: Bool
  /// The part of ``costLimit``, in bytes, that keeps the memory of removed images for new images of similar size.
  ///
  /// Reused memory is ready several times sooner than new memory from the system. All caches of the process share it,
  /// in blocks of at least 256 KiB, zeroed before reuse. 0 frees all memory at once. Default: a sixteenth of
  /// `costLimit`, at most 32 MiB; 0 if `costLimit` is below 64 MiB.
  @_spi(Programs) public var reuseByteLimit: Int {
    get { max(0, min(costLimit, customReuseByteLimit ?? (costLimit < 64 << 20 ? 0 : min(costLimit / 16, 32 << 20)))) }
    set { customReuseByteLimit = max(0, newValue) }
  }

  private var customReuseByteLimit: Int?

  /// The maximum bytes of images, without the memory for reuse.
  var imageByteLimit: Int { costLimit - reuseByteLimit }

  /// Creates a configuration; a `costLimit` of `nil` is the default.
  public init(
    costLimit: Int? = nil, countLimit: Int = .max, expiration: CacheExpiration = .after(.seconds(300)),
    policy: EvictionPolicy = .adaptive, emptiesUnderPressure: Bool = true
  ) {
    self.costLimit = costLimit ?? Self.defaultCostLimit
    self.countLimit = countLimit
    self.expiration = expiration
    self.policy = policy
    self.emptiesUnderPressure = emptiesUnderPressure
  }

  /// - Parameter findsImagesInUse: See `findsImagesInUse`.
  package init(
    costLimit: Int? = nil, countLimit: Int = .max, expiration: CacheExpiration = .after(.seconds(300)),
    policy: EvictionPolicy = .adaptive, findsImagesInUse: Bool
  ) {
    self.init(costLimit: costLimit, countLimit: countLimit, expiration: expiration, policy: policy)
    self.findsImagesInUse = findsImagesInUse
  }

  /// A quarter of the memory available to this process, in bytes.
  package static let defaultCostLimit = AvailableMemory().cacheByteLimit
}
