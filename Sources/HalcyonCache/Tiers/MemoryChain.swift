public import HalcyonSupport
public import HalcyonImaging

/// Several memory tiers that are asked one after the other, the nearest first.
///
/// What another than the first has is put into the first as well, and lives there as long as the first's configuration
/// says: a tier does not tell how much time an image has left, so one that was to leave soon may stay. New images go to
/// the first, and what the others have under the same key is removed.
public struct MemoryChain: MemoryStore {
  /// The tiers in the order in which they are asked.
  public let stores: [any MemoryStore]

  /// Creates a chain.
  ///
  /// - Parameter stores: At least one, the nearest first.
  public init(_ stores: [any MemoryStore]) {
    precondition(!stores.isEmpty, "a chain needs at least one memory tier")
    self.stores = stores
  }

  /// The configuration of the first tier, with the limits of all together. Setting gives the first tier what the others
  /// leave; where that is nothing, the others get less, the last first.
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

  /// The image in the first tier that has one.
  public func image(for key: CacheKey) -> DecodedImage? { lookUp(key, extending: .renewed).value }

  /// The image in the first tier that has one, with a say in whether reading extends its life.
  public func image(for key: CacheKey, extending: ExpirationExtension) -> DecodedImage? {
    lookUp(key, extending: extending).value
  }

  /// The image in the first tier that has one, or why the first has none. One that comes from another gets the usual
  /// expiration of the first.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) -> CacheResult<DecodedImage> {
    let first = stores[0].lookUp(key, extending: extending)
    guard case .miss = first else { return first }
    for store in stores.dropFirst() {
      guard case .hit(let image) = store.lookUp(key, extending: extending) else { continue }
      stores[0].store(image, for: key, expiration: nil)
      return .hit(image)
    }
    return first
  }

  /// Whether any tier has an image that is not expired.
  public func contains(_ key: CacheKey) -> Bool { stores.contains { $0.contains(key) } }

  /// Keeps an image in the first tier, and removes what the others have.
  @discardableResult
  public func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool {
    for store in stores.dropFirst() { store.removeImage(for: key) }
    return stores[0].store(image, for: key, expiration: expiration)
  }

  /// Forgets one image everywhere.
  public func removeImage(for key: CacheKey) {
    for store in stores { store.removeImage(for: key) }
  }

  /// Forgets all images everywhere.
  public func removeAll() {
    for store in stores { store.removeAll() }
  }

  /// Gives memory back in every tier.
  public func relieve(_ pressure: MemoryPressure) {
    for store in stores { store.relieve(pressure) }
  }
}
