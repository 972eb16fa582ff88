import Halcyon
import HalcyonSupport
import HalcyonCache
import HalcyonTesting
import HalcyonTestSupport

/// A store whose writes wait at a gate.
struct HeldStore: DataStore {
  let store: MemoryDataStore
  let gate: Gate

  func entry(for key: CacheKey) async throws -> StoredEntry? { try await store.entry(for: key) }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await gate.wait()
    try await store.store(entry, for: key)
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await store.updateMetadata(metadata, for: key)
  }

  func removeEntry(for key: CacheKey) async throws { try await store.removeEntry(for: key) }

  func removeAll() async throws { try await store.removeAll() }
}
