package import HalcyonCache
package import HalcyonTesting

/// A store that passes on to another what it does not do itself.
package protocol PassingStore<Base>: DataStore {
  associatedtype Base: DataStore
  var base: Base { get }
}

extension PassingStore {
  package func entry(for key: CacheKey) async throws -> StoredEntry? { try await base.entry(for: key) }
  package func store(_ entry: StoredEntry, for key: CacheKey) async throws { try await base.store(entry, for: key) }
  package func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await base.updateMetadata(metadata, for: key)
  }
  package func removeEntry(for key: CacheKey) async throws { try await base.removeEntry(for: key) }
  package func removeAll() async throws { try await base.removeAll() }
}

/// A store in memory that finds entries by their keys only.
package struct KeyStore: PassingStore {
  package let base = MemoryDataStore()

  package init() {}
}

/// A store whose calls all fail.
package struct FailingStore: DataStore {
  let error: any Error

  package init(error: any Error) { self.error = error }

  package func entry(for key: CacheKey) async throws -> StoredEntry? { throw error }
  package func store(_ entry: StoredEntry, for key: CacheKey) async throws { throw error }
  package func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool { throw error }
  package func removeEntry(for key: CacheKey) async throws { throw error }
  package func removeAll() async throws { throw error }
}
