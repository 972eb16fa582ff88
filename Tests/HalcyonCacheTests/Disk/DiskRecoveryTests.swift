import Foundation
import HalcyonTesting
import TestSupport
import TestDoubles
import TestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

@Suite(.integrationTest, .slow)
struct DiskRecoveryTests {
  private let files = SystemFiles()

  private func entry(_ text: String) -> StoredEntry {
    StoredEntry(body: Data(text.utf8), metadata: .example)
  }

  private var manualCleaning: DiskCacheConfiguration {
    var configuration = DiskCacheConfiguration()
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    return configuration
  }

  /// Stores an entry with a cache that does not clean on its own: a late cleaning would undo the test's setup.
  private func storeWithoutCleaning(_ text: String, for key: CacheKey, in folder: URL) async throws {
    try await DiskCache(directory: folder, configuration: manualCleaning).store(entry(text), for: key)
  }

  /// The last step of a writer before it was killed.
  enum Step: Int, Comparable {
    case reserved, written, intentRecorded, moved

    static func < (one: Step, other: Step) -> Bool { one.rawValue < other.rawValue }
  }

  /// Writes an entry up to a step and stops there, as a killed writer does.
  private func abandonWrite(_ text: String, for key: CacheKey, in folder: URL, after step: Step) throws {
    let layout = DiskLayout(root: folder.path())
    let session = try IndexSession(layout: layout, configuration: DiskCacheConfiguration(), in: files)
    session.writerLock.keepsFile = true
    let (name, writer, digest) = (session.writerLock.name, try EntryFileWriter(entry(text), key: key), key.digest.bytes)
    let (reservation, _) = try session.index.reserve(
      writer.diskByteCount, for: name, at: Date(), budget: DiskBudget(sizeLimit: 16 << 20))
    let (id, path) = (reservation.ids.lowerBound, layout.temporary(name))
    if step >= .written { try writer.write(id: id, date: Date(), isDurable: false, to: path, in: files) }
    if step >= .intentRecorded { try session.writerLock.record(WriteIntent(id: id, digest: digest), isDurable: false) }
    if step >= .moved {
      try files.makeFolder(layout.shard(of: digest))
      try files.move(path, to: layout.entry(digest))
    }
  }

  private func reservedBytes(in folder: URL) throws -> Int64 {
    let index = try DiskIndex(layout: DiskLayout(root: folder.path()), in: files)
    return try index.database.number("SELECT coalesce(sum(bytes), 0) FROM writer")
  }

  private func temporaries(in folder: URL) throws -> [String] {
    try files.names(in: DiskLayout(root: folder.path()).temporaries)
  }

