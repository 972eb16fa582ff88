package import HalcyonCache
package import HalcyonTesting
package import HalcyonTestSupport

/// A store whose writes wait at a gate.
package struct HeldStore: PassingStore {
  package let base: MemoryDataStore
  package let gate: Gate

  package init(base: MemoryDataStore = MemoryDataStore(), gate: Gate = Gate()) { (self.base, self.gate) = (base, gate) }

  package func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await gate.wait()
    try await base.store(entry, for: key)
  }
}
