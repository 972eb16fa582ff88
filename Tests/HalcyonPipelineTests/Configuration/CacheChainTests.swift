import HalcyonHTTP
import HalcyonSupport
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTesting
import TestDoubles
import TestSupport
import TestTraits
import Testing

@Suite(.unitTest)
struct CacheChainTests {
  private let near = MemoryDataStore()
  private let far = MemoryDataStore()

  private func entry(_ text: String = "a") -> StoredEntry {
    StoredEntry(body: Data(text.utf8), metadata: .example)
  }

  @Test func `a chain satisfies the data store laws`() async throws {
    try await DataStoreLaws.check { StoreChain([MemoryDataStore(), MemoryDataStore()]) }
  }

  @Test func `an entry found in a later store is copied to the first`() async throws {
    try await far.store(entry(), for: "1")
    let chain = StoreChain([near, far])
    #expect(try await chain.entry(for: "1") == entry())
    #expect(try await near.entry(for: "1") == entry())
    #expect(try await chain.entry(for: "2") == nil)
  }

  @Test func `a new entry is stored in the first store, and no older one resurfaces`() async throws {
    try await far.store(entry("old"), for: "1")
    let chain = StoreChain([near, far])
    try await chain.store(entry("new"), for: "1")
    #expect(near.keys == ["1"])
    try await near.removeAll()
    #expect(try await chain.entry(for: "1") == nil)
  }

  @Test func `removals reach every store`() async throws {
    let chain = StoreChain([near, far])
    for key in ["1", "2"] as [CacheKey] {
      try await near.store(entry(), for: key)
      try await far.store(entry(), for: key)
    }
    try await chain.removeEntry(for: "1")
    #expect(near.keys == ["2"] && far.keys == ["2"])
    try await chain.removeAll()
    #expect(near.count == 0 && far.count == 0)
  }

  @Test func `an entry that is removed while it is read is not copied to the first store`() async throws {
    let reader = ReadingStore(far)
    let chain = StoreChain([near, reader])
    for removesAll in [false, true] {
      try await far.store(entry(), for: "1")
      reader.whileReading = { try await removesAll ? chain.removeAll() : chain.removeEntry(for: "1") }
      #expect(try await chain.entry(for: "1") == entry())
      #expect(near.count == 0)
    }
  }

  @Test func `a failing store is skipped, and the last error is thrown when all fail`() async throws {
    try await far.store(entry(), for: "1")
    let chain = StoreChain([BrokenStore("near"), far])
    #expect(try await chain.entry(for: "1") == entry())
    #expect(try await chain.containsEntry(for: "1"))
    #expect(try await chain.metadata(for: "1") == .example)
    #expect(try await chain.entry(for: "2") == nil)
    #expect(try await chain.containsEntry(for: "2") == false)
    #expect(try await chain.metadata(for: "2") == nil)
    let broken = StoreChain([BrokenStore("near"), BrokenStore("far")])
    let failure = BrokenStore.Failure(store: "far")
    await #expect(throws: failure) { try await broken.entry(for: "1") }
    await #expect(throws: failure) { try await broken.containsEntry(for: "1") }
    await #expect(throws: failure) { try await broken.metadata(for: "1") }
  }

  @Test func `removals and updates reach every store, and the first error is thrown`() async throws {
    for key in ["1", "2"] as [CacheKey] { try await far.store(entry(), for: key) }
    let chain = StoreChain([BrokenStore("near"), far, BrokenStore("last")])
    let failure = BrokenStore.Failure(store: "near")
    var metadata = EntryMetadata.example
    metadata.tags = ["changed"]
    await #expect(throws: failure) { try await chain.updateMetadata(metadata, for: "2") }
    #expect(try await far.metadata(for: "2") == metadata)
    await #expect(throws: failure) { try await chain.removeEntry(for: "1") }
    #expect(far.keys == ["2"])
    await #expect(throws: failure) { try await chain.removeAll() }
    #expect(far.count == 0)
  }

