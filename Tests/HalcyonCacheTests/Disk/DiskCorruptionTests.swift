import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

/// A disk cache with a corrupted index, or with entries in its folder that are not regular files.
@Suite(.integrationTest, .slow)
struct DiskCorruptionTests {
  private let files = SystemFiles()
  private let keys = (0..<20).map { CacheKey("\($0)") }

  private var configuration: DiskCacheConfiguration {
    DiskCacheConfiguration(sizeLimit: 40 * 8192, cleaning: .whenAsked)
  }

  private func entry(_ key: CacheKey) -> StoredEntry {
    StoredEntry(body: Data("body of \(key.text)".utf8), metadata: .example)
  }

  private func cache(_ folder: URL) -> DiskCache { DiskCache(directory: folder, configuration: configuration) }

  /// Stores twenty entries of two blocks each and moves the WAL of the index into its database file.
  private func fill(_ folder: URL) async throws {
    let cache = cache(folder)
    for key in keys { try await cache.store(entry(key), for: key) }
    try DiskIndex(layout: DiskLayout(root: folder.path()), in: files).checkpoint()
  }

  /// Runs a statement that corrupts the index.
  private func corrupt(_ folder: URL, _ statement: String) throws {
    try DiskIndex(layout: DiskLayout(root: folder.path()), in: files).database.run(statement)
  }

  /// The disk space of the entry files, in bytes.
  private func physicalSize(_ folder: URL) throws -> Int {
    let entries = folder.appending(path: "v\(DiskCache.format)/d")
    return try FileManager.default.subpathsOfDirectory(atPath: entries.path()).filter { $0.contains("/") }
      .reduce(0) { size, name in
        let status = try files.status(of: entries.path() + "/" + name)
        return size + EntryFile.diskByteCount(fileByteCount: Int(status.st_size))
      }
  }

  /// Runs every operation that changes the index; each must succeed however the index is corrupted.
  private func exercise(_ folder: URL) async throws {
    let cache = cache(folder)
    for key in keys {
      let found = try await cache.entry(for: key)
      #expect(found == nil || found == entry(key))
    }
    for number in 100..<140 {
      try await cache.store(entry(CacheKey("\(number)")), for: CacheKey("\(number)"))
      // Corruption hides at most one entry from the index.
      #expect(try physicalSize(folder) <= configuration.sizeLimit + 8192)
    }
    try await cache.clean()
    try await cache.removeEntries(taggedWith: "trip")
    try await cache.removeAll()
    #expect(try physicalSize(folder) == 0)
    #expect(try await cache.count == 0)
    #expect(try await cache.totalSize == 0)
    try await cache.store(entry("a"), for: "a")
    #expect(try await cache.entry(for: "a") == entry("a"))
    #expect(try await cache.count == 1)
  }

  @Test func `every operation succeeds after a bit of the index is flipped`() async throws {
    try await TemporaryDirectory.run { template in
      try await fill(template)
      let index = try Data(contentsOf: template.appending(path: "v\(DiskCache.format)/index.db"))
      for offset in stride(from: 5, to: index.count, by: Self.distance) {
        try await TemporaryDirectory.run { parent in
          let folder = parent.appending(path: "cache", directoryHint: .isDirectory)
          try FileManager.default.copyItem(at: template, to: folder)
          var damaged = index
          damaged[offset] ^= 1 << (offset % 8)
          try damaged.write(to: folder.appending(path: "v\(DiskCache.format)/index.db"))
          do { try await exercise(folder) } catch { Issue.record("bit \(offset % 8) of byte \(offset): \(error)") }
        }
      }
    }
  }

  /// The distance between two flipped bits, in bytes.
  private static let distance = ProcessInfo.processInfo.environment["HALCYON_FLIP_DISTANCE"].flatMap(Int.init) ?? 397

