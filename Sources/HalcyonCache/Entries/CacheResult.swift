package import HalcyonSupport

/// The result of looking up a key in a tier.
package enum CacheResult<Value: Sendable>: Sendable {
  /// The value stored under the key.
  case hit(Value)
  /// The reason why there is no usable value.
  case miss(CacheMiss)

  /// The value; `nil` on a miss.
  package var value: Value? {
    if case .hit(let value) = self { value } else { nil }
  }

  /// The reason of a miss; `nil` on a hit.
  package var miss: CacheMiss? {
    if case .miss(let miss) = self { miss } else { nil }
  }
}

/// A store that knows why it has no usable entry for a key.
package protocol MissReportingStore: DataStore {
  /// The entry stored under a key, or the reason of the miss. Reading counts as use.
  func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry>
}

extension DataStore {
  /// The entry stored under a key, or the reason of the miss; of stores that do not know it, every miss is absent or
  /// partial.
  package func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    if let store = self as? any MissReportingStore { return try await store.lookUp(key) }
    if let entry = try await entry(for: key) { return .hit(entry) }
    let hasPart = key.isOfOriginal ? try? await containsEntry(for: key.ofPartialBody) : false
    return .miss(hasPart == true ? .partial : .absent)
  }
}