  #if os(Linux)
  @Test func `a writer that ends is abandoned also while a child process still has its lock file open`() async throws {
    try await TemporaryDirectory.run { folder in
      let layout = DiskLayout(root: folder.path())
      try files.makeFolder(layout.writerLocks)
      var lock: WriterLock? = try WriterLock(layout: layout, in: files)
      lock?.keepsFile = true
      let name = try #require(lock?.name)
      // A child has copies of all descriptors until it becomes another program.
      let own = try #require(
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").first { number in
          let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
          return path?.hasSuffix(name) == true
        })
      let copy = dup(try #require(Int32(own)))
      defer { close(copy) }
      #expect(try !WriterLock.isAbandoned(name, layout: layout, in: files))
      lock = nil
      #expect(try WriterLock.isAbandoned(name, layout: layout, in: files))
    }
  }
  #endif

  @Test(arguments: [Step.reserved, .written, .intentRecorded])
  func `the reservation of a killed writer is released`(step: Step) async throws {
    try await TemporaryDirectory.run { folder in
      try abandonWrite("half", for: "a", in: folder, after: step)
      #expect(try reservedBytes(in: folder) == 256 << 10, "a 64th of the limit")
      let cache = DiskCache(directory: folder)
      #expect(try await cache.totalSize == 0)
      #expect(try reservedBytes(in: folder) == 0)
      #expect(try await cache.entry(for: "a") == nil)
      #expect(try temporaries(in: folder).isEmpty)
      #expect(
        try files.names(in: DiskLayout(root: folder.path()).writerLocks).count == 1,
        "only active writers have lock files")
    }
  }

  @Test func `the entry of a killed writer is adopted if its file is in place`() async throws {
    try await TemporaryDirectory.run { folder in
      try await storeWithoutCleaning("old", for: "a", in: folder)
      try abandonWrite("new", for: "a", in: folder, after: .moved)
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "a") == entry("new"))
      #expect(try await cache.totalSize == 8192)
      #expect(try await cache.removeEntries(taggedWith: "trip") == 1, "with its metadata")
    }
  }

  @Test func `an entry left by a killed writer does not resurface after its removal`() async throws {
    let removals: [@Sendable (DiskCache) async throws -> Void] = [
      { try await $0.removeEntry(for: "a") }, { try await $0.removeAll() },
      { try await $0.removeEntries(taggedWith: "trip") }, { try await $0.removeEntries(fromHost: "example.com") },
    ]
    for remove in removals {
      try await TemporaryDirectory.run { folder in
        let cache = DiskCache(directory: folder, configuration: manualCleaning)
        #expect(try await cache.count == 0)
        try abandonWrite("x", for: "a", in: folder, after: .moved)
        #expect(try await cache.entry(for: "a") == entry("x"))
        try await remove(cache)
        #expect(try await cache.entry(for: "a") == nil)
        try await cache.clean()
        #expect(try await cache.count == 0)
        #expect(try reservedBytes(in: folder) == 0)
      }
    }
  }

  @Test func `removing all entries also removes files that are not indexed`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DiskCache(directory: folder, configuration: manualCleaning)
      try await cache.store(entry("a"), for: "a")
      try DiskIndex(layout: DiskLayout(root: folder.path()), in: files).database.run("DELETE FROM entry")
      #expect(try await cache.entry(for: "a") == entry("a"))
      try await cache.removeAll()
      #expect(try await cache.entry(for: "a") == nil)
    }
  }

  @Test func `a writer killed before it moved its file leaves the existing entry intact`() async throws {
    try await TemporaryDirectory.run { folder in
      try await storeWithoutCleaning("old", for: "a", in: folder)
      try abandonWrite("new", for: "a", in: folder, after: .intentRecorded)
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "a") == entry("old"))
    }
  }

  @Test func `a damaged entry of a killed writer is removed, with the row of the one it replaced`() async throws {
    try await TemporaryDirectory.run { folder in
      try await storeWithoutCleaning("old", for: "a", in: folder)
      try abandonWrite("new", for: "a", in: folder, after: .moved)
      let path = DiskLayout(root: folder.path()).entry(CacheKey("a").digest.bytes)
      var bytes = try Data(contentsOf: URL(filePath: path))
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: URL(filePath: path))
      let cache = DiskCache(directory: folder)
      #expect(try await cache.totalSize == 0)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test(arguments: [Step.written, .intentRecorded])
  func `what cannot be read in place of a killed writer's entry does not keep the cache from opening`(
    step: Step
  ) async throws {
    for badEntry in BadEntry.allCases {
      try await TemporaryDirectory.run { folder in
        try await storeWithoutCleaning("old", for: "b", in: folder)
        try abandonWrite("new", for: "a", in: folder, after: step)
        try badEntry.make(for: "a", in: DiskLayout(root: folder.path()))
        for operation in [
          { try await $0.store(entry("c"), for: "c") }, { try await $0.removeEntry(for: "a") },
          { _ = try await $0.removeEntries(taggedWith: "none") }, { _ = try await $0.clean() },
          { try await $0.trim() }, { try await $0.removeExpired() },
        ] as [(DiskCache) async throws -> Void] {
          let cache = DiskCache(directory: folder, configuration: manualCleaning)
          try await operation(cache)
          #expect(try await cache.entry(for: "b") == entry("old"))
        }
        let cache = DiskCache(directory: folder, configuration: manualCleaning)
        try await cache.removeAll()
        #expect(try await cache.count == 0)
        try await cache.clean()
        #expect(try reservedBytes(in: folder) == 0)
      }
    }
  }

  @Test func `a running cache recovers what another process left unfinished`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 0)
      try abandonWrite("half", for: "a", in: folder, after: .moved)
      try await cache.store(entry("whole"), for: "a")
      #expect(try await cache.entry(for: "a") == entry("whole"))
      try abandonWrite("half", for: "b", in: folder, after: .written)
      try await cache.clean()
      #expect(try await cache.totalSize == 8192)
      #expect(try temporaries(in: folder).isEmpty)
    }
  }

  @Test func `of two writers of one key the last to move its file into place wins`() async throws {
    try await TemporaryDirectory.run { folder in
      let layout = DiskLayout(root: folder.path())
      let session = try IndexSession(layout: layout, configuration: DiskCacheConfiguration(), in: files)
      let (name, key) = (session.writerLock.name, "a" as CacheKey)
      let writer = try EntryFileWriter(entry("first"), key: key)
      let (reservation, _) = try session.index.reserve(
        writer.diskByteCount, for: name, at: Date(), budget: DiskBudget(sizeLimit: 1 << 20))
      let row = DiskIndex.EntryRow(
        id: reservation.ids.lowerBound, digest: key.digest.bytes, byteCount: writer.diskByteCount,
        expiration: StoredExpiration(.never, stored: Date(), lastUse: Date()),
        attributes: IndexedAttributes(key: key, metadata: .example),
        date: Date())
      try writer.write(id: row.id, date: Date(), isDurable: false, to: layout.temporary(name), in: files)
      let cache = DiskCache(directory: folder)
      try await cache.store(entry("second"), for: key)
      #expect(try await cache.entry(for: key) == entry("second"))
      try session.index.add(row, by: name) { isPinned throws(DiskCacheError) in
        try files.move(layout.temporary(name), to: layout.entry(row.digest))
      }
      #expect(try await cache.entry(for: key) == entry("first"))
      #expect(try await cache.count == 1)
      #expect(try await cache.totalSize == 8192)
    }
  }

  @Test func `a writer that was mistaken for dead reserves space again`() async throws {
    try await TemporaryDirectory.run { folder in
      let layout = DiskLayout(root: folder.path())
      let cache = DiskCache(directory: folder, configuration: manualCleaning)
      try await cache.store(entry("1"), for: "1")
      for name in try files.names(in: layout.writerLocks) { try files.remove(layout.writerLock(name)) }
      #expect(try await DiskCache(directory: folder, configuration: manualCleaning).count == 1)
      #expect(try reservedBytes(in: folder) == 0)
      try await cache.store(entry("2"), for: "2")
      #expect(try await cache.count == 2)
      #expect(try await cache.entry(for: "2") == entry("2"))
      #expect(try reservedBytes(in: folder) > 0)
    }
  }

  @Test func `the reservation of a killed writer is reclaimed when its space is needed`() async throws {
    try await TemporaryDirectory.run { folder in
      var configuration = manualCleaning
      configuration.sizeLimit = 2 * 8192
      let cache = DiskCache(directory: folder, configuration: configuration)
      try await cache.store(entry("1"), for: "1")
      try abandonWrite("half", for: "a", in: folder, after: .written)
      try await cache.store(entry("2"), for: "2")
      #expect(try await cache.entry(for: "2") == entry("2"))
      #expect(try await cache.entry(for: "1") == entry("1"), "no entry had to be evicted")
      #expect(try temporaries(in: folder).isEmpty)
    }
  }

  @Test func `a writer releases reserved space that it does not use`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DiskCache(directory: folder, configuration: manualCleaning)
      try await cache.store(entry("1"), for: "1")
      #expect(try reservedBytes(in: folder) == 1 << 20 - 8192)
      #expect(try await cache.totalSize == 8192)
      try await cache.clean()
      #expect(try reservedBytes(in: folder) == 0)
      try await cache.store(entry("2"), for: "2")
      cache.configuration.sizeLimit = 1 << 20
      try await cache.store(entry("3"), for: "3")
      #expect(try reservedBytes(in: folder) == 1 << 14 - 8192, "space reserved under the old limit is not used")
    }
  }

  @Test func `an index of an older format is rebuilt from the entries`() async throws {
    try await TemporaryDirectory.run { folder in
      try await storeWithoutCleaning("old", for: "a", in: folder)
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

  @Test func `entries of an older file version are removed with the index of their format`() async throws {
    try await TemporaryDirectory.run { folder in
      try await storeWithoutCleaning("old", for: "a", in: folder)
      let layout = DiskLayout(root: folder.path())
      let path = layout.entry(CacheKey("a").digest.bytes)
      do {
        let index = try DiskIndex(layout: layout, in: files)
        try index.database.run("PRAGMA user_version=5")
        try FileDescriptor(path: path, flags: O_WRONLY).write(Data([2]), at: 4)
      }
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 0)
      #expect(try await cache.entry(for: "a") == nil)
      #expect(access(path, F_OK) != 0)
    }
  }

  @Test(arguments: [Data(repeating: 7, count: 5000), Data()])
  func `a damaged index is rebuilt from the entries`(damage: Data) async throws {
    try await TemporaryDirectory.run { folder in
      do {
        let cache = DiskCache(directory: folder)
        for number in 0..<20 { try await cache.store(entry("\(number)"), for: CacheKey("\(number)")) }
        try await cache.setPinned(true, for: "3")
        #expect(try await cache.entry(for: "0") != nil)
        cache.willTerminate()
      }
      let index = folder.appending(path: "v\(DiskCache.format)/index.db")
      for suffix in ["-wal", "-shm"] { try files.remove(index.path() + suffix) }
      try damage.write(to: index)
      let cache = DiskCache(directory: folder)
      #expect(try await cache.entry(for: "1") == entry("1"), "reading needs no index")
      #expect(try await cache.count == 20)
      #expect(try await cache.totalSize == 20 * 8192)
      #expect(try await cache.removeEntries(taggedWith: "trip") == 20)
    }
  }

  @Test func `a rebuilt index restores the eviction order and the pins`() async throws {
    try await TemporaryDirectory.run { folder in
      let clock = TestClock()
      let configuration = DiskCacheConfiguration(sizeLimit: 3 * 8192)
      let cache = DiskCache(directory: folder, configuration: configuration, time: clock)
      for key in ["pinned", "old", "new"] as [CacheKey] {
        clock.advance(by: .seconds(1))
        try await cache.store(entry(key.text), for: key)
      }
      try await cache.setPinned(true, for: "pinned")
      // Its replacement is pinned in its own file.
      try await cache.store(entry("replaced"), for: "pinned")
      for key in ["old", "new"] as [CacheKey] {
        clock.advance(by: .seconds(1))
        try await cache.store(entry(key.text), for: key)
      }
      try FileManager.default.removeItem(at: folder.appending(path: "v\(DiskCache.format)/index.db"))
      try await cache.store(entry("more"), for: "more")
      #expect(try await cache.entry(for: "pinned") != nil)
      #expect(try await cache.entry(for: "old") == nil)
      #expect(try await cache.entry(for: "new") != nil)
    }
  }

  @Test func `reads reach the order of eviction within seconds, without a write`() async throws {
    try await TemporaryDirectory.run { folder in
      let clock = TestClock()
      let cache = DiskCache(directory: folder, time: clock)
      for key in ["a", "b"] as [CacheKey] { try await cache.store(entry(key.text), for: key) }
      await clock.waitForSleepers()
      #expect(try await cache.entry(for: "a") != nil)
      func order() throws -> [[UInt8]?] {
        let index = try DiskIndex(layout: DiskLayout(root: folder.path()), in: files)
        return try index.database.run("SELECT digest FROM entry ORDER BY sequence").map { $0[0].blob }
      }
      let (a, b) = (CacheKey("a").digest.bytes, CacheKey("b").digest.bytes)
      #expect(try order() == [a, b])
      clock.advance(by: .seconds(5))
      // The maintenance sleeps again.
      await clock.waitForSleepers()
      #expect(try order() == [b, a])
    }
  }

  @Test func `files that are not indexed and rows without a file are removed`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DiskCache(directory: folder)
      for number in 0..<10 { try await cache.store(entry("\(number)"), for: CacheKey("\(number)")) }
      let layout = DiskLayout(root: folder.path())
      let (lost, kept) = (CacheKey("1").digest.bytes, CacheKey("2").digest.bytes)
      try files.remove(layout.entry(lost))
      let orphan = layout.shard(kept[0]) + "/" + ([kept[0]] + [UInt8](repeating: 0, count: 15)).hexadecimal
      try Data(count: 100).write(to: URL(filePath: orphan))
      try Data(count: 100).write(to: URL(filePath: layout.temporary("77")))
      for shard in UInt8.min...UInt8.max { try await cache.writer.sweep(shard: shard, now: Date()) }
      #expect(FileManager.default.fileExists(atPath: orphan), "it may be about to be indexed")
      for shard in UInt8.min...UInt8.max { try await cache.writer.sweep(shard: shard, now: Date() + 700) }
      #expect(!FileManager.default.fileExists(atPath: orphan))
      #expect(try temporaries(in: folder).isEmpty)
      #expect(try await cache.count == 9)
      #expect(try await cache.totalSize == 9 * 8192)
    }
  }

  @Test func `killed writers leave the cache consistent`() async throws {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: "halcyon-torture")
    #expect(try ChildProcess(program.path(), ["5"]).end() == .exit(0))
  }
}
