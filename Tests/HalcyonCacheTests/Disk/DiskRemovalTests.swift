import HalcyonHTTP
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonImaging
@testable import HalcyonCache
@testable import HalcyonPipeline

@Suite(.integrationTest)
struct DiskRemovalTests {
  private let clock = TestClock()

  private func entry(tags: [String] = [], expiration: CacheExpiration? = nil) -> StoredEntry {
    StoredEntry(
      body: Data("body".utf8),
      metadata: EntryMetadata(
        requestDate: clock.now(), responseDate: clock.now(), expiration: expiration, tags: tags))
  }

  private func key(_ url: String, size: TargetSize = .original) -> CacheKey {
    ImagePipeline.cacheKey(for: ImageRequest(source: .string(url), size: size))
  }

  private func keys(in cache: DiskCache) async throws -> Set<CacheKey> {
    var keys: Set<CacheKey> = []
    for try await entry in cache.entries { keys.insert(entry.key) }
    return keys
  }

  @Test func `a removal by source is one for loads that began before it and during it`() async throws {
    try await TemporaryDirectory.run { folder in
      let files = HeldRemoval()
      let cache = DiskCache(
        directory: folder, configuration: .init(cleaning: .whenAsked), time: clock, fileSystem: files)
      let source = "http://example.com/a"
      for removal in 0..<2 {
        try await cache.store(entry(), for: key(source))
        let before = cache.removals.last(of: key(source))
        files.gate.withLock { $0 = Gate() }
        let gate = try #require(files.gate.withLock { $0 })
        let task = Task {
          if removal == 0 { return try await cache.removeEntries(ofSource: source) }
          return try await cache.removeEntries(taggedWith: "x")
        }
        if removal == 0 { try await gate.waitUntilHolding() } else { gate.open() }
        let during = cache.removals.last(of: key(source, size: .fit(width: 1, height: 1)))
        gate.open()
        _ = try await task.value
        let after = cache.removals.last(of: key(source))
        #expect(before != after)
        if removal == 0 { #expect(before != during && during != after) }
        files.gate.withLock { $0 = nil }
      }
    }
  }

  @Test func `an entry that is removed while it is written anew stays removed`() async throws {
    try await DiskCache.run(time: clock) { cache in
      let key = key("http://example.com/a")
      try await cache.store(entry(), for: key)
      let path = cache.layout.entry(key.digest.bytes)
      let old = try #require(try EntryFile.read(path: path, key: key, in: cache.fileSystem))
      try await cache.store(entry(tags: ["new"]), for: key)
      #expect(try await cache.writer.replace(old, for: key, cache.context) == false)
      #expect(try await cache.metadata(for: key)?.tags == ["new"])
      try await cache.removeEntry(for: key)
      #expect(try await cache.writer.replace(old, for: key, cache.context) == false)
      #expect(try await cache.count == 0)
    }
  }

  @Test func `all variants of one URL are removed together`() async throws {
    try await DiskCache.run(time: clock) { cache in
      let variants = [key("https://a.example/1"), key("https://a.example/1", size: .fit(width: 10, height: 10))]
      let other = key("https://a.example/1?page=2")
      for key in variants + [other] { try await cache.store(entry(), for: key) }
      let removal = cache.removals.last(of: variants[0])
      try await cache.removeReplaced(ofSource: "https://a.example/1", except: variants[0])
      #expect(try await keys(in: cache) == [variants[0], other])
      #expect(cache.removals.last(of: variants[0]) == removal, "loads in flight store what they make of the new one")
      try await cache.store(entry(), for: variants[1])
      #expect(try await cache.removeEntries(from: .string("https://a.example/1")) == 2)
      #expect(try await keys(in: cache) == [other])
      let url = try #require(URL(string: "https://a.example/1?page=2"))
      #expect(try await cache.removeEntries(from: .url(url)) == 1)
      #expect(try await cache.count == 0)
    }
  }

  @Test func `entries with custom keys are removed by key`() async throws {
    try await DiskCache.run(time: clock) { cache in
      for name in ["17", "18"] {
        try await cache.store(entry(tags: ["user"]), for: ImagePipeline.cacheKey(for: .cached("users/\(name)")))
      }
      #expect(try await cache.removeEntries(from: ImageRequest.cached("users/17").source) == 1)
      #expect(try await keys(in: cache) == [ImagePipeline.cacheKey(for: .cached("users/18"))])
    }
  }

  @Test func `an entry under a key of another kind belongs to its URL, also a later one, or else to its key`()
    async throws
  {
    try await DiskCache.run(time: clock) { cache in
      var located = entry()
      located.metadata.url = URL(string: "https://a.example/1")
      try await cache.store(located, for: "a")
      for key in ["b", "c"] as [CacheKey] { try await cache.store(entry(), for: key) }
      try await cache.updateMetadata(located.metadata, for: "b")
      #expect(try await cache.removeEntries(ofSource: "b") == 0)
      #expect(try await cache.removeEntries(ofSource: "https://a.example/1") == 2)
      #expect(try await cache.removeEntries(ofSource: "c") == 1)
    }
  }

  @Test func `the entries of a source are found by an index, without a table scan`() async throws {
    try await TemporaryDirectory.run { folder in
      let layout = DiskLayout(root: folder.path())
      let session = try IndexSession(layout: layout, configuration: DiskCacheConfiguration(), in: SystemFiles())
      let selection = EntrySelection.source("https://a.example/1")
      let plan = try session.index.database.run(
        "EXPLAIN QUERY PLAN SELECT id FROM entry WHERE \(selection.condition)", selection.values)
      let steps = plan.compactMap(\.last?.text)
      #expect(steps.contains { $0.hasPrefix("SEARCH entry USING INDEX entry_source") }, "\(steps)")
      #expect(!steps.contains { $0.hasPrefix("SCAN entry") }, "\(steps)")
    }
  }

  @Test func `entries are removed by tag, also by one that was added later`() async throws {
    try await DiskCache.run(time: clock) { cache in
      try await cache.store(entry(tags: ["trip", "trip", "2026"]), for: "1")
      try await cache.store(entry(tags: ["home"]), for: "2")
      try await cache.store(entry(), for: "3")
      #expect(try await cache.updateMetadata(entry(tags: ["trip"]).metadata, for: "2"))
      #expect(try await cache.removeEntries(taggedWith: "home") == 0)
      #expect(try await cache.removeEntries(taggedWith: "trip") == 2)
      #expect(try await keys(in: cache) == ["3"])
    }
  }

  @Test func `entries are removed by a predicate`() async throws {
    try await DiskCache.run(time: clock) { cache in
      for number in 0..<200 { try await cache.store(entry(tags: ["\(number % 3)"]), for: CacheKey("\(number)")) }
      #expect(try await cache.removeEntries { $0.metadata.tags == ["1"] && $0.bodyByteCount == 4 } == 67)
      #expect(try await cache.count == 133)
      let count = try await cache.removeEntries { listed in
        guard listed.key == "0", listed.metadata.tags != ["new"] else { return false }
        try await cache.store(entry(tags: ["new"]), for: "0")
        return true
      }
      #expect(count == 0)
      #expect(try await cache.metadata(for: "0")?.tags == ["new"], "it was replaced meanwhile")
    }
  }

  @Test func `entries are listed without their bodies`() async throws {
    try await DiskCache.run(time: clock) { cache in
      for number in 0..<150 { try await cache.store(entry(tags: ["\(number)"]), for: CacheKey("\(number)")) }
      try await cache.setPinned(true, for: "7")
      var (sum, pinned): (Int, [CacheKey]) = (0, [])
      for try await entry in cache.entries {
        #expect(entry.metadata.tags == [entry.key.text])
        sum += entry.diskByteCount
        if entry.isPinned { pinned.append(entry.key) }
      }
      #expect(try await cache.totalSize == sum)
      #expect(pinned == ["7"])
    }
  }

  @Test func `a pinned entry is not evicted, counts toward the limit, and can be unpinned`() async throws {
    try await DiskCache.run(.init(sizeLimit: 3 * 8192), time: clock) { cache in
      try await cache.store(entry(), for: "pinned")
      #expect(try await cache.setPinned(true, for: "pinned"))
      #expect(try await !cache.setPinned(true, for: "missing"))
      for number in 0..<10 { try await cache.store(entry(), for: CacheKey("\(number)")) }
      #expect(try await keys(in: cache) == ["pinned", "8", "9"])
      try await cache.store(entry(tags: ["new"]), for: "pinned")
      for number in 0..<10 { try await cache.store(entry(), for: CacheKey("\(number)")) }
      #expect(try await cache.entry(for: "pinned")?.metadata.tags == ["new"], "its replacement is pinned as well")
      for number in 8...9 { try await cache.setPinned(true, for: CacheKey("\(number)")) }
      await #expect(throws: DiskCacheError.insufficientSpace(byteCount: 8192, sizeLimit: 3 * 8192)) {
        try await cache.store(entry(), for: "more")
      }
      #expect(try await cache.totalSize == 3 * 8192)
      try await cache.setPinned(false, for: "pinned")
      try await cache.store(entry(), for: "more")
      #expect(try await keys(in: cache) == ["8", "9", "more"])
      try await cache.removeAll()
      #expect(try await cache.count == 0)
    }
  }

