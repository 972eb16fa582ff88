public import HalcyonSupport
public import HalcyonImaging

/// Keeps decoded images in memory.
///
/// A conformer keeps these laws: every call returns at once, from any thread, and neither suspends nor touches a disk;
/// a value is only returned for a key equal to the one it was stored under; the costs of what is held never sum to
/// more than ``MemoryCacheConfiguration/costLimit``.
public protocol MemoryStore: Sendable {
  /// The limits in force. A lower limit evicts before the setter returns.
  var configuration: MemoryCacheConfiguration { get nonmutating set }

  /// The image stored under a key; reading counts as use and extends a sliding expiration.
  func image(for key: CacheKey) -> DecodedImage?

  /// The image stored under a key, with a say in whether reading extends its life.
  ///
  /// A store that knows one way only need not implement this.
  func image(for key: CacheKey, extending: ExpirationExtension) -> DecodedImage?

  /// The image stored under a key, or why there is none; for the rest as ``image(for:extending:)``.
  ///
  /// A store that does not implement this says that what it does not give is absent.
  func lookUp(_ key: CacheKey, extending: ExpirationExtension) -> CacheResult<DecodedImage>

  /// Whether the key has an image that is not expired. Asking counts for nothing.
  func contains(_ key: CacheKey) -> Bool

  /// Keeps an image, replacing what the key had.
  ///
  /// - Parameter expiration: When it stops being served; `nil` takes the configuration's.
  /// - Returns: Whether it was kept: an image that costs more than ``MemoryCacheConfiguration/costLimit`` without
  ///   ``MemoryCacheConfiguration/reuseByteLimit`` is not.
  @discardableResult
  func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool

  /// Forgets one image.
  func removeImage(for key: CacheKey)

  /// Forgets all images.
  func removeAll()

  /// Gives memory back because the system is short of it.
  ///
  /// A store that does not implement this forgets all images under full pressure.
  func trim(for pressure: MemoryPressure)
}

extension MemoryStore {
  /// The image stored under a key; `extending` changes nothing.
  public func image(for key: CacheKey, extending: ExpirationExtension) -> DecodedImage? { image(for: key) }

  /// The image stored under a key; what is not given is absent.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) -> CacheResult<DecodedImage> {
    image(for: key, extending: extending).map { .hit($0) } ?? .miss(.absent)
  }

  /// Forgets all images under full pressure.
  public func trim(for pressure: MemoryPressure) {
    if pressure == .full { removeAll() }
  }
}

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
