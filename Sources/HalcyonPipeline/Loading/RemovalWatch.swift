import HalcyonCache
import HalcyonSupport

/// Notices that a key is removed from a cache during a load, which then delivers its image but does not store it there.
struct RemovalWatch: Sendable {
  /// The last removals, which distinguish loads that began before one from those that began after it.
  struct Removals: Hashable {
    var (memory, store): (UInt64, UInt64)
  }

  let key: CacheKey
  private let cache: ImageCache
  let removals: Removals

  init(_ key: CacheKey, in cache: ImageCache) {
    self.key = key
    self.cache = cache
    removals = cache.lastRemovals(of: key)
  }

  var isRemovedFromMemory: Bool { cache.lastRemovals(of: key).memory != removals.memory }
  var isRemovedFromStore: Bool { cache.lastRemovals(of: key).store != removals.store }
}

extension ImageCache {
  fileprivate func lastRemovals(of key: CacheKey) -> RemovalWatch.Removals {
    RemovalWatch.Removals(
      memory: removalHistories.memory.reduce(0) { $0 + $1.last(of: key) },
      store: removalHistories.store.reduce(0) { $0 + $1.last(of: key) })
  }
}
