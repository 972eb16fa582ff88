extension ImageCache {
  static func removals(of store: any MemoryStore) -> [RemovalHistory] {
    switch store {
    case let cache as MemoryCache: [cache.removals]
    case let chain as MemoryChain: chain.stores.flatMap(removals)
    default: []
    }
  }

  static func removals(of store: any DataStore) -> [RemovalHistory] {
    switch store {
    case let disk as DiskCache: [disk.removals]
    case let memory as DataMemoryCache: [memory.removals] + (memory.base.map(removals) ?? [])
    case let chain as StoreChain: chain.stores.flatMap(removals)
    case let tiers as TieredStore: [tiers.removals] + tiers.tiers.flatMap { removals(of: $0.store) }
    default: []
    }
  }
}
