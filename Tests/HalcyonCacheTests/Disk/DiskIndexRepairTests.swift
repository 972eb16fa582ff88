import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

/// Indexes that are old or damaged, or that do not match the files of the entries.
@Suite(.integrationTest, .slow)
struct DiskIndexRepairTests {
  private let files = SystemFiles()

  @Test func `an index that was not completed is rebuilt from the entries`() async throws {
    try await TemporaryDirectory.run { folder in
      try await DiskCache(directory: folder, configuration: .init(cleaning: .whenAsked)).store(entry("old"), for: "a")
      let layout = DiskLayout(root: folder.path())
      do {
        let index = try DiskIndex(layout: layout, in: files)
        try index.database.run("ALTER TABLE entry ADD COLUMN ready INTEGER NOT NULL DEFAULT 1")
        try index.database.run("DROP TABLE writer")
        try index.database.run("PRAGMA user_version=0")
      }
      try Data(count: 100).write(to: URL(filePath: layout.temporary("17-a.lock")))
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "a") == entry("old"))
      #expect(try files.names(in: layout.temporaries).isEmpty)
      try await cache.store(entry("new"), for: "b")
      #expect(try await cache.totalSize == 2 * 8192)
    }
  }

  @Test func `entries of another file version are removed when the index is rebuilt`() async throws {
    try await TemporaryDirectory.run { folder in
      try await DiskCache(directory: folder, configuration: .init(cleaning: .whenAsked)).store(entry("old"), for: "a")
      let layout = DiskLayout(root: folder.path())
      let path = layout.entry(CacheKey("a").digest.bytes)
      do {
        let index = try DiskIndex(layout: layout, in: files)
        try index.database.run("PRAGMA user_version=0")
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
    let clock = TestClock()
    try await DiskCache.run(.init(sizeLimit: 3 * 8192), time: clock) { cache in
      for key in ["pinned", "old", "new"] as [CacheKey] {
        clock.advance(by: .seconds(1))
        try await cache.store(entry(key.text), for: key)
      }
      try await cache.setPinned(true, for: "pinned")
      // The entry that replaces the pinned one is pinned in its own file.
      try await cache.store(entry("replaced"), for: "pinned")
      for key in ["old", "new"] as [CacheKey] {
        clock.advance(by: .seconds(1))
        try await cache.store(entry(key.text), for: key)
      }
      try files.remove(cache.layout.index)
      try await cache.store(entry("more"), for: "more")
      #expect(try await cache.entry(for: "pinned") != nil)
      #expect(try await cache.entry(for: "old") == nil)
      #expect(try await cache.entry(for: "new") != nil)
    }
  }

  @Test func `a rebuilt index restores the order of use where it is not the order of storing`() async throws {
    let clock = TestClock()
    try await DiskCache.run(.init(sizeLimit: 4 * 8192, cleaning: .whenAsked), time: clock) { cache in
      let keys = ["a", "b", "c", "d"] as [CacheKey]
      for key in keys {
        clock.advance(by: .seconds(1))
        try await cache.store(entry(key.text), for: key)
      }
      for key in keys.reversed() {
        clock.advance(by: .seconds(1))
        #expect(try await cache.entry(for: key) != nil)
      }
      await cache.flushAccesses()
      try files.remove(cache.layout.index)
      // The least recently used is evicted for each.
      for (number, evicted) in keys.reversed().enumerated() {
        clock.advance(by: .seconds(1))
        try await cache.store(entry("more"), for: CacheKey("more \(number)"))
        #expect(FileManager.default.fileExists(atPath: cache.path(of: evicted)) == false, "\(evicted)")
        for key in keys.dropLast(number + 1) {
          #expect(FileManager.default.fileExists(atPath: cache.path(of: key)), "\(key) before \(evicted)")
        }
      }
      try await cache.store(entry("brief", expiration: .after(.seconds(60))), for: "brief")
      try files.remove(cache.layout.index)
      clock.advance(by: .seconds(61))
      #expect(try await cache.clean().disk[.expiration]?.count == 1, "with its expiration")
    }
  }

  @Test func `removing all entries also removes files that are not indexed`() async throws {
    try await DiskCache.run(.init(cleaning: .whenAsked)) { cache in
      try await cache.store(entry("a"), for: "a")
      try DiskIndex(layout: cache.layout, in: files).database.run("DELETE FROM entry")
      #expect(try await cache.entry(for: "a") == entry("a"))
      try await cache.removeAll()
      #expect(try await cache.entry(for: "a") == nil)
    }
  }

  @Test func `files that are not indexed and rows without a file are removed`() async throws {
    try await DiskCache.run { cache in
      for number in 0..<10 { try await cache.store(entry("\(number)"), for: CacheKey("\(number)")) }
      let layout = cache.layout
      let (lost, kept) = (CacheKey("1").digest.bytes, CacheKey("2").digest.bytes)
      try files.remove(layout.entry(lost))
      let orphan = layout.shard(kept[0]) + "/" + ([kept[0]] + [UInt8](repeating: 0, count: 15)).hexadecimal
      try Data(count: 100).write(to: URL(filePath: orphan))
      try Data(count: 100).write(to: URL(filePath: layout.temporary("77-b.lock")))
      for shard in UInt8.min...UInt8.max { try await cache.writer.sweep(shard: shard, now: Date()) }
      #expect(FileManager.default.fileExists(atPath: orphan), "it may be about to be indexed")
      for shard in UInt8.min...UInt8.max { try await cache.writer.sweep(shard: shard, now: Date() + 700) }
      #expect(!FileManager.default.fileExists(atPath: orphan))
      #expect(try files.names(in: layout.temporaries).isEmpty)
      #expect(try await cache.count == 9)
      #expect(try await cache.totalSize == 9 * 8192)
    }
  }
}