  @Test func `where pinned entries leave less than is reserved at once, an entry has what it needs`() async throws {
    try await DiskCache.run(.init(sizeLimit: 1 << 20), time: clock) { cache in
      // Of 256 blocks it takes all but three; an entry of two is reserved with two more.
      let large = StoredEntry(body: Data(count: 251 * 4096), metadata: entry().metadata)
      try await cache.store(large, for: "pinned")
      #expect(try await cache.setPinned(true, for: "pinned"))
      for key in ["1", "2"] as [CacheKey] { try await cache.store(entry(), for: key) }
      #expect(try await keys(in: cache) == ["pinned", "2"])
    }
  }

  @Test func `reads are saved when the app enters the background or terminates`() async throws {
    for isTerminating in [true, false] {
      try await TemporaryDirectory.run { folder in
        let configuration = DiskCacheConfiguration(sizeLimit: 2 * 8192)
        do {
          let cache = DiskCache(directory: folder, configuration: configuration, time: clock)
          try await cache.store(entry(), for: "1")
          try await cache.store(entry(), for: "2")
          #expect(try await cache.entry(for: "1") != nil)
          if isTerminating { cache.willTerminate() } else { await cache.willEnterBackground() }
        }
        let cache = DiskCache(directory: folder, configuration: configuration, time: clock)
        try await cache.store(entry(), for: "3")
        #expect(try await keys(in: cache) == ["1", "3"])
      }
    }
  }

