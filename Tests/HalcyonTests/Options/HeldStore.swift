import HalcyonTestDoubles
import Halcyon
import HalcyonSupport
import HalcyonCache
import HalcyonTesting
import HalcyonTestSupport

/// A store whose writes wait at a gate.
struct HeldStore: PassingStore {
  let base: MemoryDataStore
  let gate: Gate

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await gate.wait()
    try await base.store(entry, for: key)
  }
}
