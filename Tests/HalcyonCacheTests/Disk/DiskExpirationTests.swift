import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

/// The uses of entries that a disk cache records, and when entries expire.
@Suite(.integrationTest)
struct DiskExpirationTests {
  private let clock = TestClock()

  @Test func `an entry expires a week after it was last read`() async throws {
    try await DiskCache.run(time: clock) { cache in
      try await cache.store(entry("read", expiration: nil), for: "read")
      try await cache.store(entry("left", expiration: nil), for: "left")
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
      try await DiskCache(directory: folder, time: clock).store(entry("a", expiration: nil), for: "a")
      for _ in 0..<3 {
        clock.advance(by: .seconds(6 * 86_400))
        let cache = ImageCache(store: DiskCache(directory: folder, time: clock))
        #expect(try await cache.store?.entry(for: "a") != nil)
        await cache.flush()
      }
    }
  }

  @Test func `a read renews the expiration before it is saved in the file`() async throws {
    try await DiskCache.run(.init(cleaning: .whenAsked), time: clock) { cache in
      try await cache.store(entry("a", expiration: .after(.seconds(60))), for: "a")
      for _ in 0..<2 {
        clock.advance(by: .seconds(50))
        #expect(try await cache.containsEntry(for: "a"))
        #expect(try await cache.entry(for: "a") != nil)
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

  @Test func `pinning does not renew the expiration of an entry, updating its metadata does`() async throws {
    try await DiskCache.run(time: clock) { cache in
      for key in ["pinned", "renewed"] as [CacheKey] {
        try await cache.store(entry(key.text, expiration: nil), for: key)
      }
      clock.advance(by: .seconds(6 * 86_400))
      try await cache.setPinned(true, for: "pinned")
      try await cache.updateMetadata(entry("", expiration: nil).metadata, for: "renewed")
      clock.advance(by: .seconds(2 * 86_400))
      try await cache.removeExpired()
      #expect(try await cache.entry(for: "pinned") == nil)
      clock.advance(by: .seconds(4 * 86_400))
      try await cache.removeExpired()
      #expect(try await cache.entry(for: "renewed") != nil)
    }
  }

  @Test(arguments: [CacheExpiration.after(.seconds(Int64.max)), .days(.max), .date(.distantFuture), .never])
  func `an expiration may exceed the range of the clock`(expiration: CacheExpiration) async throws {
    try await DiskCache.run(time: clock) { cache in
      try await cache.store(entry("own", expiration: expiration), for: "own")
      try await cache.store(entry("updated"), for: "updated")
      try await cache.updateMetadata(entry("updated", expiration: expiration).metadata, for: "updated")
      await cache.willEnterBackground()
      clock.advance(by: .seconds(10 * 365 * 86_400))
      #expect(try await cache.entry(for: "own") != nil)
      #expect(try await cache.entry(for: "updated") != nil)
    }
  }

  @Test func `a listed entry has the date on which it expires`() async throws {
    try await DiskCache.run(time: clock) { cache in
      cache.configuration.cleaning = .whenAsked
      let start = clock.now()
      let cases: [(CacheKey, CacheExpiration?, Date?, isExpired: Bool)] = [
        ("never", .never, nil, false), ("date", .date(start + 5), start + 5, true),
        ("now", .date(start + 6), start + 6, true),
        ("sliding", .after(.seconds(60)), start + 60, false), ("default", nil, start + 7 * 86_400, false),
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
      #expect(try await cache.removeEntries { $0.isExpired } == 2)
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
      #expect(unused.hitCount == 0)
      #expect(unused.lastUseDate == start)
      var read = try #require(try await listed()["read"])
      #expect(read.hitCount == 5)
      #expect(read.lastUseDate == start + 120)
      #expect(read.storedDate == start)
      // Pins and new metadata keep the count, a new image does not.
      try await cache.setPinned(true, for: "read")
      clock.advance(by: .seconds(60))
      var metadata = entry("read").metadata
      try await cache.updateMetadata(metadata, for: "read")
      await cache.flushAccesses()
      #expect(try await listed()["read"]?.isPinned == true)
      // Too much for the place that it has, so that the file is written anew.
      metadata.headers["X"] = String(repeating: "x", count: 1000)
      #expect(try await cache.updateMetadata(metadata, for: "read"))
      read = try #require(try await listed()["read"])
      #expect(read.hitCount == 5)
      #expect(read.isPinned)
      #expect(read.lastUseDate == start + 180)
      #expect(read.storedDate == start)
      try await cache.store(entry("read"), for: "read")
      #expect(try await listed()["read"]?.hitCount == 0)
    }
  }

  @Test func `a use that is being saved is known until it is, also if the entry is used again meanwhile`() {
    var accesses = PendingAccesses()
    let start = clock.now()
    for (seconds, key) in [(1, "a"), (2, "b"), (3, "a")] as [(Double, CacheKey)] {
      _ = accesses.record(Access(at: start + seconds), for: key)
    }
    let first = accesses.beginFlush()
    #expect(first.map { $0.key } == ["b", "a"])
    #expect(first.map { $0.access.readCount } == [1, 2])
    #expect(accesses.access(for: "a")?.date == start + 3, "it is not saved yet")
    _ = accesses.record(Access(at: start + 4), for: "a")
    let second = accesses.beginFlush()
    accesses.endFlush(first)
    #expect(accesses.access(for: "b")?.date == nil)
    #expect(accesses.access(for: "a")?.date == start + 4)
    accesses.endFlush(second)
    #expect(accesses.access(for: "a")?.date == nil)
  }

  @Test func `reads reach the order of eviction within seconds, without a write`() async throws {
    try await DiskCache.run(time: clock) { cache in
      for key in ["a", "b"] as [CacheKey] { try await cache.store(entry(key.text), for: key) }
      #expect(try await cache.entry(for: "a") != nil)
      func order() throws -> [[UInt8]?] {
        let index = try DiskIndex(layout: cache.layout, in: SystemFiles())
        return try index.database.run("SELECT digest FROM entry ORDER BY sequence").map { $0[0].blob }
      }
      let (a, b) = (CacheKey("a").digest.bytes, CacheKey("b").digest.bytes)
      #expect(try order() == [a, b])
      // The cleaning timer, the flush, and the closing of the index.
      await clock.waitForSleepers(3)
      clock.advance(by: .seconds(5))
      while try order() != [b, a] { try await Task.yieldUnlessCancelled() }
    }
  }
}
