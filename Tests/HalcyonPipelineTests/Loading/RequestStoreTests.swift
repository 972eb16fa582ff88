import Foundation
import HalcyonHTTP
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import Testing

@testable import HalcyonCache
@testable import HalcyonPipeline

/// What the options of a request do to the entries that it reads and writes.
@Suite(.unitTest)
struct RequestStoreTests {
  private let base = MemoryDataStore()
  private let key: CacheKey = "|url=21:https://example.com/a"

  private func store(_ change: (inout RequestStore) -> Void = { _ in }) -> RequestStore {
    var store = RequestStore(base: base, metadataUpdates: SerialWork(), eventHandler: nil)
    change(&store)
    return store
  }

  private func entry(_ text: String = "a", tags: [String] = [], _ expiration: CacheExpiration? = nil) -> StoredEntry {
    let date = Date(timeIntervalSince1970: 1)
    return StoredEntry(
      body: Data(text.utf8),
      metadata: EntryMetadata(requestDate: date, responseDate: date, expiration: expiration, tags: tags))
  }

  @Test func `a request without options uses the store itself`() {
    #expect(store().isPlain)
    #expect(!store { $0.options.tags = ["a"] }.isPlain)
    #expect(!store { $0.options.expiration = .never }.isPlain)
    #expect(!store { $0.options.isPinned = true }.isPlain)
    #expect(!store { $0.isReadOnly = true }.isPlain)
    #expect(!RequestStore(base: base, metadataUpdates: SerialWork(), eventHandler: { _ in }).isPlain)
  }

  @Test func `a request that only reads changes nothing`() async throws {
    try await base.store(entry(), for: key)
    let store = store {
      ($0.isReadOnly, $0.options) = (true, StoreOptions(expiration: .never, tags: ["b"], isPinned: true))
    }
    try await store.store(entry("b"), for: key)
    #expect(try await !store.updateMetadata(entry(tags: ["c"]).metadata, for: key))
    #expect(try await !store.setPinned(true, for: key))
    try await store.removeEntry(for: key)
    #expect(try await store.removeEntries(ofSource: "https://example.com/a") == 0)
    try await store.removeReplaced(ofSource: "https://example.com/a", except: nil)
    try await store.removeAll()
    _ = try await store.entry(for: key)
    #expect(try await base.entry(for: key) == entry())
  }

  @Test func `an entry that is read or written gets the options, and keeps the tags that it has`() async throws {
    let store = store { $0.options = StoreOptions(expiration: .never, tags: ["a", "b"]) }
    let expected = entry(tags: ["b", "c", "a"], .never)
    for isWritten in [true, false] {
      let before = entry(tags: ["b", "c"], .expired)
      try await isWritten ? store.store(before, for: key) : base.store(before, for: key)
      #expect(try await store.entry(for: key) == expected)
      #expect(try await base.entry(for: key) == expected)
    }
    let plain = self.store()
    try await plain.store(entry(tags: ["c"], .expired), for: key)
    #expect(try await plain.entry(for: key) == entry(tags: ["c"], .expired))
    #expect(try await plain.containsEntry(for: key))
    #expect(try await plain.metadata(for: key)?.tags == ["c"])
  }

  @Test(arguments: [(200, CacheExpiration.never), (299, .never), (300, .expired), (404, .expired)])
  func `the image of an error status keeps the expiration of its response`(
    status: Int, expiration: CacheExpiration
  ) async throws {
    let store = store { $0.options.expiration = .never }
    var response = entry("a", .expired)
    response.metadata.status = status
    for isWritten in [true, false] {
      try await isWritten ? store.store(response, for: key) : base.store(response, for: key)
      #expect(try await store.entry(for: key)?.metadata.expiration == expiration)
      #expect(try await base.entry(for: key)?.metadata.expiration == expiration)
    }
  }

  @Test(arguments: [CacheAccess.readWrite, .readOnly]) func `a request changes entries if it has options for them`(
    access: CacheAccess
  ) {
    let rows: [(changes: Bool, change: (inout ImageRequest) -> Void)] = [
      (false, { _ in }), (false, { $0.priority = .high }), (true, { $0.tags = ["a"] }), (true, { $0.isPinned = true }),
      (false, { $0.isPinned = false }), (true, { $0.storeExpiration = .never }),
    ]
    for (number, row) in rows.enumerated() {
      var request = ImageRequest(source: .string("https://example.com/a"))
      row.change(&request)
      request.storeAccess = access
      #expect(request.changesEntries == (row.changes && access == .readWrite), "\(number)")
    }
  }

  @Test func `a failure of the store is an event, and a cancellation is none`() async {
    for (error, count) in [(CocoaError(.fileWriteOutOfSpace), 1), (CancellationError(), 0)] as [(any Error, Int)] {
      let events = Counter()
      let store = RequestStore(
        base: FailingStore(error: error), metadataUpdates: SerialWork(), eventHandler: { _ in events.increment() })
      await #expect(throws: (any Error).self) { try await store.metadata(for: key) }
      await #expect(throws: (any Error).self) { try await store.store(entry(), for: key) }
      #expect(events.count == 2 * count)
    }
  }
}