  @Test func `when the first store fails to store an entry, older ones are removed from later stores`() async throws {
    try await far.store(entry("old"), for: "1")
    let chain = StoreChain([BrokenStore("near"), BrokenStore("middle"), far])
    await #expect(throws: BrokenStore.Failure(store: "near")) { try await chain.store(entry("new"), for: "1") }
    #expect(far.count == 0)
  }

  @Test func `a chain of memory caches is searched in order, and hits are promoted to the first`() throws {
    let (first, second) = (memory(1000), memory(2000))
    let chain = MemoryChain([first, second])
    let image = try solidImage(5, 5)
    second.store(image, for: "1", expiration: nil)
    #expect(chain.contains("1"))
    #expect(!first.contains("1"))
    #expect(chain.image(for: "1") != nil)
    #expect(first.contains("1"))
    #expect(chain.image(for: "2") == nil)
    chain.store(image, for: "1", expiration: nil)
    #expect(!second.contains("1"))
    chain.removeImage(for: "1")
    #expect(!chain.contains("1"))
  }

  @Test func `the cost limit of a memory chain is the sum of its caches' limits`() {
    let (first, second) = (memory(1000), memory(2000))
    let chain = MemoryChain([first, second])
    #expect(chain.configuration.costLimit == 3000)
    chain.configuration.costLimit = 2500
    #expect(first.configuration.costLimit == 500)
    #expect(second.configuration.costLimit == 2000)
    chain.configuration.costLimit = 100
    #expect(first.configuration.costLimit == 0)
    #expect(second.configuration.costLimit == 100)
  }

  @Test func `a pipeline with a chain finds an image of a later cache and copies it to the first`() async throws {
    let stickers = ImageCache(memory: memory(1 << 20), store: near)
    let photos = ImageCache(memory: memory(1 << 20), store: far)
    let chain = ImageCache(chain: [stickers, photos])
    let fixture = PipelineFixture(configure: { $0.cache = chain }) { _ in
      .failure(.connectionLost(received: 0, expected: 1))
    }
    let other = PipelineFixture(configure: { $0.cache = photos }) { _ in
      .response(body: SolidImage(width: 8, height: 8).data)
    }
    _ = try await other.pipeline.image(for: fixture.url)
    await photos.flush()
    photos.memory.removeAll()
    let request = ImageRequest(url: fixture.url)
    #expect(try await fixture.pipeline.response(for: request).origin == .store)
    #expect(near.count == 1)
    #expect(stickers.memory.contains(ImagePipeline.cacheKey(for: request)))
    #expect(!photos.memory.contains(ImagePipeline.cacheKey(for: request)))
  }

