package import HalcyonCache
package import HalcyonImaging
package import HalcyonSupport

/// A memory store that implements only the required members, by a ``MemoryCache``.
package struct RequiredMembersStore: MemoryStore {
  package let cache: MemoryCache

  package init(cache: MemoryCache) {
    self.cache = cache
  }

  package var configuration: MemoryCacheConfiguration {
    get { cache.configuration }
    nonmutating set { cache.configuration = newValue }
  }

  package func image(for key: CacheKey) -> DecodedImage? { cache.image(for: key) }
  package func contains(_ key: CacheKey) -> Bool { cache.contains(key) }
  package func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool {
    cache.store(image, for: key, expiration: expiration)
  }
  package func removeImage(for key: CacheKey) { cache.removeImage(for: key) }
  package func removeAll() { cache.removeAll() }
}
