public import HalcyonSupport
public import HalcyonImaging

/// A store of decoded images in memory.
///
/// A conformer keeps these laws:
/// - Every call returns at once, on any thread: it neither suspends nor performs I/O.
/// - An image is only returned for a key equal to the one it was stored under.
/// - The total cost of the images never exceeds ``MemoryCacheConfiguration/costLimit``.
public protocol MemoryStore: Sendable {
  /// The limits in effect. A lower limit evicts before the setter returns.
  var configuration: MemoryCacheConfiguration { get nonmutating set }

  /// The image stored under `key`, or `nil`; reading counts as use.
  func image(for key: CacheKey) -> DecodedImage?

  /// Whether an image that is not expired is stored under `key`. Does not count as use.
  func contains(_ key: CacheKey) -> Bool

  /// Stores an image under `key`, replacing an older one.
  ///
  /// - Parameters:
  ///   - image: The image.
  ///   - key: The key to find it by.
  ///   - expiration: When the image stops being served; `nil` is the expiration of the configuration.
  /// - Returns: Whether the image was stored. One that costs more than ``MemoryCacheConfiguration/costLimit`` minus the memory
  ///   kept for new images is not.
  @discardableResult
  func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool

  /// Removes the image stored under `key`.
  func removeImage(for key: CacheKey)

  /// Removes all images of a source, of all sizes and with all processors.
  ///
  /// Called when a program removes an image, and when another original has replaced the one that they were made of.
  ///
  /// Default: removes all images, for stores that find them by their keys only.
  ///
  /// - Parameter source: The URL before redirects, or the custom key, of the requests.
  func removeImages(ofSource source: String)

  /// Removes all images.
  func removeAll()

  /// Frees memory because the system is short of it.
  ///
  /// Default: removes all images, except under some pressure.
  func trim(for pressure: MemoryPressure)
}

extension MemoryStore {
  /// Removes all images.
  public func removeImages(ofSource source: String) { removeAll() }

  /// Removes all images, except under some pressure.
  public func trim(for pressure: MemoryPressure) {
    if pressure != .some { removeAll() }
  }
}
