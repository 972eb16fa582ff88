public import HalcyonSupport
public import HalcyonImaging

/// Several memory caches that are searched in order.
///
/// An image found in a later cache is copied to the first, with the default expiration of the first: a cache does not
/// report how long an image has left, so one that was about to expire may stay longer. A new image is stored in the first
/// cache and removed from the others.
public struct MemoryChain: MemoryStore {
  /// The caches in the order in which they are searched.
  public let stores: [any MemoryStore]

  /// Creates a chain.
  ///
  /// - Parameter stores: The caches in the order in which they are searched; at least one.
  public init(_ stores: [any MemoryStore]) {
    precondition(!stores.isEmpty, "a chain needs at least one memory cache")
    self.stores = stores
  }

  /// The configuration of the first cache, with the sum of all cost limits.
  ///
  /// Setting it assigns the part of the cost limit that the other caches leave to the first. If their limits are over the
  /// new sum, they are lowered, the last ones first.
  public var configuration: MemoryCacheConfiguration {
    get {
      var configuration = stores[0].configuration
      configuration.costLimit = stores.dropFirst().reduce(configuration.costLimit) {
        $0.addingReportingOverflow($1.configuration.costLimit).overflow ? .max : $0 + $1.configuration.costLimit
      }
      return configuration
    }
    nonmutating set {
      var rest = newValue.costLimit
      for store in stores.dropFirst() {
        store.configuration.costLimit = min(store.configuration.costLimit, rest)
        rest -= store.configuration.costLimit
      }
      var first = newValue
      first.costLimit = rest
      stores[0].configuration = first
    }
  }

  /// The image in the first cache that contains it.
  public func image(for key: CacheKey) -> DecodedImage? { lookUp(key, extending: .renewed).value }

  /// The image in the first cache that contains it; `extending` determines how the read changes its expiration.
  public func image(for key: CacheKey, extending: ExpirationExtension) -> DecodedImage? {
    lookUp(key, extending: extending).value
  }

  /// The image in the first cache that contains it, or the reason of the miss in the first.
  ///
  /// An image from a later cache is copied to the first, with the default expiration of the first.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) -> CacheResult<DecodedImage> {
    let first = stores[0].lookUp(key, extending: extending)
    guard case .miss = first else { return first }
    let removals = removalCount(of: key)
    for store in stores.dropFirst() {
      guard case .hit(let image) = store.lookUp(key, extending: extending) else { continue }
      stores[0].store(image, for: key, expiration: nil)
      // Another thread may have removed it before the copy.
      if removalCount(of: key) != removals { discard(key, from: stores[0]) }
      return .hit(image)
    }
    return first
  }

  /// Whether any cache contains an unexpired image for the key.
  public func contains(_ key: CacheKey) -> Bool { stores.contains { $0.contains(key) } }

  /// Stores an image in the first cache, and removes those under the same key from the others.
  @discardableResult
  public func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool {
    for store in stores.dropFirst() { discard(key, from: store) }
    return stores[0].store(image, for: key, expiration: expiration)
  }

  /// Removes one image from all caches.
  public func removeImage(for key: CacheKey) {
    for store in stores { store.removeImage(for: key) }
  }

  /// Removes all images from all caches.
  public func removeAll() {
    for store in stores { store.removeAll() }
  }

  /// Gives memory back in every tier.
  public func trim(for pressure: MemoryPressure) {
    for store in stores { store.trim(for: pressure) }
  }

  /// Removes an image without recording a removal.
  private func discard(_ key: CacheKey, from store: any MemoryStore) {
    if let cache = store as? MemoryCache { cache.discardImage(for: key) } else { store.removeImage(for: key) }
  }

  private func removalCount(of key: CacheKey) -> UInt64 {
    stores.reduce(0) { $0 + (($1 as? MemoryCache)?.removals.last(of: key) ?? 0) }
  }
}
