import HalcyonTestDoubles
import HalcyonSupport
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct DataMemoryCacheTests {
  private let clock = TestClock()

  private func entry(_ byteCount: Int = 1000, expiration: CacheExpiration? = nil) -> StoredEntry {
    StoredEntry(
      body: Data(count: byteCount),
      metadata: EntryMetadata(requestDate: clock.now(), responseDate: clock.now(), expiration: expiration))
  }

  @Test func `it satisfies the data store laws, alone and in front of another store`() async throws {
    try await DataStoreLaws.check { DataMemoryCache(byteLimit: 1 << 20) }
    try await DataStoreLaws.check { DataMemoryCache(byteLimit: 1 << 20, over: MemoryDataStore()) }
    // With no space in memory, every entry comes from the store behind.
    try await DataStoreLaws.check { DataMemoryCache(byteLimit: 0, over: MemoryDataStore()) }
    try await DataStoreLaws.check { DataMemoryCache(byteLimit: 1 << 20, expiration: .expired, over: MemoryDataStore()) }
  }

  @Test func `the least recently used entry is evicted, and the limit holds`() async throws {
    let cache = DataMemoryCache(byteLimit: 10_000)
    for number in 0..<100 {
      try await cache.store(entry(), for: CacheKey("\(number)"))
      #expect(try await cache.entry(for: "0") != nil)
      #expect(cache.byteCount <= 10_000)
    }
    #expect(cache.byteCount > 5000)
    #expect(try await cache.entry(for: "99") != nil)
    #expect(try await cache.entry(for: "50") == nil)
    cache.byteLimit = 2000
    #expect((1000...2000).contains(cache.byteCount))
    try await cache.store(entry(3000), for: "99")
    #expect(try await cache.entry(for: "99") == nil, "the older entry is removed, too")
    var annotated = entry()
    annotated.metadata.userInfo = Data(count: 2000)
    try await cache.store(annotated, for: "100")
    #expect(try await cache.entry(for: "100") == nil, "metadata counts")
    annotated.metadata.userInfo = nil
    annotated.metadata.headers = ["X": String(repeating: "x", count: 2000)]
    try await cache.store(annotated, for: "100")
    #expect(try await cache.entry(for: "100") == nil, "header fields count")
    try await cache.store(entry(), for: "kept")
    try await cache.store(entry(expiration: .expired), for: "expired")
    #expect(try await cache.entry(for: "kept") != nil, "an entry that is never served evicts no other")
  }

  @Test func `a miss tells whether the beginning of the entry is stored here or in the store behind`() async throws {
    let (begun, none) = (CacheKey("|url=1:a"), CacheKey("|url=1:b"))
    for base in [nil, MemoryDataStore()] {
      for byteLimit in base == nil ? [1 << 20] : [1 << 20, 0] {
        let cache = DataMemoryCache(byteLimit: byteLimit, over: base, time: clock)
        try await cache.store(entry(), for: begun.ofPartialBody)
        #expect(try await cache.lookUp(begun).miss == .partial)
        #expect(try await cache.lookUp(none).miss == .absent)
      }
    }
  }

  @Test func `an entry expires by its own expiration, or by the default of the cache`() async throws {
    let cache = DataMemoryCache(byteLimit: 1 << 20, time: clock)
    for (key, expiration) in [("never", CacheExpiration.never), ("short", .after(.seconds(10)))] {
      try await cache.store(entry(expiration: expiration), for: CacheKey(key))
    }
    try await cache.store(entry(), for: "own")
    clock.advance(by: .seconds(11))
    #expect(try await cache.lookUp("short").miss == .expired)
    clock.advance(by: .seconds(280))
    #expect(try await cache.entry(for: "own") != nil)
    clock.advance(by: .seconds(299))
    #expect(try await cache.lookUp("own").value != nil)
    clock.advance(by: .seconds(301))
    #expect(try await cache.containsEntry(for: "own") == false)
    #expect(try await cache.entry(for: "never") != nil)
    try await cache.updateMetadata(entry(expiration: .after(.seconds(10))).metadata, for: "never")
    clock.advance(by: .seconds(11))
    #expect(try await cache.lookUp("never").miss == .expired)
  }

  @Test func `the disk is read once, and removals reach it`() async throws {
    try await TemporaryDirectory.run { folder in
      let disk = DiskCache(directory: folder, time: clock)
      try await disk.store(entry(), for: "a")
      let store = DataMemoryCache(byteLimit: 1 << 20, over: disk, time: clock)
      for _ in 0..<3 { #expect(try await store.entry(for: "a") == entry()) }
      #expect(disk.statistics.hits == 1)
      clock.advance(by: .seconds(301))
      #expect(try await store.entry(for: "a") != nil)
      #expect(disk.statistics.hits == 2)
      try await store.removeAll()
      #expect(try await store.entry(for: "a") == nil)
      #expect(try await disk.count == 0)
    }
  }

  @Test func `a copy in memory expires with the entry on disk`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DataMemoryCache(byteLimit: 1 << 20, over: DiskCache(directory: folder, time: clock), time: clock)
      try await cache.store(entry(expiration: .after(.seconds(10))), for: "a")
      clock.advance(by: .seconds(9))
      #expect(try await cache.containsEntry(for: "a"))
      clock.advance(by: .seconds(2))
      #expect(try await cache.entry(for: "a") == nil)
    }
  }

  @Test func `a copy is not served after its entry was removed from the store with others`() async throws {
    let removals: [@Sendable (DiskCache) async throws -> Void] = [
      { try await $0.removeAll() }, { _ = try await $0.removeEntries(taggedWith: "trip") },
      { _ = try await $0.removeEntries(ofSource: "http://a.example/1.png") },
    ]
    // The disk cache may be behind another store.
    for (remove, isNested) in removals.flatMap({ [($0, false), ($0, true)] }) {
      try await TemporaryDirectory.run { folder in
        let disk = DiskCache(directory: folder, time: clock)
        let base: any DataStore = isNested ? DataMemoryCache(byteLimit: 1 << 20, over: disk, time: clock) : disk
        let cache = DataMemoryCache(byteLimit: 1 << 20, over: base, time: clock)
        let key = ImagePipeline.cacheKey(for: ImageRequest(url: try #require(URL(string: "http://a.example/1.png"))))
        var stored = entry()
        stored.metadata.tags = ["trip"]
        try await cache.store(stored, for: key)
        try await remove(disk)
        #expect(try await cache.containsEntry(for: key) == false)
        #expect(try await cache.metadata(for: key) == nil)
        #expect(try await cache.entry(for: key) == nil)
        #expect(cache.byteCount == 0)
        try await cache.store(stored, for: key)
        #expect(try await cache.entry(for: key) == stored)
      }
    }
  }

  @Test func `an entry that is removed while it is read is not inserted`() async throws {
    let removals: [@Sendable (DataMemoryCache) async throws -> Void] = [
      { try await $0.removeEntry(for: "a") }, { try await $0.removeAll() },
    ]
    for remove in removals {
      let reads = PausedReads()
      let cache = DataMemoryCache(byteLimit: 1 << 20, over: reads)
      try await reads.base.store(entry(), for: "a")
      let read = Task { try await cache.entry(for: "a") }
      await reads.isReading.wait()
      try await remove(cache)
      reads.mayEnd.set()
      #expect(try await read.value != nil, "it was stored when the read began")
      #expect(cache.byteCount == 0)
      #expect(try await cache.entry(for: "a") != nil)
      #expect(cache.byteCount > 0, "an entry that is not removed meanwhile is inserted")
    }
  }

  @Test func `an entry that is read while all are removed is not inserted`() async throws {
    let store = PausedRemoval()
    let cache = DataMemoryCache(byteLimit: 1 << 20, over: store)
    try await store.base.store(entry(), for: "a")
    let removal = Task { try await cache.removeAll() }
    await store.isRemoving.wait()
    #expect(try await cache.entry(for: "a") != nil, "the store behind still has it")
    store.mayEnd.set()
    try await removal.value
    #expect(try await cache.entry(for: "a") == nil)
  }

  @Test func `without a store behind, the entries of a source are removed and counted, but not its new original`()
    async throws
  {
    let cache = DataMemoryCache(byteLimit: 1 << 20)
    let (original, thumbnail) = (CacheKey("|url=1:a"), CacheKey("|url=1:a|size=1"))
    for key in [original, thumbnail] { try await cache.store(entry(), for: key) }
    try await cache.removeReplaced(ofSource: "a", except: original)
    #expect(try await cache.containsEntry(for: original))
    #expect(try await !cache.containsEntry(for: thumbnail))
    try await cache.store(entry(), for: thumbnail)
    #expect(try await cache.removeEntries(ofSource: "a") == 2)
    #expect(cache.byteCount == 0)
  }

  @Test func `an entry that the store behind fails to store is kept for a minute`() async throws {
    let cache = DataMemoryCache(byteLimit: 1 << 20, over: FailingStore(error: POSIXError(.ENOSPC)), time: clock)
    let entry = entry()
    await #expect(throws: POSIXError.self) { try await cache.store(entry, for: "a") }
    clock.advance(by: .seconds(59))
    #expect(try await cache.entry(for: "a") == entry)
    clock.advance(by: .seconds(2))
    await #expect(throws: POSIXError.self) { try await cache.entry(for: "a") }
  }

  @Test func `an entry whose metadata the store behind fails to update is kept with the new ones`() async throws {
    let cache = DataMemoryCache(byteLimit: 1 << 20, over: FailingStore(error: POSIXError(.EIO)), time: clock)
    try? await cache.store(entry(), for: "a")
    var updated = entry()
    updated.metadata.tags = ["new"]
    await #expect(throws: POSIXError.self) { try await cache.updateMetadata(updated.metadata, for: "a") }
    #expect(try await cache.entry(for: "a") == updated)
  }

  @Test
  func `an entry that expires, is removed, or whose store is cancelled is not kept though the store behind fails`()
    async throws
  {
    let cache = DataMemoryCache(byteLimit: 1 << 20, over: FailingStore(error: POSIXError(.ENOSPC)), time: clock)
    try? await cache.store(entry(expiration: .after(.seconds(10))), for: "a")
    try? await cache.store(entry(), for: "b")
    clock.advance(by: .seconds(11))
    try? await cache.removeEntry(for: "b")
    await #expect(throws: POSIXError.self) { try await cache.entry(for: "a") }
    #expect(cache.byteCount == 0)
    let cancelled = DataMemoryCache(byteLimit: 1 << 20, over: FailingStore(error: CancellationError()))
    try? await cancelled.store(entry(), for: "a")
    #expect(cancelled.byteCount == 0)
  }
}

/// A store that ignores removals, and whose reads end when the test lets them.
private struct PausedReads: PassingStore {
  let base = MemoryDataStore()
  let isReading = Signal()
  let mayEnd = Signal()

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    isReading.set()
    await mayEnd.wait()
    return try await base.entry(for: key)
  }

  // The read has the entry, whatever is changed meanwhile.
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool { true }
  func removeEntry(for key: CacheKey) async throws {}
  func removeAll() async throws {}
}

/// A store whose removal of all entries begins when the test lets it.
private struct PausedRemoval: PassingStore {
  let base = MemoryDataStore()
  let isRemoving = Signal()
  let mayEnd = Signal()

  func removeAll() async throws {
    isRemoving.set()
    await mayEnd.wait()
    try await base.removeAll()
  }
}