  @Test func `statistics count misses by reason`() async throws {
    try await DiskCache.run(time: clock) { cache in
      #expect(cache.statistics == CacheStatistics())
      try await cache.store(entry(expiration: .after(.seconds(1))), for: "1")
      #expect(try await cache.entry(for: "1") != nil)
      #expect(try await cache.entry(for: "2") == nil)
      clock.advance(by: .seconds(2))
      #expect(try await cache.entry(for: "1") == nil)
      try await cache.store(entry(), for: "3")
      let path = cache.layout.entry(CacheKey("3").digest.bytes)
      try Data(count: 1000).write(to: URL(filePath: path))
      #expect(try await cache.entry(for: "3") == nil)
      let statistics = cache.statistics
      #expect(statistics.hits == 1)
      #expect(statistics.misses == [.absent: 1, .expired: 1, .damaged: 1])
      #expect(statistics.stores == 2)
      #expect(statistics.evictions == [.expiration: 1])
      #expect(statistics.errors == 0)
      // An observer is told of later evictions only.
      let told = Lock(0)
      let subscription = cache.evictionObservers.observe { item in told.withLock { $0 += item.count } }
      try await cache.store(entry(expiration: .expired), for: "4")
      #expect(try await cache.entry(for: "4") == nil)
      #expect(told.withLock { $0 } == 1)
      try await cache.store(entry(expiration: .expired), for: "5")
      #expect(try await cache.entry(for: "5") == nil)
      #expect(told.withLock { $0 } == 2, "of each one once")
      withExtendedLifetime(subscription) {}
    }
  }

  @Test func `setting the clock back a day loses no entries`() async throws {
    let policy = CleaningPolicy(wipesAfterIdle: .seconds(3600))
    try await DiskCache.run(.init(sizeLimit: 4 * 8192, cleaning: policy), time: clock) { cache in
      for number in 0..<3 { try await cache.store(entry(), for: CacheKey("\(number)")) }
      clock.setDate(clock.now() - 86_400)
      #expect(try await cache.entry(for: "0") != nil)
      try await cache.clean()
      try await cache.removeExpired()
      #expect(try await cache.count == 3)
      for number in 3..<5 { try await cache.store(entry(), for: CacheKey("\(number)")) }
      #expect(try await keys(in: cache) == ["0", "2", "3", "4"])
    }
  }

  @Test func `metadata that outgrows its slot is stored`() async throws {
    try await DiskCache.run(time: clock) { cache in
      try await cache.store(entry(), for: "1")
      var metadata = entry().metadata
      for number in 0..<100 { metadata.headers.add(name: "X-\(number)", value: "some value") }
      #expect(try await cache.updateMetadata(metadata, for: "1"))
      #expect(try await cache.entry(for: "1")?.metadata == metadata)
      #expect(try await cache.count == 1)
    }
  }
}

/// A file system whose removals of files wait at a gate, if there is one.
private final class HeldRemoval: FileSystem {
  let gate = Lock<Gate?>(nil)

  func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int {
    if call == .unlink { gate.withLock { $0 }?.waitBlocking() }
    return body(byteCount)
  }
}
