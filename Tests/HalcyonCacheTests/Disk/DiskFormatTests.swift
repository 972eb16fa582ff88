import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@_spi(Programs) @testable import HalcyonCache

/// Versions of the library with different formats of the files that use one folder.
@Suite(.integrationTest)
struct DiskFormatTests {
  private static let newer = DiskCache.format + 1

  private let files = SystemFiles()
  private let clock = TestClock()

  private func entry(_ text: String) -> StoredEntry {
    var metadata = EntryMetadata.example
    metadata.expiration = .never
    return StoredEntry(body: Data(text.utf8), metadata: metadata)
  }

  @Test(arguments: [(1, 2, 1), (2, 1, 0), (.max - 1, .max, 1), (.max, 0, 1), (0, .max, 0)] as [(UInt32, UInt32, Int)])
  func `the newer of two slots of metadata is read, also when their numbers start anew`(
    first: UInt32, second: UInt32, newest: Int
  ) throws {
    let slots = try [first, second].map { generation in
      try #require(MetadataSlot(generation: generation, isPinned: false, payload: [1]).encoded(slotByteCount: 512))
    }
    let found = slots.joined().map { $0 }.withUnsafeBytes { MetadataSlot.newest($0, slotByteCount: 512) }
    #expect(found?.index == newest)
  }

  private func cache(
    _ folder: URL, format: Int = DiskCache.format, isRepairing: Bool = true
  ) -> DiskCache {
    var configuration = DiskCacheConfiguration(cleaning: .whenAsked)
    configuration.isRepairing = isRepairing
    return DiskCache(directory: folder, configuration: configuration, time: clock, format: format)
  }

  /// The contents of all files in a folder but the locks, whose names differ with each process.
  private func contents(of folder: URL) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path()) where !path.hasSuffix(".lock") {
      let file = folder.appending(path: path)
      if try files.status(of: file.path()).isRegularFile { contents[path] = try Data(contentsOf: file) }
    }
    return contents
  }

  @Test func `processes of two versions that alternate on a folder each find their own entries`() async throws {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: "halcyon-torture")
    try await TemporaryDirectory.run { folder async throws in
      func visit(_ format: Int, _ key: String) throws -> ChildProcess.End {
        try ChildProcess(program.path(), ["visit", folder.path(), "\(format)", key]).end()
      }
      for format in [DiskCache.format, Self.newer] { #expect(try visit(format, "a") == .exit(0)) }
      for _ in 0..<2 {
        for format in [DiskCache.format, Self.newer] { #expect(try visit(format, "a") == .exit(3)) }
      }
      #expect(try visit(Self.newer, "b") == .exit(0))
      #expect(try visit(DiskCache.format, "b") == .exit(0), "entries of another version are not found")
      #expect(DiskCache.formats(in: folder) == [DiskCache.format, Self.newer])
    }
  }

  @Test func `a version uses the folder of its own format, and leaves all others as they are`() async throws {
    try await TemporaryDirectory.run { folder in
      do { for format in 1...3 { try await cache(folder, format: format).store(entry("\(format)"), for: "a") } }
      try FileManager.default.createDirectory(
        at: folder.appending(path: "v4/photos"), withIntermediateDirectories: true)
      let before = try contents(of: folder).filter { !$0.key.hasPrefix("v2/") }
      clock.advance(by: .seconds(1000 * 86_400))
      do {
        let cache = DiskCache(directory: folder, time: clock, format: 2)
        #expect(try await cache.entry(for: "a") == entry("2"))
        try await cache.clean()
        try await cache.removeAll()
        await clock.waitForSleepers()
        #expect(cache.statistics.errors == 0)
      }
      #expect(try contents(of: folder).filter { !$0.key.hasPrefix("v2/") } == before)
      #expect(DiskCache.formats(in: folder) == [1, 2, 3])
    }
  }

  @Test func `an index of a newer format in the folder of this one is neither read nor changed`() async throws {
    try await TemporaryDirectory.run { folder in
      do {
        let cache = cache(folder)
        for key in ["a", "b"] as [CacheKey] { try await cache.store(entry(key.text), for: key) }
      }
      let layout = DiskLayout(root: folder.path())
      do {
        let index = try DiskIndex(layout: layout, in: files)
        try index.database.run("ALTER TABLE entry ADD COLUMN color TEXT")
        try index.database.run("PRAGMA user_version=\(Self.newer)")
        try index.checkpoint()
        for key in ["a", "b"] as [CacheKey] {
          try FileDescriptor(path: layout.entry(key.digest.bytes), flags: O_WRONLY).write(Data([200]), at: 4)
        }
      }
      let before = try contents(of: folder)
      let cache = cache(folder)
      let error = DiskCacheError.newerFormat(path: layout.index, format: Self.newer)
      await #expect(throws: error) { try await cache.store(entry("c"), for: "c") }
      await #expect(throws: error) { try await cache.removeAll() }
      await #expect(throws: error) { try await cache.clean() }
      #expect(try await cache.entry(for: "a") == nil)
      cache.willTerminate()
      await cache.willEnterBackground()
      #expect(try contents(of: folder) == before)
      #expect("\(error)".contains("format \(Self.newer) of a newer version"))
    }
  }

  @Test(arguments: [Data(repeating: 7, count: 5000), nil])
  func `a cache that does not repair changes nothing, whatever its index is`(damage: Data?) async throws {
    try await TemporaryDirectory.run { folder in
      do { try await cache(folder).store(entry("a"), for: "a") }
      let layout = DiskLayout(root: folder.path())
      for suffix in ["", "-wal", "-shm"] { try files.remove(layout.index + suffix) }
      try damage?.write(to: URL(filePath: layout.index))
      let before = try contents(of: folder)
      let reading = cache(folder, isRepairing: false)
      await #expect(throws: DiskCacheError.self) { try await reading.count }
      await #expect(throws: DiskCacheError.self) { for try await _ in reading.entries {} }
      await #expect(throws: DiskCacheError.self) { _ = try await reading.verify() }
      #expect(try contents(of: folder) == before)
      #expect(try await cache(folder).count == 1, "another one rebuilds it")
    }
  }

  @Test func `a cache that does not repair recovers no killed writer`() async throws {
    try await TemporaryDirectory.run { folder in
      let layout = DiskLayout(root: folder.path())
      do {
        let cache = cache(folder)
        try await cache.store(entry("a"), for: "a")
        _ = try await cache.writer.withIndex { index throws(DiskCacheError) in
          try index.database.run("INSERT INTO writer VALUES('17-a.lock', 8192)")
        }
      }
      try Data(count: 100).write(to: URL(filePath: layout.temporary("17-a.lock")))
      let reading = cache(folder, isRepairing: false)
      #expect(try await reading.count == 1)
      #expect(access(layout.temporary("17-a.lock"), F_OK) == 0)
      #expect(try await cache(folder).count == 1)
      #expect(access(layout.temporary("17-a.lock"), F_OK) != 0)
    }
  }
}
