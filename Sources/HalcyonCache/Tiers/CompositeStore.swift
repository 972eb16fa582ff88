/// A store over other stores.
package protocol CompositeStore: DataStore {
  /// The removals through this store.
  var removals: RemovalHistory { get }
  /// The stores, the nearest first.
  var stores: [any DataStore] { get }
}

extension DiskCache {
  /// The disk caches of a store: itself, or the disk caches that it is made of.
  static func all(in store: any DataStore) -> [DiskCache] {
    if let disk = store as? DiskCache { return [disk] }
    return (store as? any CompositeStore)?.stores.flatMap(all) ?? []
  }
}

extension RemovalHistory {
  /// The removals from a store, and from the stores that it is made of.
  static func all(in store: any DataStore) -> [RemovalHistory] {
    if let disk = store as? DiskCache { return [disk.removals] }
    guard let composite = store as? any CompositeStore else { return [] }
    return [composite.removals] + composite.stores.flatMap(all)
  }
}
