import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonImaging
@testable import HalcyonHTTP
@_spi(Programs) @testable import HalcyonCache

/// The format of the disk cache against files that are kept.
@Suite(.integrationTest)
struct DiskFixtureTests {
  private static let advice: Comment =
    "The format of the disk cache has changed: bump the format in DiskLayout, and see Fixtures/README.md."

  private let clock = TestClock()

  /// Entries with a value in every property, without any, and with an expiration and a pin.
  private var entries: [(key: CacheKey, entry: StoredEntry, isPinned: Bool)] {
    get throws {
      let date = Date(timeIntervalSince1970: 1_700_000_000.25)
      let variant = try #require(VaryKey(of: ["Vary": "Accept"], requestHeaders: ["Accept": "image/avif"]))
      let hash = try #require(Data(base64Encoded: "1QcSHQRnh493V4dIh4eXh1h4kJUI"))
      var full = EntryMetadata(
        url: URL(string: "https://cdn.example/a.jpg?b=1"), status: 203,
        headers: ["Content-Type": "image/jpeg", "ETag": "\"ä\"", "Cache-Control": "max-age=60"],
        requestDate: date, responseDate: date + 1, expiration: .date(date + 1e9), tags: ["trip", "2026"],
        placeholder: ThumbHash(bytes: hash), userInfo: Data([0, 255]))
      (full.variant, full.variants, full.original) = (variant, [variant], OriginalMark(received: date + 1, hash: 7))
      full.redirects = [
        EntryMetadata.Redirect(
          status: 302, headers: ["Location": "/ä", "Cache-Control": "max-age=9"], requestDate: date - 2,
          responseDate: date - 1)
      ]
      let plain = EntryMetadata(requestDate: date, responseDate: date)
      var timed = plain
      timed.expiration = .after(.seconds(1e9))
      return [
        ("|url=21:https://example.com/a|size=3:1x1", StoredEntry(body: Data("body".utf8), metadata: full), false),
        ("plain", StoredEntry(body: Data(), metadata: plain), false),
        ("|key=4:a/é|header=1:b", StoredEntry(body: Data(repeating: 7, count: 5000), metadata: timed), true),
      ]
    }
  }

  private func withFixture(_ body: (_ folder: URL) async throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      let name = "disk-\(DiskCache.format)"
      let fixture = Bundle.module.bundleURL.appending(path: "Fixtures/\(name)")
      try #require(FileManager.default.fileExists(atPath: fixture.path()), "There is no fixture of the format.")
      let version = DiskLayout(root: folder.path()).version
      try FileManager.default.copyItem(atPath: fixture.path(), toPath: version)
      try await body(folder)
    }
  }

  /// Makes a cache with the entries, whose index is in one file.
  private func makeCache(in folder: URL) async throws {
    do {
      let cache = cache(folder, isRepairing: true)
      for (key, entry, isPinned) in try entries {
        try await cache.store(entry, for: key)
        if isPinned { try await cache.setPinned(true, for: key) }
      }
      await cache.willEnterBackground()
    }
    try DiskIndex(layout: DiskLayout(root: folder.path()), in: SystemFiles()).checkpoint()
  }

  private func cache(_ folder: URL, isRepairing: Bool) -> DiskCache {
    var configuration = DiskCacheConfiguration(expiration: .never, cleaning: .whenAsked)
    configuration.isRepairing = isRepairing
    return DiskCache(directory: folder, configuration: configuration, time: clock)
  }

  /// All rows of the index.
  private func rows(_ folder: URL) throws -> [String] {
    let database = try DiskIndex(layout: DiskLayout(root: folder.path()), in: SystemFiles()).database
    return try ["sqlite_master", "entry", "tag", "writer", "total"].flatMap { table in
      let columns = table == "sqlite_master" ? "type, name, sql" : "*"
      return try database.run("SELECT \(columns) FROM \(table) ORDER BY 1, 2").map { "\(table): \($0)" }
    }
  }

  @Test func `entries and an index that were written in this format are read`() async throws {
    try await withFixture { folder in
      let cache = cache(folder, isRepairing: false)
      #expect(try await cache.count == 3, Self.advice)
      for (key, entry, isPinned) in try entries {
        #expect(try await cache.entry(for: key) == entry, Self.advice)
        let listed = try await cache.entries.first { $0.key == key }
        #expect(listed?.isPinned == isPinned, Self.advice)
      }
      #expect(try await cache.verify().damagedFiles.isEmpty, Self.advice)
      #expect(try await cache.removeEntries(taggedWith: "trip") == 1, Self.advice)
      #expect(try await cache.removeEntries(ofSource: "a/é") == 1, Self.advice)
    }
  }

  @Test func `the same entries are written with the same bytes and rows`() async throws {
    try await TemporaryDirectory.run { made in
      try await makeCache(in: made)
      let layout = DiskLayout(root: made.path())
      if ProcessInfo.processInfo.environment["HALCYON_WRITE_FIXTURES"] != nil {
        let target = URL(filePath: #filePath).deletingLastPathComponent()
          .appending(path: "../Fixtures/disk-\(DiskCache.format)").standardized
        try? FileManager.default.removeItem(at: target)
        try FileManager.default.copyItem(atPath: layout.version, toPath: target.path())
        for name in ["gate", "own", "tmp", "index.db-wal", "index.db-shm"] {
          try? FileManager.default.removeItem(at: target.appending(path: name))
        }
        return
      }
      try await withFixture { fixture in
        for (key, _, _) in try entries {
          let written = try Data(contentsOf: URL(filePath: layout.entry(key.digest.bytes)))
          let path = DiskLayout(root: fixture.path()).entry(key.digest.bytes)
          #expect(try Data(contentsOf: URL(filePath: path)) == written, Self.advice)
        }
        #expect(try rows(fixture) == rows(made), Self.advice)
      }
    }
  }
}