  @Test(arguments: [
    "UPDATE total SET bytes=9223372036854775807", "UPDATE total SET bytes=-1", "UPDATE total SET count='many'",
    "DELETE FROM total", "UPDATE total SET sequence=9223372036854775807", "UPDATE total SET sequence=3",
    "UPDATE entry SET bytes=9223372036854775807", "UPDATE entry SET digest='x' WHERE id=(SELECT min(id) FROM entry)",
    "DROP TABLE writer", "DROP TRIGGER entry_added", "DROP INDEX entry_order",
    "ALTER TABLE entry RENAME COLUMN expires TO ends", "PRAGMA user_version=0",
    "INSERT INTO writer VALUES('../../../x', 1000)", "INSERT INTO writer VALUES('17-a.lock', 9223372036854775807)",
  ])
  func `an index with impossible values or a wrong schema is rebuilt`(statement: String) async throws {
    try await TemporaryDirectory.run { folder in
      try await fill(folder)
      try corrupt(folder, statement)
      try await exercise(folder)
    }
  }

  @Test func `an index that is corrupted while open is rebuilt`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = cache(folder)
      for key in keys { try await cache.store(entry(key), for: key) }
      try corrupt(folder, "UPDATE total SET bytes=-1")
      try await cache.store(entry("new"), for: "new")
      #expect(try await cache.count == 21)
      #expect(try await cache.totalSize == 21 * 8192)
    }
  }

  @Test func `entries stored while the index is rebuilt are not lost`() async throws {
    try await TemporaryDirectory.run { folder in
      try await fill(folder)
      try files.remove(DiskLayout(root: folder.path()).index)
      let listing = BlockingListing()
      let rebuilding = DiskCache(directory: folder, configuration: configuration, fileSystem: listing)
      let other = cache(folder)
      let first = Task { try await rebuilding.store(entry("x"), for: "x") }
      await listing.hasBegun.wait()
      let second = Task { try await rebuilding.store(entry("y"), for: "y") }
      let third = Task { try await other.store(entry("z"), for: "z") }
      listing.mayEnd.signal()
      for store in [first, second, third] { try await store.value }
      for key in keys + ["x", "y", "z"] { #expect(try await other.entry(for: key) == entry(key)) }
      #expect(try await other.count == 23)
    }
  }

  @Test func `cleaning corrects wrong totals`() async throws {
    try await TemporaryDirectory.run { folder in
      try await fill(folder)
      try corrupt(folder, "UPDATE total SET bytes=0, count=3")
      let cache = cache(folder)
      #expect(try await cache.totalSize == 0)
      try await cache.clean()
      #expect(try await cache.totalSize == 20 * 8192)
      #expect(try await cache.count == 20)
    }
  }

  @Test func `a sparse file of 8 TiB is a damaged entry and allocates no memory for its size`() async throws {
    try await TemporaryDirectory.run { folder in
      try await fill(folder)
      let path = DiskLayout(root: folder.path()).entry(keys[0].digest.bytes)
      #expect(truncate(path, 1 << 43) == 0)
      let cache = cache(folder)
      #expect(try await cache.entry(for: keys[0]) == nil)
      #expect(cache.statistics.misses[.damaged] == 1)
      #expect(try await cache.entry(for: keys[1]) == entry(keys[1]))
    }
  }

  @Test func `a much lower limit evicts in several batches, and the next entry fits`() async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DiskCache(directory: folder, configuration: DiskCacheConfiguration(cleaning: .whenAsked))
      for number in 0..<700 { try await cache.store(entry("a"), for: CacheKey("\(number)")) }
      cache.configuration.sizeLimit = 10 * 8192
      try await cache.store(entry("new"), for: "new")
      #expect(try await cache.totalSize <= 10 * 8192)
      #expect(cache.statistics.evictions[.size, default: 0] >= 690)
      #expect(try await cache.entry(for: CacheKey("699")) != nil)
    }
  }
}

/// A file system whose second listing of a folder, the first one of those that rebuild the index, blocks until the test lets
/// it end. The first one checks the shards.
private final class BlockingListing: FileSystem {
  let hasBegun = Signal()
  let mayEnd = DispatchSemaphore(value: 0)
  private let count = Lock(0)

  func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int {
    let isBlocked =
      call == .list
      && count.withLock { count in
        count += 1
        return count == 2
      }
    if isBlocked {
      hasBegun.set()
      mayEnd.waitWithLimit()
    }
    return body(byteCount)
  }
}
