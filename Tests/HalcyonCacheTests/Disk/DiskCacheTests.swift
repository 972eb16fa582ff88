import Foundation
import HalcyonTesting
import TestDoubles
import TestSupport
import TestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonImaging
@testable import HalcyonHTTP
@testable import HalcyonCache

@Suite(.integrationTest)
struct DiskCacheTests {
  private let clock = TestClock()

  private func withCache<Result>(
    sizeLimit: Int = 1 << 30, _ body: (DiskCache) async throws -> Result
  ) async throws -> Result {
    try await TemporaryDirectory.run { folder in
      try await body(DiskCache(directory: folder, configuration: .init(sizeLimit: sizeLimit), time: clock))
    }
  }

  private func entry(_ text: String, expiration: CacheExpiration? = nil) -> StoredEntry {
    var metadata = EntryMetadata.example
    metadata.expiration = expiration
    return StoredEntry(body: Data(text.utf8), metadata: metadata)
  }

  private func file(_ key: CacheKey, in cache: DiskCache) -> URL {
    URL(filePath: DiskLayout(root: cache.directory.path()).entry(key.digest.bytes))
  }

  @Test func `a stored entry is read back intact, also after reopening the cache`() async throws {
    try await TemporaryDirectory.run { folder in
      let stored = StoredEntry(body: Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) }), metadata: .example)
      try await DiskCache(directory: folder).store(stored, for: "a")
      let again = DiskCache(directory: folder)
      #expect(try await again.entry(for: "a") == stored)
      #expect(try await again.entry(for: "b") == nil)
      #expect(try await again.count == 1)
    }
  }

  @Test func `a miss tells whether the beginning of the entry is stored, which counts as no look-up of its own`()
    async throws
  {
    try await withCache { cache in
      let (begun, none) = (CacheKey("|url=1:a"), CacheKey("|url=1:b"))
      try await cache.store(entry("begin"), for: begun.ofPartialBody)
      #expect(try await cache.lookUp(begun).miss == .partial)
      #expect(try await cache.lookUp(none).miss == .absent)
      #expect(cache.statistics.misses == [.partial: 1, .absent: 1] && cache.statistics.hits == 0)
      try await cache.store(entry("whole"), for: begun)
      #expect(try await cache.lookUp(begun).value == entry("whole"))
    }
  }

  @Test(arguments: [
    "", "\0", "https://a/..%00", "@ # % & ?", "ä🙂", String(repeating: "x", count: 8192), "a.jpg", "A.JPG", "a/b", "a.b",
  ])
  func `any text is a distinct key`(text: String) async throws {
    try await withCache { cache in
      try await cache.store(entry("other"), for: CacheKey(text + "·"))
      try await cache.store(entry(text), for: CacheKey(text))
      #expect(try await cache.entry(for: CacheKey(text))?.body == Data(text.utf8))
      #expect(try await cache.entry(for: CacheKey(text + "·"))?.body == Data("other".utf8))
    }
  }

  @Test func `the least recently used entry is evicted, and the size limit holds`() async throws {
    try await withCache(sizeLimit: 10 * 8192) { cache in
      for number in 0..<10 { try await cache.store(entry("\(number)"), for: CacheKey("\(number)")) }
      #expect(try await cache.totalSize == 10 * 8192)
      #expect(try await cache.entry(for: "0") != nil)
      try await cache.store(entry("new"), for: "new")
      #expect(try await cache.totalSize <= 10 * 8192)
      #expect(try await cache.entry(for: "0") != nil, "it was read last")
      #expect(try await cache.entry(for: "1") == nil)
      #expect(!FileManager.default.fileExists(atPath: file("1", in: cache).path()))
    }
  }

  @Test func `the eviction order does not depend on the clock`() async throws {
    try await withCache(sizeLimit: 2 * 8192) { cache in
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
    try await withCache(sizeLimit: 20_000) { cache in
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
    try await withCache { cache in
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
    try await withCache { cache in
      let essential: HTTPHeaders = [
        "cache-control": "no-cache", "ETag": "\"1\"", "Date": "Thu, 01 Jan 1970 00:00:01 GMT", "Vary": "Accept",
        "Expires": "0", "Last-Modified": "Thu, 01 Jan 1970 00:00:00 GMT", "Age": "3", "Content-Type": "image/png",
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

  @Test func `a listed entry has the date on which it expires`() async throws {
    try await withCache { cache in
      cache.configuration.cleaning = .whenAsked
      let start = clock.now()
      let cases: [(CacheKey, CacheExpiration?, Date?, isExpired: Bool)] = [
        ("never", .never, nil, false), ("date", .date(start + 5), start + 5, true),
        ("sliding", .minutes(1), start + 60, false), ("default", nil, start + 7 * 86_400, false),
      ]
      for (key, expiration, _, _) in cases { try await cache.store(entry(key.text, expiration: expiration), for: key) }
      clock.advance(by: .seconds(6))
      var count = 0
      for try await entry in cache.entries {
        let expected = try #require(cases.first { $0.0 == entry.key })
        #expect(entry.expirationDate?.timeIntervalSince1970.rounded() == expected.2?.timeIntervalSince1970.rounded())
        #expect(entry.isExpired == expected.isExpired)
        count += 1
      }
      #expect(count == cases.count)
      _ = try await cache.entry(for: "sliding")
      for try await entry in cache.entries where entry.key == "sliding" {
        #expect(entry.expirationDate?.timeIntervalSince1970.rounded() == (start + 66).timeIntervalSince1970.rounded())
      }
      #expect(try await cache.removeEntries { $0.isExpired } == 1)
    }
  }

  @Test func `the default folder belongs to the program`() {
    let folder = DiskCache.defaultDirectory
    #expect(folder.lastPathComponent == "default")
    #expect(folder.deletingLastPathComponent() == DiskCache.directory(named: "x").deletingLastPathComponent())
    let program = folder.deletingLastPathComponent().lastPathComponent
    let name = Bundle.main.bundleIdentifier ?? Bundle.main.executableURL?.lastPathComponent ?? ""
    #expect(!name.isEmpty && program == DiskCache.folderName(program: name))
    #expect(folder.pathComponents.suffix(3).first == "halcyon")
  }

  #if !canImport(Darwin)
  @Test(arguments: [
    (
      ["CACHE_DIRECTORY": "/var/cache/app:/var/cache/other", "XDG_CACHE_HOME": "/xdg", "HOME": "/home/a"],
      "/var/cache/app"
    ),
    (["XDG_CACHE_HOME": "/xdg", "HOME": "/home/a"], "/xdg"),
    (["CACHE_DIRECTORY": "", "XDG_CACHE_HOME": "relative", "HOME": "/home/a"], "/home/a/.cache"),
    (["HOME": ""], "/home/b/.cache"),
    ([:], "/home/b/.cache"),
  ])
  func `the folder for caches is that of the service, the user or the user database`(
    environment: [String: String], path: String
  ) {
    #expect(DiskCache.cachesPath(environment, home: "/home/b") == path)
    #expect(DiskCache.cachesPath([:], home: nil) == nil)
  }
  #endif

  @Test(arguments: [
    ("org.example.App", "org.example.App"), ("my app/ü:1", "my-app---1"), ("..", "-."), (".hidden", "-hidden"),
    ("", "program"), ("a_b-c.d", "a_b-c.d"),
  ])
  func `the name of a program is made safe as a folder name`(name: String, folder: String) {
    #expect(DiskCache.folderName(program: name) == folder)
    #expect(DiskCache.folderName(program: String(repeating: "é", count: 1000)).utf8.count <= 255)
  }

  @Test(arguments: [
    ("thumbs", "thumbs"), ("Fotos é", "Fotos é"), ("../x", "..%2Fx"), ("..", "%2E%2E"), (".", "%2E"), ("...", "..."),
    ("", "%"), ("%", "%25"), ("a%2Fb", "a%252Fb"), ("a\0b", "a%00b"), ("/", "%2F"),
    // A slash with a combining mark.
    ("..\u{2F}\u{301}x", "..%2F\u{301}x"),
  ])
  func `the name of a cache is one path component of its own`(name: String, component: String) {
    let (folder, other) = (DiskCache.directory(named: name), DiskCache.directory(named: "other"))
    #expect(
      folder.path(percentEncoded: false).utf8.elementsEqual(
        "\(other.deletingLastPathComponent().path(percentEncoded: false))\(component)/".utf8))
    #expect(folder.standardized.deletingLastPathComponent() == other.standardized.deletingLastPathComponent())
  }

  @Test(arguments: [
    ("/a/b", "/a"), ("/a//b/", "/a"), ("a/b/c", "a/b"), ("/a", nil), ("a", nil), ("/", nil), ("", nil),
    ("/a/\u{301}b/c", "/a/\u{301}b"),
  ])
  func `the parent of a path ends before its last slash`(path: String, parent: String?) {
    let found = SystemFiles.parent(of: path)
    #expect(found.map { Array($0.utf8) } == parent.map { Array($0.utf8) })
  }

  #if os(Linux)
  @Test func `a folder that cannot be created is an error, also where its parent exists`() async throws {
    let cache = DiskCache(directory: URL(filePath: "/proc/nope"))
    let error = await #expect(throws: DiskCacheError.self) { try await cache.count }
    #expect(error == .system(call: "makeFolder", path: "/proc/nope", code: ENOENT))
    await #expect(throws: DiskCacheError.self) { try await cache.store(entry("a"), for: "a") }
    #expect(try await cache.entry(for: "a") == nil)
  }
  #endif

  @Test func `the index shrinks once many tags are removed`() async throws {
    try await withCache(sizeLimit: 16 << 20) { cache in
      cache.configuration.cleaning = .whenAsked
      var tagged = entry("tagged")
      let size = { try Int(SystemFiles().status(of: DiskLayout(root: cache.directory.path()).index).st_size) }
      for isClearing in [true, false] {
        for number in 0..<30 {
          tagged.metadata.tags = (0..<300).map { "tag \($0) of entry \(number) \(String(repeating: "x", count: 80))" }
          try await cache.store(tagged, for: CacheKey("\(number)"))
        }
        cache.willTerminate()
        try DiskIndex(layout: DiskLayout(root: cache.directory.path()), in: SystemFiles()).checkpoint()
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

  @Test func `an entry expires a week after it was last read`() async throws {
    try await withCache { cache in
      try await cache.store(entry("read"), for: "read")
      try await cache.store(entry("left"), for: "left")
      try await cache.store(entry("kept", expiration: .never), for: "kept")
      clock.advance(by: .seconds(6 * 86_400))
      #expect(try await cache.entry(for: "read") != nil)
      clock.advance(by: .seconds(2 * 86_400))
      #expect(try await cache.entry(for: "read") != nil)
      #expect(try await cache.entry(for: "left") == nil)
      #expect(try await cache.entry(for: "kept") != nil)
      clock.advance(by: .seconds(22 * 86_400))
      try await cache.removeExpired()
      #expect(try await cache.count == 1)
    }
  }

  @Test func `reads by short-lived processes renew the expiration of an entry`() async throws {
    try await TemporaryDirectory.run { folder in
      try await DiskCache(directory: folder, time: clock).store(entry("a"), for: "a")
      for _ in 0..<3 {
        clock.advance(by: .seconds(6 * 86_400))
        let cache = ImageCache(store: DiskCache(directory: folder, time: clock))
        #expect(try await cache.store?.entry(for: "a") != nil)
        await cache.flush()
      }
    }
  }

  @Test(arguments: [true, false])
  func `an expiration since storing is extended neither by reads nor by updates`(isDefault: Bool) async throws {
    let fixed = CacheExpiration.days(7, since: .storing)
    let configuration = DiskCacheConfiguration(expiration: isDefault ? fixed : .never, cleaning: .whenAsked)
    try await TemporaryDirectory.run { folder in
      func cache() -> DiskCache { DiskCache(directory: folder, configuration: configuration, time: clock) }
      let stored = entry("a", expiration: isDefault ? nil : fixed)
      for key in ["read", "updated", "unused"] as [CacheKey] { try await cache().store(stored, for: key) }
      for day in 0..<2 {
        clock.advance(by: .seconds(3 * 86_400))
        #expect(try await cache().entry(for: "read") == stored)
        let reading = cache()
        #expect(try await reading.entry(for: "read") != nil)
        await reading.flushAccesses()
        var metadata = stored.metadata
        metadata.tags = ["day \(day)"]
        try await reading.updateMetadata(metadata, for: "updated")
        try await reading.removeExpired()
        #expect(try await reading.count == 3)
      }
      clock.advance(by: .seconds(86_400))
      #expect(try await cache().containsEntry(for: "read") == false)
      try await cache().removeExpired()
      #expect(try await cache().count == 0)
    }
  }

  @Test func `the hits and the last use of an entry are listed, also by another process`() async throws {
    try await TemporaryDirectory.run { folder in
      let configuration = DiskCacheConfiguration(cleaning: .whenAsked)
      let cache = DiskCache(directory: folder, configuration: configuration, time: clock)
      func listed() async throws -> [CacheKey: DiskCacheEntry] {
        let other = DiskCache(directory: folder, configuration: configuration, time: clock)
        return try await other.entries.reduce(into: [:]) { $0[$1.key] = $1 }
      }
      let start = clock.now()
      for key in ["read", "unused"] as [CacheKey] { try await cache.store(entry(key.text), for: key) }
      for reads in [2, 3] {
        clock.advance(by: .seconds(60))
        for _ in 0..<reads { #expect(try await cache.entry(for: "read") == entry("read")) }
        await cache.flushAccesses()
      }
      let unused = try #require(try await listed()["unused"])
      #expect(unused.hitCount == 0 && unused.lastUseDate == start)
      var read = try #require(try await listed()["read"])
      #expect(read.hitCount == 5 && read.lastUseDate == start + 120 && read.storedDate == start)
      // Pins and new metadata keep the count, a new image does not.
      try await cache.setPinned(true, for: "read")
      clock.advance(by: .seconds(60))
      try await cache.updateMetadata(entry("read").metadata, for: "read")
      await cache.flushAccesses()
      read = try #require(try await listed()["read"])
      #expect(read.hitCount == 5 && read.isPinned && read.lastUseDate == start + 180)
      try await cache.store(entry("read"), for: "read")
      #expect(try await listed()["read"]?.hitCount == 0)
    }
  }

  @Test func `pinning does not renew the expiration of an entry, updating its metadata does`() async throws {
    try await withCache { cache in
      for key in ["pinned", "renewed"] as [CacheKey] { try await cache.store(entry(key.text), for: key) }
      clock.advance(by: .seconds(6 * 86_400))
      try await cache.setPinned(true, for: "pinned")
      try await cache.updateMetadata(entry("").metadata, for: "renewed")
      clock.advance(by: .seconds(2 * 86_400))
      try await cache.removeExpired()
      #expect(try await cache.entry(for: "pinned") == nil)
      clock.advance(by: .seconds(4 * 86_400))
      try await cache.removeExpired()
      #expect(try await cache.entry(for: "renewed") != nil)
    }
  }

  @Test func `in the background no lock is held, and the next write acquires them again`() async throws {
    try await withCache { cache in
      let layout = DiskLayout(root: cache.directory.path())
      func lockCount() throws -> Int { try SystemFiles().names(in: layout.writerLocks).count }
      await cache.willEnterBackground()
      try await cache.store(entry("one"), for: "a")
      #expect(try lockCount() == 1)
      await cache.willEnterBackground()
      #expect(try lockCount() == 0)
      #expect(try await cache.entry(for: "a") == entry("one"))
      try await cache.store(entry("two"), for: "b")
      #expect(try lockCount() == 1)
      #expect(try await cache.count == 2)
      #expect(cache.statistics.errors == 0)
    }
  }

  @Test(arguments: [CacheExpiration.after(.seconds(Int64.max)), .days(.max), .date(.distantFuture), .never])
  func `an expiration may exceed the range of the clock`(expiration: CacheExpiration) async throws {
    try await withCache { cache in
      try await cache.store(entry("own", expiration: expiration), for: "own")
      try await cache.store(entry("updated"), for: "updated")
      try await cache.updateMetadata(entry("updated", expiration: expiration).metadata, for: "updated")
      await cache.willEnterBackground()
      clock.advance(by: .seconds(10 * 365 * 86_400))
      #expect(try await cache.entry(for: "own") != nil)
      #expect(try await cache.entry(for: "updated") != nil)
    }
  }

  @Test func `a flipped or missing byte never yields a wrong entry`() async throws {
    try await withCache { cache in
      let stored = entry("the bytes of an image")
      try await cache.store(stored, for: "a")
      let path = file("a", in: cache)
      let whole = try Data(contentsOf: path)
      for position in whole.indices {
        var damaged = whole
        damaged[position] ^= 0x10
        try damaged.write(to: path)
        let read = try EntryFile.read(path: path.path(), key: "a")
        #expect(read == nil || read?.entry == stored, "byte \(position)")
        #expect(try EntryFile.read(path: path.path(), key: "b") == nil)
      }
      for count in 0..<whole.count {
        try whole.prefix(count).write(to: path)
        #expect(try EntryFile.read(path: path.path(), key: "a") == nil, "\(count) bytes")
      }
      #expect(try await cache.entry(for: "a") == nil)
      #expect(try await cache.count == 0, "a damaged entry is removed")
      try await cache.store(stored, for: "a")
      #expect(try await cache.entry(for: "a") == stored)
    }
  }

  @Test func `metadata can be updated repeatedly without changing the body`() async throws {
    try await withCache { cache in
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

  @Test func `a deleted folder is created again`() async throws {
    try await withCache { cache in
      // A cleaning in the background could write into the folder while it is deleted.
      cache.configuration.cleaning = .whenAsked
      try await cache.store(entry("1"), for: "1")
      try FileManager.default.removeItem(at: cache.directory)
      #expect(try await cache.entry(for: "1") == nil)
      try await cache.store(entry("2"), for: "2")
      #expect(try await cache.entry(for: "2") != nil)
      #expect(try await cache.count == 1)
    }
  }

  @Test func `only the owner can read the folder`() async throws {
    try await withCache { cache in
      try await cache.store(entry("private"), for: "a")
      let layout = DiskLayout(root: cache.directory.path())
      for (path, mode) in [(layout.version, 0o700), (layout.index, 0o600), (file("a", in: cache).path(), 0o600)] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == mode, "\(path)")
      }
      let tag = try String(contentsOf: cache.directory.appending(path: "CACHEDIR.TAG"), encoding: .utf8)
      #expect(tag.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55"))
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

  @Test func `a folder that cannot be created is an error that names it`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "file")
      try Data().write(to: file)
      let cache = DiskCache(directory: file.appending(path: "cache", directoryHint: .isDirectory))
      let error = await #expect(throws: DiskCacheError.self) { try await cache.store(entry("1"), for: "1") }
      #expect(error?.description.contains(file.path()) == true)
    }
  }
}
