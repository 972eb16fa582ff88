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

  /// Whether the key has an image that is not expired. Asking counts for nothing.
  func contains(_ key: CacheKey) -> Bool

  /// Keeps an image, replacing what the key had.
  ///
  /// - Parameter expiration: When it stops being served; `nil` takes the configuration's.
  /// - Returns: Whether it was kept: an image that costs more than the whole limit is not.
  @discardableResult
  func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool

  /// Forgets one image.
  func removeImage(for key: CacheKey)

  /// Forgets all images.
  func removeAll()
}

extension MemoryStore {
  /// The image stored under a key; `extending` changes nothing.
  public func image(for key: CacheKey, extending: ExpirationExtension) -> DecodedImage? { image(for: key) }
}

/// What a memory cache may hold. Every value can be changed at any time.
public struct MemoryCacheConfiguration: Hashable, Sendable {
  /// The most bytes of pixels. Default: a quarter of the memory that this process may use.
  public var costLimit: Int
  /// The most images. Default: no limit.
  public var countLimit: Int
  /// When an image stops being served. Default: 5 minutes after its last use.
  public var expiration: CacheExpiration
  /// What leaves first when a limit is reached. Default: ``EvictionPolicy/adaptive``.
  public var policy: EvictionPolicy
  /// Whether an evicted image is found again as long as someone else holds its pixels. Default: `true`.
  ///
  /// It takes no memory of its own, and counts in no limit until it is read: then it is back with its cost.
  public var findsImagesInUse: Bool

  /// Creates a configuration.
  public init(
    costLimit: Int = Self.defaultCostLimit, countLimit: Int = .max, expiration: CacheExpiration = .minutes(5),
    policy: EvictionPolicy = .adaptive, findsImagesInUse: Bool = true
  ) {
    self.costLimit = costLimit
    self.countLimit = countLimit
    self.expiration = expiration
    self.policy = policy
    self.findsImagesInUse = findsImagesInUse
  }
}
