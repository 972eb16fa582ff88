#if canImport(CHalcyonMemcached)
import Foundation
import HalcyonCache
import HalcyonSupport

/// The item of an entry on a server counts only with the generations of its namespace and its source.
extension MemcachedStore {
  static func result(
    _ found: FoundItems, _ items: ItemNames.Items, _ key: CacheKey, at now: Date
  ) -> CacheResult<StoredEntry> {
    guard let item = found[items.value] else { return .miss(.absent) }
    guard let shared = SharedEntry(decoding: item.data, for: key) else {
      return .miss(SharedEntry.miss(of: item.data))
    }
    guard shared.generations == storedGenerations(found, items) else { return .miss(.absent) }
    return shared.isExpired(at: now) ? .miss(.expired) : .hit(shared.entry)
  }

  static func current(
    _ found: FoundItems, _ items: ItemNames.Items, _ key: CacheKey
  ) -> SharedEntry? {
    guard let item = found[items.value], let shared = SharedEntry(decoding: item.data, for: key),
      shared.generations == storedGenerations(found, items)
    else { return nil }
    return shared
  }

  private static func storedGenerations(
    _ found: FoundItems, _ items: ItemNames.Items
  ) -> SharedEntry.Generations? {
    guard let namespace = found[items.namespace].flatMap({ Generation($0.data) }),
      let source = found[items.source].flatMap({ Generation($0.data) })
    else { return nil }
    return SharedEntry.Generations(namespace: namespace.number, source: source.number)
  }

  /// The current generations, which are made where there are none.
  static func generations(
    _ items: ItemNames.Items, _ connection: Connection
  ) throws(MemcachedError) -> SharedEntry.Generations {
    let found = try connection.items([items.namespace, items.source])
    return SharedEntry.Generations(
      namespace: try generation(items.namespace, found, connection),
      source: try generation(items.source, found, connection))
  }

  private static func generation(
    _ name: String, _ found: FoundItems, _ connection: Connection
  ) throws(MemcachedError) -> UInt64 {
    if let current = found[name].flatMap({ Generation($0.data) }) { return current.number }
    let new = Generation.random()
    if found[name] != nil || found.isOverLimit {
      try connection.set(name, new.data, exptime: 0)
    } else if try !connection.add(name, new.data, exptime: 0),
      let other = try connection.items([name])[name].flatMap({ Generation($0.data) })
    {
      return other.number
    }
    return new.number
  }
}
#endif
