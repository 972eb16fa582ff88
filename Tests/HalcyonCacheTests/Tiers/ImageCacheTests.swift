import HalcyonHTTP
import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ImageCacheTests {
  private let clock = TestClock()
  // Nothing is written in the background, which could create a removed folder again.
  private let quiet = DiskCacheConfiguration(cleaning: .whenAsked)

  private func entry(_ text: String = "a", tags: [String] = []) -> StoredEntry {
    StoredEntry(
      body: Data(text.utf8),
      metadata: EntryMetadata(
        requestDate: clock.now(), responseDate: clock.now(), expiration: .after(.seconds(60)), tags: tags))
  }

  private func cache(in folder: URL, encodedByteLimit: Int = 0) -> ImageCache {
    ImageCache(
      memory: MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 1000), time: clock),
      store: DiskCache(directory: folder, configuration: quiet, time: clock), encodedByteLimit: encodedByteLimit,
      time: clock)
  }

  @Test func `caches with different names share nothing`() async throws {
    let names = ["a", "b"].map { "halcyon-test-\($0)-\(UUID().uuidString)" }
    let caches = names.map { ImageCache(named: $0, disk: quiet) }
    let folders = caches.compactMap(\.disk?.directory)
    defer {
      for folder in folders { try? FileManager.default.removeItem(at: folder) }
      // The folder of this program, and the folder of the library, if nothing else is in them.
      rmdir(folders[0].deletingLastPathComponent().path())
      rmdir(folders[0].deletingLastPathComponent().deletingLastPathComponent().path())
    }
    #expect(folders.map(\.lastPathComponent) == names)
    let disk = try #require(caches[0].disk)
    try await disk.store(entry(), for: "1")
    #expect(try await disk.entry(for: "1") == entry())
    #expect(try await caches[1].disk?.entry(for: "1") == nil)
    #expect(
      try await ImageCache(named: names[0], disk: quiet).disk?.entry(for: "1") == entry(),
      "the folder outlives the cache")
  }

  @Test func `a cache is in the default folder, in a folder, in a named one of it, or in memory alone`() {
    let folder = URL(filePath: "/tmp/halcyon-caches/", directoryHint: .isDirectory)
    #expect(ImageCache(disk: quiet).disk?.directory == DiskCache.defaultDirectory)
    #expect(ImageCache(in: folder, disk: quiet).disk?.directory == folder)
    let named = ImageCache(named: "stickers", in: folder, disk: quiet)
    #expect(named.disk?.directory == folder.appending(path: "stickers", directoryHint: .isDirectory))
    let inMemory = ImageCache(memory: MemoryCacheConfiguration(countLimit: 3), disk: nil)
    #expect(inMemory.store == nil)
    #expect(inMemory.disk == nil)
    #expect(inMemory.encodedStore == nil)
    #expect(inMemory.memory.configuration.countLimit == 3)
  }

  @Test func `in the background a tenth of the limit of decoded images is kept, and nothing of a store of the program`()
    throws
  {
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 4000))
    let others = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 4000))
    for cache in [memory, others] {
      for number in 0..<5 { cache.store(try solidImage(10, 10), for: CacheKey("\(number)")) }
    }
    for memory in [memory, RequiredMembersStore(cache: others)] as [any MemoryStore] {
      ImageCache(memory: memory, store: nil).trimForBackground()
    }
    #expect(memory.totalCost == 400)
    #expect(others.totalCost == 0)
  }

  @Test func `in the background a tenth of the encoded images in memory is kept`() async throws {
    let cache = ImageCache(memory: MemoryCache(), store: nil, encodedByteLimit: 1 << 20)
    let store = try #require(cache.encodedStore)
    let text = String(repeating: "a", count: 1000)
    for number in 1...40 { try await store.store(entry(text), for: CacheKey("\(number)")) }
    let byteCount = try await cache.byteCount(of: .memory)
    #expect(byteCount > 40_000)
    cache.trimForBackground()
    #expect(try await (1...byteCount / 10).contains(cache.byteCount(of: .memory)))
  }

  @Test func `a cache with a name that is too long for a folder keeps its entries`() async throws {
    try await TemporaryDirectory.run { folder in
      let names = ["a", "b"].map { String(repeating: "é", count: 400) + $0 }
      for name in names {
        let disk = try #require(ImageCache(named: name, in: folder, disk: quiet).disk)
        #expect(try await disk.entry(for: "1") == nil)
        try await disk.store(entry(), for: "1")
        #expect(try await ImageCache(named: name, in: folder, disk: quiet).disk?.entry(for: "1") == entry())
        #expect(DiskCache.directory(named: name).lastPathComponent == disk.directory.lastPathComponent)
      }
      let fitting = String(repeating: "a", count: 255)
      #expect(ImageCache(named: fitting, in: folder, disk: quiet).disk?.directory.lastPathComponent == fitting)
    }
  }

  @Test func `the limits are those of the tiers, and can be changed`() {
    let cache = ImageCache(in: URL(filePath: "/tmp/halcyon-caches"), disk: quiet)
    cache.memoryConfiguration.costLimit = 1000
    cache.diskConfiguration?.sizeLimit = 2000
    cache.encodedByteLimit = 3000
    #expect(cache.memory.configuration.costLimit == 1000)
    #expect(cache.disk?.configuration.sizeLimit == 2000)
    #expect(cache.encodedByteLimit == 3000)
    let stored = ImageCache(memory: MemoryCacheConfiguration(costLimit: 5), store: MemoryDataStore())
    stored.diskConfiguration = quiet
    #expect(stored.memoryConfiguration.costLimit == 5)
    #expect(stored.diskConfiguration == nil)
  }

  @Test func `encoded images are kept in memory up to the limit, also without a store`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = cache(in: folder, encodedByteLimit: 1 << 20)
      let store = try #require(cache.encodedStore)
      try await store.store(entry(), for: "1")
      #expect(try await store.entry(for: "1") == entry())
      #expect(cache.statistics[.store]?.hits == 0, "it was not read from disk")
      #expect(try await cache.byteCount(of: .memory) > 0)
      cache.encodedByteLimit = 0
      #expect(try await store.entry(for: "1") == entry())
      #expect(cache.statistics[.store]?.hits == 1)
      #expect(try await cache.byteCount(of: .memory) == 0)
      let alone = ImageCache(disk: nil, encodedByteLimit: 1 << 20)
      try await alone.encodedStore?.store(entry(tags: ["trip"]), for: "1")
      #expect(try await alone.encodedStore?.containsEntry(for: "1") == true)
      #expect(try await alone.removeEntries(taggedWith: "trip") == 1)
      #expect(try await alone.encodedStore?.containsEntry(for: "1") == false)
    }
  }

  @Test func `entries are removed by tag, and everything at once`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = cache(in: folder, encodedByteLimit: 1 << 20)
      let store = try #require(cache.encodedStore)
      for tag in ["trip", "party"] { try await store.store(entry(tags: [tag]), for: CacheKey(tag)) }
      #expect(try await cache.removeEntries(taggedWith: "trip") == 1)
      #expect(try await store.entry(for: "trip") == nil)
      #expect(try await store.entry(for: "party") != nil)
      cache.memory.store(try solidImage(), for: "party", expiration: nil)
      try await cache.removeAll()
      #expect(try await store.entry(for: "party") == nil)
      #expect(!cache.memory.contains("party"))
      #expect(try await cache.disk?.count == 0)
    }
  }

  @Test(arguments: [0, 1, 2]) func `the mark of a stored original is known, unless there are several variants of it`(
    variantCount: Int
  ) async throws {
    let (store, mark) = (MemoryDataStore(), OriginalMark(received: clock.now(), hash: 1))
    var original = entry()
    original.metadata.original = mark
    original.metadata.variants = try (0..<variantCount).map { number in
      try #require(VaryKey(of: ["Vary": "Accept"], requestHeaders: ["Accept": "\(number)"]))
    }
    try await store.store(original, for: "1")
    let cache = ImageCache(memory: MemoryCache(), store: store)
    #expect(await cache.storedMark(of: "1") == (variantCount < 2 ? mark : nil))
    #expect(await cache.storedMark(of: "2") == nil)
  }

  @Test(arguments: [(-1, true), (0, true), (1, false)] as [(Double, Bool)])
  func `what was made of other bytes is older, unless those were received later`(seconds: Double, isOlder: Bool) {
    let now = clock.now()
    let newest = OriginalMark(received: now, hash: 1)
    #expect(OriginalMark(received: now + seconds, hash: 2).isOlder(than: newest) == isOlder)
    #expect(!OriginalMark(received: now + seconds, hash: 1).isOlder(than: newest))
  }

  @Test func `byte counts, statistics and cleaning cover both tiers`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = cache(in: folder)
      cache.memory.store(try solidImage(5, 5), for: "1", expiration: .after(.seconds(60)))
      try await cache.store?.store(entry(), for: "1")
      #expect(try await cache.byteCount(of: .memory) == 100)
      #expect(try await cache.byteCount(of: .store) == 8192)
      #expect(cache.statistics[.memory]?.stores == 1 && cache.statistics[.store]?.stores == 1)
      #expect(cache.memory.image(for: "2") == nil)
      #expect(try await cache.store?.entry(for: "2") == nil)
      clock.advance(by: .seconds(61))
      let report = try await cache.clean()
      #expect(report.memory[.expiration]?.count == 1 && report.disk[.expiration]?.count == 1)
      let statistics = CacheTier.allTiers.map { cache.statistics[$0]?.description }
      #expect(statistics == Array(repeating: "0 of 1 reads hit (1 absent), 1 stored, 1 evicted", count: 2))
      let printed = "\(cache.statistics)"
      #expect(printed.contains("[memory: 0 of 1") || printed.contains(", memory: 0 of 1"))
      let other = ImageCache(memory: RequiredMembersStore(cache: MemoryCache()), store: MemoryDataStore())
      #expect(other.statistics.isEmpty)
      #expect(try await other.byteCount(of: .memory) == 0)
    }
  }

  @Test func `sizes and removals cover every disk cache of a store, of which the first counts as the cache's own`()
    async throws
  {
    try await TemporaryDirectory.run { folder in
      let disks = ["a", "b"].map { name in
        DiskCache(
          directory: folder.appending(path: name, directoryHint: .isDirectory), configuration: quiet, time: clock)
      }
      let cache = ImageCache(memory: MemoryCache(), store: TwoDisks(base: disks[0], other: disks[1]))
      #expect(cache.disk === disks[0])
      for disk in disks {
        try await disk.store(entry(tags: ["trip"]), for: "1")
        try await disk.store(entry(), for: "2")
      }
      #expect(try await cache.byteCount(of: .store) == 4 * 8192)
      #expect(try await cache.removeEntries(taggedWith: "trip") == 2)
      clock.advance(by: .seconds(61))
      let removed = try await cache.clean().disk[.expiration]
      #expect(removed?.count == 2)
      #expect(removed?.byteCount == 2 * 8192)
    }
  }

  @Test func `entering the background and terminating reach the disk cache`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = cache(in: folder)
      cache.diskConfiguration?.cleaning.occasions = [.background]
      try await cache.store?.store(entry(), for: "1")
      clock.advance(by: .seconds(61))
      await cache.willEnterBackground()
      #expect(cache.disk?.lastCleaning?.total.count == 1)
      cache.diskConfiguration?.cleaning.occasions = [.termination]
      try await cache.store?.store(entry(), for: "2")
      clock.advance(by: .seconds(61))
      cache.willTerminate()
      #expect(cache.statistics[.store]?.evictions == [.expiration: 2])
      // A writer has a lock file while it is open.
      let locks = folder.appending(path: "v\(DiskCache.format)/own").path()
      #expect(try FileManager.default.contentsOfDirectory(atPath: locks).isEmpty)
      await cache.willEnterForeground()
      try await cache.store?.store(entry(), for: "3")
      #expect(try FileManager.default.contentsOfDirectory(atPath: locks).count == 1)
    }
  }
}

extension CacheTier {
  fileprivate static var allTiers: [CacheTier] { [.memory, .store] }
}

/// A store of two disk caches.
private struct TwoDisks: PassingStore, CompositeStore {
  let base: DiskCache
  let other: DiskCache
  let removals = RemovalHistory()

  var stores: [any DataStore] { [base, other] }
}
