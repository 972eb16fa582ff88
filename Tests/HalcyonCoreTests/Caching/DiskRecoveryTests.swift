import Foundation
import HalcyonTesting
import TestSupport
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

struct DiskRecoveryTests {
  private let files = SystemFiles()

  private func entry(_ text: String) -> StoredEntry {
    StoredEntry(body: Data(text.utf8), metadata: .example)
  }

  private var quiet: DiskCacheConfiguration {
    var configuration = DiskCacheConfiguration()
    configuration.cleansOnItsOwn = false
    return configuration
  }

  /// Stores an entry with a cache that does not tidy up on its own afterwards, before the test has made its mess.
  private func storeQuietly(_ text: String, for key: CacheKey, in folder: URL) async throws {
    try await DiskCache(directory: folder, configuration: quiet).store(entry(text), for: key)
  }

  /// How far a writer came that was killed.
  enum Step: Int, Comparable {
    case allotted, written, noted, moved

    static func < (one: Step, other: Step) -> Bool { one.rawValue < other.rawValue }
  }

  /// Does what a writer does up to a step, and goes without a word.
  private func leaveHalfDone(_ text: String, for key: CacheKey, in folder: URL, after step: Step) throws {
    let layout = DiskLayout(root: folder.path())
    let access = try IndexSession(layout: layout, configuration: DiskCacheConfiguration(), in: files)
    access.owner.outlivesWriter = true
    let (name, draft, digest) = (access.owner.name, try EntryFileWriter(entry(text), key: key), key.digest.bytes)
    let grant = try access.index.allot(
      draft.diskByteCount, to: name, at: Date(), budget: DiskBudget(sizeLimit: 16 << 20))
    let (id, path) = (grant.allotment.ids.lowerBound, layout.temporary(name))
    if step >= .written { try draft.write(id: id, date: Date(), isDurable: false, to: path, in: files) }
    if step >= .noted { try access.owner.note(WriteIntent(id: id, digest: digest), isDurable: false) }
    if step >= .moved {
      try files.makeFolder(layout.shard(of: digest))
      try files.move(path, to: layout.entry(digest))
    }
  }

  private func allotted(in folder: URL) throws -> Int64 {
    let index = try DiskIndex(layout: DiskLayout(root: folder.path()), in: files)
    return try index.database.number("SELECT coalesce(sum(bytes), 0) FROM writer")
  }

  private func temporaries(in folder: URL) throws -> [String] {
    try files.names(in: DiskLayout(root: folder.path()).temporaries)
  }

  @Test(arguments: [Step.allotted, .written, .noted])
  func `what a killed writer was allotted is given back`(step: Step) async throws {
    try await withTemporaryFolder { folder in
      try leaveHalfDone("half", for: "a", in: folder, after: step)
      #expect(try allotted(in: folder) == 256 << 10, "a 64th of the limit")
      let cache = DiskCache(directory: folder)
      #expect(try await cache.totalSize == 0)
      #expect(try allotted(in: folder) == 0)
      #expect(try await cache.entry(for: "a") == nil)
      #expect(try temporaries(in: folder).isEmpty)
      #expect(try files.names(in: DiskLayout(root: folder.path()).owners).count == 1, "only the living have locks")
    }
  }

