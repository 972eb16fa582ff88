/// What a memory cache may hold. Every value can be changed at any time.
public struct MemoryCacheConfiguration: Hashable, Sendable {
  /// The most bytes of pixels, ``reuseByteLimit`` included; 0 or less keeps none. Default: a quarter of the memory that
  /// this process may use.
  public var costLimit: Int
  /// The most images; 0 or less keeps none. Default: no limit.
  public var countLimit: Int
  /// When an image stops being served. Default: 5 minutes after its last use.
  public var expiration: CacheExpiration
  /// What leaves first when a limit is reached. Default: ``EvictionPolicy/adaptive``.
  public var policy: EvictionPolicy
  /// Whether an evicted image is found again as long as someone else holds its pixels. Default: `true`.
  ///
  /// It counts in no limit until it is read: then it is back with its cost. Until then it takes a note of a few hundred
  /// bytes; the notes of images that are gone leave whenever the notes have doubled in number.
  public var findsImagesInUse: Bool
  /// The part of ``costLimit``, in bytes, that holds no images but the memory of images that left, for the next ones of
  /// about their size to be drawn in; 0 frees all memory at once.
  ///
  /// Memory that was used before is ready several times sooner than what comes fresh from the system. All caches of the
  /// process keep it together, in blocks from 256 KiB, zeroed before they are used again. Default: a sixteenth of
  /// `costLimit`, at most 32 MiB; none where `costLimit` is under 64 MiB.
  public var reuseByteLimit: Int {
    get { max(0, min(costLimit, chosenReuseByteLimit ?? (costLimit < 64 << 20 ? 0 : min(costLimit / 16, 32 << 20)))) }
    set { chosenReuseByteLimit = max(0, newValue) }
  }

  private var chosenReuseByteLimit: Int?

  /// The most bytes of images.
  var imageByteLimit: Int { costLimit - reuseByteLimit }

  /// Creates a configuration.
  public init(
    costLimit: Int = Self.defaultCostLimit, countLimit: Int = .max, expiration: CacheExpiration = .minutes(5),
    policy: EvictionPolicy = .adaptive, findsImagesInUse: Bool = true, reuseByteLimit: Int? = nil
  ) {
    self.costLimit = costLimit
    self.countLimit = countLimit
    self.expiration = expiration
    self.policy = policy
    self.findsImagesInUse = findsImagesInUse
    chosenReuseByteLimit = reuseByteLimit.map { max(0, $0) }
  }
}

extension MemoryCacheConfiguration {
  /// A quarter of the memory that this process may use, in bytes: of the control group's `memory.max` on Linux where it
  /// has one, else of what the machine has.
  public static let defaultCostLimit = AvailableMemory().bytes / 4
}