  @Test func `caches with different names share nothing`() async throws {
    let names = ["a", "b"].map { "halcyon-test-\($0)-\(UUID().uuidString)" }
    // Nothing is written in the background, which could create a removed folder again.
    let configuration = DiskCacheConfiguration(cleaning: .whenAsked)
    let caches = names.map { ImageCache(named: $0, disk: configuration) }
    let folders = caches.compactMap(\.disk?.directory)
    defer {
      for folder in folders { try? FileManager.default.removeItem(at: folder) }
      // The folder of this program, and that of the library, if nothing else is in them.
      rmdir(folders[0].deletingLastPathComponent().path())
      rmdir(folders[0].deletingLastPathComponent().deletingLastPathComponent().path())
    }
    #expect(folders.map(\.lastPathComponent) == names)
    let disk = try #require(caches[0].disk)
    try await disk.store(entry(), for: "1")
    #expect(try await disk.entry(for: "1") == entry())
    #expect(try await caches[1].disk?.entry(for: "1") == nil)
    #expect(
      try await ImageCache(named: names[0], disk: configuration).disk?.entry(for: "1") == entry(),
      "the folder outlives the cache")
  }

  @Test func `usage and cleaning cover every cache of a chain`() async throws {
    try await TemporaryDirectory.run { folder in
      let clock = TestClock()
      let caches = ["a", "b"].map { name in
        ImageCache(
          memory: MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 1000), time: clock),
          store: DiskCache(
            directory: folder.appending(path: name), configuration: DiskCacheConfiguration(cleaning: .whenAsked),
            time: clock))
      }
      for cache in caches {
        cache.memory.store(try solidImage(5, 5), for: "1", expiration: .minutes(1))
        let metadata = EntryMetadata(requestDate: clock.now(), responseDate: clock.now(), expiration: .minutes(1))
        try await cache.store?.store(StoredEntry(body: Data(count: 9), metadata: metadata), for: "1")
      }
      let chain = ImageCache(chain: caches)
      let usage = try await chain.usage
      #expect(usage.memoryByteCount == 200)
      #expect(try await usage.diskByteCount == 2 * (caches[0].usage.diskByteCount ?? 0))
      clock.advance(by: .seconds(61))
      let report = try await chain.clean()
      #expect(report.memory[.expiration]?.count == 2)
      #expect(report.disk[.expiration]?.count == 2)
    }
  }

  @Test func `usage, cleaning and flushing reach a disk cache behind a memory cache in a chain`() async throws {
    try await TemporaryDirectory.run { folder in
      let clock = TestClock()
      let disks = ["a", "b"].map { name in
        DiskCache(
          directory: folder.appending(path: name), configuration: DiskCacheConfiguration(cleaning: .whenAsked),
          time: clock)
      }
      let caches = [
        ImageCache(memory: memory(1000), store: DataMemoryCache(over: disks[0], time: clock)),
        ImageCache(memory: memory(1000), store: StoreChain([DataMemoryCache(over: disks[1], time: clock)])),
      ]
      let chain = ImageCache(chain: caches)
      #expect(chain.disks.map(\.directory) == disks.map(\.directory))
      let metadata = EntryMetadata(requestDate: clock.now(), responseDate: clock.now(), expiration: .minutes(1))
      for disk in disks { try await disk.store(StoredEntry(body: Data(count: 9), metadata: metadata), for: "1") }
      #expect(try await chain.usage.diskByteCount == 2 * 8192)
      clock.advance(by: .seconds(61))
      #expect(try await chain.clean().disk[.expiration]?.count == 2)
      #expect(ImageCache(chain: [ImageCache(chain: [caches[0]])]).memories.count == 1)
    }
  }

  private func memory(_ costLimit: Int) -> MemoryCache {
    MemoryCache(configuration: MemoryCacheConfiguration(costLimit: costLimit))
  }
}

private struct BrokenStore: DataStore {
  struct Failure: Error, Equatable {
    let store: String
  }

  private let failure: Failure

  init(_ name: String) {
    failure = Failure(store: name)
  }

  func entry(for key: CacheKey) async throws -> StoredEntry? { throw failure }
  func store(_ entry: StoredEntry, for key: CacheKey) async throws { throw failure }
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool { throw failure }
  func removeEntry(for key: CacheKey) async throws { throw failure }
  func removeAll() async throws { throw failure }
}

/// A store that calls a closure after each read.
private final class ReadingStore: DataStore {
  private let base: MemoryDataStore
  private let closure = Lock<(@Sendable () async throws -> Void)?>(nil)

  init(_ base: MemoryDataStore) {
    self.base = base
  }

  var whileReading: (@Sendable () async throws -> Void)? {
    get { closure.withLock(\.self) }
    set { closure.withLock { $0 = newValue } }
  }

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    let entry = try await base.entry(for: key)
    try await whileReading?()
    return entry
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws { try await base.store(entry, for: key) }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    try await base.updateMetadata(metadata, for: key)
  }

  func removeEntry(for key: CacheKey) async throws { try await base.removeEntry(for: key) }

  func removeAll() async throws { try await base.removeAll() }
}
