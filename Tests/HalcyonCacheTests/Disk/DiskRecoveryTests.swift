import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@_spi(Programs) @testable import HalcyonCache

/// Files and rows that killed writers leave behind.
@Suite(.integrationTest, .slow)
struct DiskRecoveryTests {
  private let files = SystemFiles()

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
    if step >= .written { try writer.write(id: id, date: Date(), to: path, in: files) }
    if step >= .intentRecorded { try session.writerLock.record(WriteIntent(id: id, digest: digest)) }
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
      let cache = DiskCache(directory: folder, time: TestClock())
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
      { try await $0.removeEntries(taggedWith: "trip") },
    ]
    for (remove, isReadBefore) in removals.flatMap({ [($0, true), ($0, false)] }) {
      try await TemporaryDirectory.run { folder in
        let cache = DiskCache(directory: folder, configuration: manualCleaning)
        #expect(try await cache.count == 0)
        try abandonWrite("x", for: "a", in: folder, after: .moved)
        if isReadBefore { #expect(try await cache.entry(for: "a") == entry("x")) }
        try await remove(cache)
        #expect(try await cache.entry(for: "a") == nil)
        try await cache.clean()
        #expect(try await cache.count == 0)
        #expect(try reservedBytes(in: folder) == 0)
      }
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
      try writer.write(id: row.id, date: Date(), to: layout.temporary(name), in: files)
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

  @Test func `killed writers leave the cache consistent`() async throws {
    let program = try #require(Bundle.main.executableURL).deletingLastPathComponent().appending(path: "halcyon-torture")
    #expect(try ChildProcess(program.path(), ["5"]).end() == .exit(0))
  }
}
