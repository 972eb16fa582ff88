import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonHTTP
@testable import HalcyonCache

@Suite(.integrationTest)
struct DiskCacheTests {
  private let clock = TestClock()

  @Test func `a stored entry is read back intact, also after reopening the cache`() async throws {
    try await TemporaryDirectory.run { folder in
      let stored = StoredEntry(body: Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) }), metadata: .example)
      try await DiskCache(directory: folder).store(stored, for: "a")
      let again = DiskCache(directory: folder)
      #expect(try await again.entry(for: "a") == stored)
      #expect(try await again.entry(for: "b") == nil)
      #expect(try await again.count == 1)
      // The size of such a file is checked before memory is allocated.
      try await again.store(StoredEntry(body: Data(count: 17 << 20), metadata: .example), for: "large")
      #expect(try await again.entry(for: "large")?.body.count == 17 << 20)
    }
  }

  @Test func `the index is closed two seconds after its last use, again and again`() async throws {
    try await TemporaryDirectory.run { folder in
      var configuration = DiskCacheConfiguration()
      configuration.cleaning.occasions.subtract([.firstUse, .timer])
      let cache = DiskCache(directory: folder, configuration: configuration, time: clock)
      // SQLite removes its log with the last connection.
      let log = DiskLayout(root: folder.path()).index + "-wal"
      for _ in 0..<3 {
        try await cache.store(entry("used"), for: "a")
        for _ in 0..<2 {
          await clock.waitForSleepers()
          try #require(clock.sleeperCount == 1)
          #expect(FileManager.default.fileExists(atPath: log))
          clock.advance(by: .seconds(1))
        }
        while FileManager.default.fileExists(atPath: log) { try await Task.yieldUnlessCancelled() }
      }
    }
  }

  @Test func `a miss tells whether the beginning of the entry is stored, which counts as no look-up of its own`()
    async throws
  {
    try await DiskCache.run(time: clock) { cache in
      let (begun, none) = (CacheKey("|url=1:a"), CacheKey("|url=1:b"))
      try await cache.store(entry("begin"), for: begun.ofPartialBody)
      #expect(try await cache.lookUp(begun).miss == .partial)
      #expect(try await cache.lookUp(none).miss == .absent)
      #expect(cache.statistics.misses == [.partial: 1, .absent: 1])
      #expect(cache.statistics.hits == 0)
      try await cache.store(entry("whole"), for: begun)
      #expect(try await cache.lookUp(begun).value == entry("whole"))
    }
  }

  @Test(arguments: [
    "", "\0", "https://a/..%00", "@ # % & ?", "ä🙂", String(repeating: "x", count: 8192), "a.jpg", "A.JPG", "a/b", "a.b",
  ])
  func `any text is a distinct key`(text: String) async throws {
    try await DiskCache.run(time: clock) { cache in
      try await cache.store(entry("other"), for: CacheKey(text + "·"))
      try await cache.store(entry(text), for: CacheKey(text))
      #expect(try await cache.entry(for: CacheKey(text))?.body == Data(text.utf8))
      #expect(try await cache.entry(for: CacheKey(text + "·"))?.body == Data("other".utf8))
    }
  }

  @Test func `the least recently used entry is evicted, and the size limit holds`() async throws {
    try await DiskCache.run(.init(sizeLimit: 10 * 8192), time: clock) { cache in
      for number in 0..<10 { try await cache.store(entry("\(number)"), for: CacheKey("\(number)")) }
      #expect(try await cache.totalSize == 10 * 8192)
      #expect(try await cache.entry(for: "0") != nil)
      try await cache.store(entry("new"), for: "new")
      #expect(try await cache.totalSize <= 10 * 8192)
      #expect(try await cache.entry(for: "0") != nil, "it was read last")
      #expect(try await cache.entry(for: "1") == nil)
      #expect(!FileManager.default.fileExists(atPath: cache.path(of: "1")))
    }
  }

  @Test func `the eviction order does not depend on the clock`() async throws {
    try await DiskCache.run(.init(sizeLimit: 2 * 8192), time: clock) { cache in
      try await cache.store(entry("1"), for: "1")
      clock.setDate(clock.now() - 86_400)
      #expect(try await cache.entry(for: "1") != nil)
      try await cache.store(entry("2"), for: "2")
      #expect(try await cache.entry(for: "2") != nil)
      try await cache.store(entry("3"), for: "3")
      #expect(try await cache.entry(for: "1") == nil)
      #expect(try await cache.entry(for: "2") != nil)
    }
  }

  @Test func `an entry larger than the cache is rejected, and no entry is lost`() async throws {
    try await DiskCache.run(.init(sizeLimit: 20_000), time: clock) { cache in
      try await cache.store(entry("small"), for: "small")
      await #expect(throws: DiskCacheError.self) {
        try await cache.store(StoredEntry(body: Data(count: 30_000), metadata: .example), for: "large")
      }
      #expect(try await cache.entry(for: "small") != nil)
      #expect(try await cache.count == 1)
    }
  }

  @Test func `metadata over the limit is rejected and no entry is lost, but header fields are dropped first`()
    async throws
  {
    try await DiskCache.run(time: clock) { cache in
      try await cache.store(entry("a"), for: "a")
      var long = entry("long")
      long.metadata.userInfo = Data(count: 70_000)
      let error = await #expect(throws: DiskCacheError.self) { try await cache.store(long, for: "a") }
      guard case .metadataTooLarge(_, limit: 65_520) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(try await cache.entry(for: "a")?.body == entry("a").body)
      long.metadata.userInfo = Data(count: 50_000)
      long.metadata.headers = ["X": String(repeating: "x", count: 20_000)]
      try await cache.store(long, for: "a")
      let found = try await cache.entry(for: "a")
      #expect(found?.metadata.headers == HTTPHeaders())
      #expect(found?.metadata.userInfo == Data(count: 50_000))
    }
  }

  @Test func `a response with a large head is stored with the header fields that HTTP caching needs`() async throws {
    try await DiskCache.run(time: clock) { cache in
      let essential: HTTPHeaders = [
        "cache-control": "no-cache", "ETag": "\"1\"", "Date": "Thu, 01 Jan 1970 00:00:01 GMT", "Vary": "Accept",
        "Expires": "0", "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT", "Age": "3", "Content-Type": "image/png",
        "Accept-Ranges": "bytes", "Content-Encoding": "gzip", "Content-Length": "9", "Pragma": "no-cache",
      ]
      var large = entry("large")
      large.metadata.headers = essential
      for number in 0..<70 {
        large.metadata.headers.add(name: "X-\(number)", value: String(repeating: "x", count: 1000))
      }
      try await cache.store(large, for: "a")
      #expect(try await cache.entry(for: "a")?.metadata.headers == essential)
      let lookup = await HTTPCache(store: cache, rules: HTTPCacheRules(defaultLifetime: .seconds(7 * 86_400)))
        .lookUp("a", requestHeaders: [:], at: Date(timeIntervalSince1970: 3))
      #expect(lookup.action == .fetch, "no-cache requires revalidation")
      try await cache.store(entry("small"), for: "b")
      #expect(try await cache.updateMetadata(large.metadata, for: "b"))
      #expect(try await cache.metadata(for: "b")?.headers == essential)
    }
  }

  @Test func `metadata can be updated repeatedly without changing the body`() async throws {
    try await DiskCache.run(time: clock) { cache in
      try await cache.store(entry("body"), for: "a")
      var metadata = EntryMetadata.example
      for generation in 1...5 {
        metadata.headers["ETag"] = "\"\(generation)\""
        #expect(try await cache.updateMetadata(metadata, for: "a"))
        #expect(try await cache.entry(for: "a") == StoredEntry(body: Data("body".utf8), metadata: metadata))
      }
      #expect(try await !cache.updateMetadata(metadata, for: "b"))
    }
  }

  @Test func `a flipped or missing byte never yields a wrong entry`() async throws {
    try await DiskCache.run(time: clock) { cache in
      let stored = entry("the bytes of an image")
      try await cache.store(stored, for: "a")
      let path = cache.path(of: "a")
      let file = URL(filePath: path)
      let whole = try Data(contentsOf: file)
      for position in whole.indices {
        var damaged = whole
        damaged[position] ^= 0x10
        try damaged.write(to: file)
        let read = try EntryFile.read(path: path, key: "a")
        #expect(read == nil || read?.entry == stored, "byte \(position)")
        #expect(try EntryFile.read(path: path, key: "b") == nil)
      }
      for count in 0..<whole.count {
        try whole.prefix(count).write(to: file)
        #expect(try EntryFile.read(path: path, key: "a") == nil, "\(count) bytes")
      }
      #expect(try await cache.entry(for: "a") == nil)
      #expect(try await cache.count == 0, "a damaged entry is removed")
      try await cache.store(stored, for: "a")
      #expect(try await cache.entry(for: "a") == stored)
    }
  }

  @Test func `the index shrinks once many tags are removed`() async throws {
    try await DiskCache.run(.init(sizeLimit: 16 << 20), time: clock) { cache in
      cache.configuration.cleaning = .whenAsked
      var tagged = entry("tagged")
      let size = { try Int(SystemFiles().status(of: cache.layout.index).st_size) }
      for isClearing in [true, false] {
        for number in 0..<30 {
          tagged.metadata.tags = (0..<300).map { "tag \($0) of entry \(number) \(String(repeating: "x", count: 80))" }
          try await cache.store(tagged, for: CacheKey("\(number)"))
        }
        cache.willTerminate()
        try DiskIndex(layout: cache.layout, in: SystemFiles()).checkpoint()
        #expect(try size() > 2 << 20)
        if isClearing {
          try await cache.removeAll()
        } else {
          for number in 0..<30 { try await cache.removeEntry(for: CacheKey("\(number)")) }
          try await cache.clean()
        }
        #expect(try size() < 64 << 10)
        #expect(try await cache.count == 0)
        try await cache.store(entry("a"), for: "a")
        #expect(try await cache.entry(for: "a")?.body == entry("a").body)
        try await cache.removeEntry(for: "a")
      }
    }
  }

  /// The files in a folder on which the system counts locks of this process.
  private static func locks(in folder: String) throws -> [UInt64] {
    let inodes = try FileManager.default.subpathsOfDirectory(atPath: folder).compactMap { name in
      try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")[.systemFileNumber] as? UInt64
    }
    // For example `1: FLOCK ADVISORY WRITE 4711 08:01:131 0 EOF`.
    let locked = try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").compactMap { line in
      line.split(separator: " ").first { $0.count { $0 == ":" } == 2 }?.split(separator: ":").last.flatMap {
        UInt64($0)
      }
    }
    return inodes.filter(locked.contains)
  }

  @Test func `in the background no lock is held, also after writes, until the app enters the foreground`() async throws
  {
    try await DiskCache.run(time: clock) { cache in
      let layout = cache.layout
      func lockCount() throws -> Int { try SystemFiles().names(in: layout.writerLocks).count }
      try await cache.store(entry("zero"), for: "z")
      #expect(try lockCount() == 1)
      await cache.willEnterBackground()
      #expect(try lockCount() == 0)
      try await cache.store(entry("one"), for: "a")
      #expect(try await cache.entry(for: "a") == entry("one"))
      await cache.flushAccesses()
      _ = try await cache.clean()
      try await cache.removeEntry(for: "z")
      #expect(try lockCount() == 0)
      #expect(try Self.locks(in: layout.root) == [])
      await cache.willEnterForeground()
      try await cache.store(entry("two"), for: "b")
      #expect(try lockCount() == 1)
      #expect(try Self.locks(in: layout.root) != [])
      #expect(try await cache.count == 2)
      #expect(cache.statistics.errors == 0)
    }
  }

  @Test func `a cache that is not used for two seconds holds no lock, and opens again at its next use`() async throws {
    try await DiskCache.run(DiskCacheConfiguration(cleaning: .whenAsked), time: clock) { cache in
      let layout = cache.layout
      for number in 0..<3 {
        try await cache.store(entry("\(number)"), for: CacheKey("\(number)"))
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(1900))
      }
      let closing = try #require(await cache.writer.idleClosing)
      await clock.waitForSleepers()
      #expect(try Self.locks(in: layout.root) != [], "it was used within each two seconds")
      clock.advance(by: .milliseconds(100))
      await closing.value
      #expect(try Self.locks(in: layout.root) == [])
      #expect(try SystemFiles().names(in: layout.writerLocks) == [])
      #expect(try await cache.entry(for: "2") == entry("2"))
      #expect(try Self.locks(in: layout.root) == [], "a read needs no lock")
      try await cache.removeEntry(for: "2")
      #expect(try Self.locks(in: layout.root) != [])
      #expect(try await cache.count == 2)
      #expect(cache.statistics.errors == 0)
    }
  }

  @Test func `two caches in one folder share their entries`() async throws {
    try await TemporaryDirectory.run { folder in
      let (one, other) = (DiskCache(directory: folder), DiskCache(directory: folder))
      try await withThrowingTaskGroup { group in
        for number in 0..<50 {
          let cache = number % 2 == 0 ? one : other
          let entry = entry("\(number)")
          group.addTask { try await cache.store(entry, for: CacheKey("\(number)")) }
        }
        try await group.waitForAll()
      }
      #expect(try await other.count == 50)
      #expect(try await one.entry(for: "1") != nil)
      try await other.removeAll()
      #expect(try await one.entry(for: "1") == nil)
      #expect(try await one.totalSize == 0)
    }
  }
}
