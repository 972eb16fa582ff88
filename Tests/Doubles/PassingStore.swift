package import HalcyonCache
package import Foundation
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

/// A store in memory whose writes a test delays or lets fail.
package final class InterceptedStore: PassingStore {
  package let base = MemoryDataStore()
  private let write: @Sendable (_ body: Data, _ base: () async throws -> Void) async throws -> Void

  package init(write: @escaping @Sendable (_ body: Data, _ base: () async throws -> Void) async throws -> Void) {
    self.write = write
  }

  package func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await write(entry.body) { try await base.store(entry, for: key) }
  }
  package func removeEntries(ofSource source: String) async throws -> Int {
    try await base.removeEntries(ofSource: source)
  }
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
