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
