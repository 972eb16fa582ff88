import Foundation
import HalcyonHTTP
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@_spi(Programs) @testable import HalcyonCache
@testable import HalcyonSupport

@Suite(.integrationTest)
struct DiskVerificationTests {
  private let clock = TestClock()

  private func withCache(
    _ body: (_ cache: DiskCache, _ file: (CacheKey) -> URL) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let cache = DiskCache(
        directory: folder, configuration: DiskCacheConfiguration(cleaning: .whenAsked), time: clock)
      let layout = DiskLayout(root: folder.path(percentEncoded: false))
      try await body(cache) { URL(filePath: layout.entry($0.digest.bytes)) }
    }
  }

  private func entry(_ text: String) -> StoredEntry {
    StoredEntry(
      body: Data(text.utf8), metadata: EntryMetadata(requestDate: clock.now(), responseDate: clock.now()))
  }

  private func entries(in cache: DiskCache) async throws -> [DiskCacheEntry] {
    var entries: [DiskCacheEntry] = []
    for try await entry in cache.entries { entries.append(entry) }
    return entries
  }

  @Test func `entries with a flipped byte anywhere are found, and removed only when asked`() async throws {
    try await withCache { cache, file in
      for number in 0..<100 { try await cache.store(entry("body \(number)"), for: CacheKey("key \(number)")) }
      var progress: [Int] = []
      let intact = try await cache.verify { progress.append($0.checkedCount) }
      #expect(intact.checkedCount == 100)
      #expect(intact.totalCount == 100)
      #expect(intact.damagedFiles.isEmpty)
      #expect(intact.byteCount == (try await cache.totalSize))
      #expect(progress == [64, 100])
      // Damages the header of one entry, and the body of another.
      for (key, position) in [("key 7", 9), ("key 42", -1)] {
        var bytes = try Data(contentsOf: file(CacheKey(key)))
        bytes[position < 0 ? bytes.count + position : position] ^= 4
        try bytes.write(to: file(CacheKey(key)))
      }
      let found = try await cache.verify()
      let damaged = ["key 7", "key 42"].map { file(CacheKey($0)).lastPathComponent }
      #expect(Set(found.damagedFiles.map(\.lastPathComponent)) == Set(damaged))
      #expect(try await cache.count == 100)
      #expect(try await cache.verify(removesDamaged: true).damagedFiles.count == 2)
      #expect(try await cache.count == 98)
      #expect(try await cache.verify().damagedFiles.isEmpty)
      #expect(cache.statistics.hits == 0)
      #expect(cache.statistics.misses.isEmpty)
    }
  }

  @Test func `a whole file of half an image is found, but not the part of a download that is to be completed`()
    async throws
  {
    try await withCache { cache, file in
      let part = CacheKey("b").ofPartialBody
      for (key, text) in [("a", "whole"), ("b", "half"), (part, "half")] {
        try await cache.store(entry(text), for: key)
      }
      let found = try await cache.verify(removesDamaged: true, isWhole: { $0 == Data("whole".utf8) }) { _ in }
      #expect(found.damagedFiles.map(\.lastPathComponent) == [file("b").lastPathComponent])
      #expect(try await cache.entry(for: "b") == nil)
      #expect(try await cache.entry(for: part) == entry("half"))
      #expect(try await cache.entry(for: "a") == entry("whole"))
    }
  }

  @Test func `an entry whose file was removed is not damaged, one that cannot be read is`() async throws {
    try await withCache { cache, file in
      try await cache.store(entry("a"), for: "a")
      try FileManager.default.removeItem(at: file("a"))
      let result = try await cache.verify()
      #expect(result.damagedFiles.isEmpty)
      #expect(result.checkedCount == 0)
      try await cache.store(entry("b"), for: "b")
      try BadEntry.linkToItself.make(for: "b", in: cache.layout)
      let unreadable = try await cache.verify(removesDamaged: true)
      #expect(unreadable.damagedFiles.map(\.lastPathComponent) == [file("b").lastPathComponent])
      #expect(unreadable.checkedCount == 1)
      #expect(unreadable.byteCount == 0)
      #expect(try await cache.count == 1, "it was removed from the index")
    }
  }

  @Test func `the body of a listed entry is read without use, also once it has expired`() async throws {
    try await withCache { cache, file in
      cache.configuration.expiration = .after(.seconds(3600))
      try await cache.store(entry("first"), for: "a")
      let listed = try #require(try await entries(in: cache).first)
      clock.advance(by: .seconds(3000))
      #expect(try await cache.body(of: listed) == Data("first".utf8))
      clock.advance(by: .seconds(3000))
      #expect(try await cache.entry(for: "a") == nil, "the read has not renewed the expiration")

      try await cache.store(entry("second"), for: "b")
      let old = try #require(try await entries(in: cache).first { $0.key == "b" })
      clock.advance(by: .seconds(7200))
      #expect(try await cache.body(of: old) == Data("second".utf8), "expired")
      try await cache.store(entry("third"), for: "b")
      #expect(try await cache.body(of: old) == nil, "replaced")
      let new = try #require(try await entries(in: cache).first { $0.key == "b" })
      var bytes = try Data(contentsOf: file("b"))
      bytes[bytes.count - 1] ^= 1
      try bytes.write(to: file("b"))
      #expect(try await cache.body(of: new) == nil, "damaged")
      try await cache.removeAll()
      #expect(try await cache.body(of: new) == nil, "removed")
    }
  }

  @Test func `a folder has a cache once something was stored`() async throws {
    try await withCache { cache, _ in
      #expect(!DiskCache.exists(in: cache.directory))
      try await cache.store(entry("a"), for: "a")
      #expect(DiskCache.exists(in: cache.directory))
    }
  }
}
