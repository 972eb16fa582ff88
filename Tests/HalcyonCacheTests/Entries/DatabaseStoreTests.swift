import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// The store of the guide “Writing a decoder, a processor, a store or a transport”.
@Suite(.unitTest)
struct DatabaseStoreTests {
  @Test func `a store of 20 lines over a database satisfies the data store laws`() async throws {
    try await DataStoreLaws.check { DatabaseStore(database: TableInMemory()) }
  }

  @Test func `a cache over a database keeps everything that the metadata contains`() async throws {
    let store = DatabaseStore(database: TableInMemory())
    let cache = ImageCache(store: store)
    var metadata = EntryMetadata.example
    metadata.expiration = .days(3, since: .storing)
    metadata.userInfo = Data("mine".utf8)
    try await cache.store?.store(StoredEntry(body: Data(count: 3), metadata: metadata), for: "a")
    #expect(try await store.metadata(for: "a") == metadata)
    #expect(try await store.containsEntry(for: "a"))
    #expect(try await store.setPinned(true, for: "a") == false, "the store evicts nothing")
  }

  @Test func `bytes that are no metadata are an error`() {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(EntryMetadata.self, from: Data("\"AAAA\"".utf8))
    }
  }
}

private struct DatabaseStore: DataStore {
  let database: any Database

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    guard let row = try await database.row(key.text) else { return nil }
    return StoredEntry(body: row.body, metadata: try JSONDecoder().decode(EntryMetadata.self, from: row.metadata))
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await database.insert(key.text, entry.body, JSONEncoder().encode(entry.metadata))
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    guard let row = try await database.row(key.text) else { return false }
    try await database.insert(key.text, row.body, JSONEncoder().encode(metadata))
    return true
  }

  func removeEntry(for key: CacheKey) async throws { try await database.delete(key.text) }

  func removeAll() async throws { try await database.deleteAll() }
}

private protocol Database: Sendable {
  func row(_ key: String) async throws -> (body: Data, metadata: Data)?
  func insert(_ key: String, _ body: Data, _ metadata: Data) async throws
  func delete(_ key: String) async throws
  func deleteAll() async throws
}

private actor TableInMemory: Database {
  // Rows by the bytes of their keys, since texts that are equal as `String` may be different keys.
  private var rows: [[UInt8]: (body: Data, metadata: Data)] = [:]

  func row(_ key: String) -> (body: Data, metadata: Data)? { rows[Array(key.utf8)] }
  func insert(_ key: String, _ body: Data, _ metadata: Data) { rows[Array(key.utf8)] = (body, metadata) }
  func delete(_ key: String) { rows[Array(key.utf8)] = nil }
  func deleteAll() { rows = [:] }
}
