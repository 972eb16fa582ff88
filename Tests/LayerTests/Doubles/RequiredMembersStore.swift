import HalcyonCache
import HalcyonImaging
import HalcyonSupport

/// A memory store that implements only the required members, by a ``MemoryCache``.
struct RequiredMembersStore: MemoryStore {
  let cache: MemoryCache

  var configuration: MemoryCacheConfiguration {
    get { cache.configuration }
    nonmutating set { cache.configuration = newValue }
  }

  func image(for key: CacheKey) -> DecodedImage? { cache.image(for: key) }
  func contains(_ key: CacheKey) -> Bool { cache.contains(key) }
  func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool {
    cache.store(image, for: key, expiration: expiration)
  }
  func removeImage(for key: CacheKey) { cache.removeImage(for: key) }
  func removeAll() { cache.removeAll() }
}