  @Test func `a killed writer's entry that is in its place is taken in`() async throws {
    try await withTemporaryFolder { folder in
      try await storeQuietly("old", for: "a", in: folder)
      try leaveHalfDone("new", for: "a", in: folder, after: .moved)
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "a") == entry("new"))
      #expect(try await cache.totalSize == 8192)
      #expect(try await cache.removeEntries(taggedWith: "trip") == 1, "with all that is known about it")
    }
  }

  @Test func `what a killed writer left does not come back after it is removed`() async throws {
    let removals: [@Sendable (DiskCache) async throws -> Void] = [
      { try await $0.removeEntry(for: "a") }, { try await $0.removeAll() },
      { try await $0.removeEntries(taggedWith: "trip") }, { try await $0.removeEntries(fromHost: "example.com") },
    ]
    for remove in removals {
      try await withTemporaryFolder { folder in
        let cache = DiskCache(directory: folder, configuration: quiet)
        #expect(try await cache.count == 0)
        try leaveHalfDone("x", for: "a", in: folder, after: .moved)
        #expect(try await cache.entry(for: "a") == entry("x"))
        try await remove(cache)
        #expect(try await cache.entry(for: "a") == nil)
        try await cache.clean()
        #expect(try await cache.count == 0)
        #expect(try allotted(in: folder) == 0)
      }
    }
  }

  @Test func `removing all removes what nobody counts as well`() async throws {
    try await withTemporaryFolder { folder in
      let cache = DiskCache(directory: folder, configuration: quiet)
      try await cache.store(entry("a"), for: "a")
      try DiskIndex(layout: DiskLayout(root: folder.path()), in: files).database.run("DELETE FROM entry")
      #expect(try await cache.entry(for: "a") == entry("a"))
      try await cache.removeAll()
      #expect(try await cache.entry(for: "a") == nil)
    }
  }

  @Test func `a killed writer that had not moved its file harms no entry of that key`() async throws {
    try await withTemporaryFolder { folder in
      try await storeQuietly("old", for: "a", in: folder)
      try leaveHalfDone("new", for: "a", in: folder, after: .noted)
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "a") == entry("old"))
    }
  }

  @Test func `a killed writer's damaged entry goes with the one it replaced`() async throws {
    try await withTemporaryFolder { folder in
      try await storeQuietly("old", for: "a", in: folder)
      try leaveHalfDone("new", for: "a", in: folder, after: .moved)
      let path = DiskLayout(root: folder.path()).entry(CacheKey("a").digest.bytes)
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: URL(filePath: path))
      let cache = DiskCache(directory: folder)
      #expect(try await cache.totalSize == 0)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `a running cache settles what another process left`() async throws {
    try await withTemporaryFolder { folder in
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 0)
      try leaveHalfDone("half", for: "a", in: folder, after: .moved)
      try await cache.store(entry("whole"), for: "a")
      #expect(try await cache.entry(for: "a") == entry("whole"))
      try leaveHalfDone("half", for: "b", in: folder, after: .written)
      try await cache.clean()
      #expect(try await cache.totalSize == 8192)
      #expect(try temporaries(in: folder).isEmpty)
    }
  }

  @Test func `of two writers of one key the last to place its file wins`() async throws {
    try await withTemporaryFolder { folder in
      let layout = DiskLayout(root: folder.path())
      let access = try IndexSession(layout: layout, configuration: DiskCacheConfiguration(), in: files)
      let (name, key) = (access.owner.name, "a" as CacheKey)
      let draft = try EntryFileWriter(entry("first"), key: key)
      let grant = try access.index.allot(
        draft.diskByteCount, to: name, at: Date(), budget: DiskBudget(sizeLimit: 1 << 20))
      let request = DiskIndex.Request(
        id: grant.allotment.ids.lowerBound, digest: key.digest.bytes, byteCount: draft.diskByteCount,
        expiration: StoredExpiration(.never, at: Date()), labels: IndexedAttributes(key: key, metadata: .example),
        date: Date())
      try draft.write(id: request.id, date: Date(), isDurable: false, to: layout.temporary(name), in: files)
      let cache = DiskCache(directory: folder)
      try await cache.store(entry("second"), for: key)
      #expect(try await cache.entry(for: key) == entry("second"))
      try access.index.add(request, by: name) { isPinned throws(DiskCacheError) in
        try files.move(layout.temporary(name), to: layout.entry(request.digest))
      }
      #expect(try await cache.entry(for: key) == entry("first"))
      #expect(try await cache.count == 1)
      #expect(try await cache.totalSize == 8192)
    }
  }

  @Test func `a writer that was taken for dead begins anew`() async throws {
    try await withTemporaryFolder { folder in
      let layout = DiskLayout(root: folder.path())
      let cache = DiskCache(directory: folder, configuration: quiet)
      try await cache.store(entry("1"), for: "1")
      for name in try files.names(in: layout.owners) { try files.remove(layout.owner(name)) }
      #expect(try await DiskCache(directory: folder, configuration: quiet).count == 1)
      #expect(try allotted(in: folder) == 0)
      try await cache.store(entry("2"), for: "2")
      #expect(try await cache.count == 2)
      #expect(try await cache.entry(for: "2") == entry("2"))
      #expect(try allotted(in: folder) > 0)
    }
  }

  @Test func `what a killed writer holds is taken back when there is no room without it`() async throws {
    try await withTemporaryFolder { folder in
      var configuration = quiet
      configuration.sizeLimit = 2 * 8192
      let cache = DiskCache(directory: folder, configuration: configuration)
      try await cache.store(entry("1"), for: "1")
      try leaveHalfDone("half", for: "a", in: folder, after: .written)
      try await cache.store(entry("2"), for: "2")
      #expect(try await cache.entry(for: "2") == entry("2"))
      #expect(try await cache.entry(for: "1") == entry("1"), "nothing else had to go")
      #expect(try temporaries(in: folder).isEmpty)
    }
  }

  @Test func `a writer gives back what it does not use`() async throws {
    try await withTemporaryFolder { folder in
      let cache = DiskCache(directory: folder, configuration: quiet)
      try await cache.store(entry("1"), for: "1")
      #expect(try allotted(in: folder) == 1 << 20 - 8192)
      #expect(try await cache.totalSize == 8192)
      try await cache.clean()
      #expect(try allotted(in: folder) == 0)
      try await cache.store(entry("2"), for: "2")
      cache.configuration.sizeLimit = 1 << 20
      try await cache.store(entry("3"), for: "3")
      #expect(try allotted(in: folder) == 1 << 14 - 8192, "what was given under the old limit is not used")
    }
  }

  @Test func `an index of an older format is made anew from the entries`() async throws {
    try await withTemporaryFolder { folder in
      try await storeQuietly("old", for: "a", in: folder)
      let layout = DiskLayout(root: folder.path())
      do {
        let index = try DiskIndex(layout: layout, in: files)
        try index.database.run("ALTER TABLE entry ADD COLUMN ready INTEGER NOT NULL DEFAULT 1")
        try index.database.run("DROP TABLE writer")
        try index.database.run("PRAGMA user_version=3")
      }
      try Data(count: 100).write(to: URL(filePath: layout.temporaries + "/17"))
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "a") == entry("old"))
      #expect(try temporaries(in: folder).isEmpty)
      try await cache.store(entry("new"), for: "b")
      #expect(try await cache.totalSize == 2 * 8192)
    }
  }

  @Test(arguments: [Data(repeating: 7, count: 5000), Data()])
  func `a damaged index is made anew from the entries`(damage: Data) async throws {
    try await withTemporaryFolder { folder in
      do {
        let cache = DiskCache(directory: folder)
        for number in 0..<20 { try await cache.store(entry("\(number)"), for: CacheKey("\(number)")) }
        try await cache.setPinned(true, for: "3")
        #expect(try await cache.entry(for: "0") != nil)
        cache.willTerminate()
      }
      let index = folder.appending(path: "v1/index.db")
      for suffix in ["-wal", "-shm"] { try files.remove(index.path() + suffix) }
      try damage.write(to: index)
      let cache = DiskCache(directory: folder)
      #expect(try await cache.entry(for: "1") == entry("1"), "reading needs no index")
      #expect(try await cache.count == 20)
      #expect(try await cache.totalSize == 20 * 8192)
      #expect(try await cache.removeEntries(taggedWith: "trip") == 20)
    }
  }

  @Test func `a new index knows order and pins`() async throws {
    try await withTemporaryFolder { folder in
      let clock = TestClock()
      let configuration = DiskCacheConfiguration(sizeLimit: 3 * 8192)
      let cache = DiskCache(directory: folder, configuration: configuration, time: clock)
      for key in ["pinned", "old", "new"] as [CacheKey] {
        clock.advance(by: .seconds(1))
        try await cache.store(entry(key.text), for: key)
      }
      try await cache.setPinned(true, for: "pinned")
      try FileManager.default.removeItem(at: folder.appending(path: "v1/index.db"))
      try await cache.store(entry("more"), for: "more")
      #expect(try await cache.entry(for: "pinned") != nil)
      #expect(try await cache.entry(for: "old") == nil)
      #expect(try await cache.entry(for: "new") != nil)
    }
  }

  @Test func `files that nobody counts and rows without a file are found`() async throws {
    try await withTemporaryFolder { folder in
      let cache = DiskCache(directory: folder)
      for number in 0..<10 { try await cache.store(entry("\(number)"), for: CacheKey("\(number)")) }
      let layout = DiskLayout(root: folder.path())
      let (lost, kept) = (CacheKey("1").digest.bytes, CacheKey("2").digest.bytes)
      try files.remove(layout.entry(lost))
      let orphan = layout.shard(kept[0]) + "/" + ([kept[0]] + [UInt8](repeating: 0, count: 15)).hexadecimal
      try Data(count: 100).write(to: URL(filePath: orphan))
      try Data(count: 100).write(to: URL(filePath: layout.temporary("77")))
      for shard in UInt8.min...UInt8.max { try await cache.writer.sweep(shard: shard, now: Date()) }
      #expect(FileManager.default.fileExists(atPath: orphan), "it may be about to be counted")
      for shard in UInt8.min...UInt8.max { try await cache.writer.sweep(shard: shard, now: Date() + 700) }
      #expect(!FileManager.default.fileExists(atPath: orphan))
      #expect(try temporaries(in: folder).isEmpty)
      #expect(try await cache.count == 9)
      #expect(try await cache.totalSize == 9 * 8192)
    }
  }

  @Test func `killed writers leave nothing wrong`() async throws {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: "halcyon-torture")
    #expect(try ChildProcess(program.path(), ["5"]).end() == .exit(0))
  }
}
