import Foundation
import HalcyonTesting
import TestSupport
import Testing

@testable import HalcyonCore

struct DiskRecoveryTests {
  private let files = SystemFiles()

  private func entry(_ text: String) -> StoredEntry {
    StoredEntry(body: Data(text.utf8), metadata: .example)
  }

  /// Stores an entry with a cache that does not tidy up on its own afterwards, before the test has made its mess.
  private func storeQuietly(_ text: String, for key: CacheKey, in folder: URL) async throws {
    var configuration = DiskCacheConfiguration()
    configuration.cleansOnItsOwn = false
    try await DiskCache(directory: folder, configuration: configuration).store(entry(text), for: key)
  }

  /// What a writer killed at some moment leaves: its row, and its file if it came that far.
  private func leaveHalfDone(
    _ text: String, for key: CacheKey, in folder: URL, isWritten: Bool = true, isMoved: Bool = false
  ) throws {
    let layout = DiskLayout(root: folder.path())
    let access = try IndexAccess(layout: layout, configuration: DiskCacheConfiguration(), in: files)
    let (draft, digest) = (BlobDraft(entry(text), key: key), key.digest.bytes)
    let request = DiskIndex.Request(
      digest: digest, byteCount: draft.diskByteCount, expiration: StoredExpiration(.never, at: Date()),
      labels: EntryLabels(key: key, metadata: .example), owner: access.owner.name, date: Date())
    guard
      case .made(let id, let isPinned, _) = try access.index.reserve(request, budget: DiskBudget(sizeLimit: 1 << 20))
    else {
      Issue.record("another writer is there")
      return
    }
    let path = layout.temporary(id)
    if isWritten {
      try draft.write(id: id, isPinned: isPinned, date: Date(), isDurable: false, to: path, in: files)
    }
    if isMoved {
      try files.makeFolder(layout.shard(of: digest))
      try files.move(path, to: layout.entry(digest))
    }
  }

  private func temporaries(in folder: URL) throws -> [String] {
    try files.names(in: DiskLayout(root: folder.path()).temporaries)
  }

  @Test(arguments: [false, true])
  func `what a killed writer was promised is given back`(isWritten: Bool) async throws {
    try await withTemporaryFolder { folder in
      try leaveHalfDone("half", for: "a", in: folder, isWritten: isWritten)
      let cache = DiskCache(directory: folder)
      #expect(try await cache.totalSize == 0)
      #expect(try await cache.entry(for: "a") == nil)
      #expect(try temporaries(in: folder).isEmpty)
      #expect(try files.names(in: DiskLayout(root: folder.path()).owners).count == 1, "only the living have locks")
    }
  }

  @Test func `a killed writer's entry that is in its place is taken in`() async throws {
    try await withTemporaryFolder { folder in
      try await storeQuietly("old", for: "a", in: folder)
      try leaveHalfDone("new", for: "a", in: folder, isMoved: true)
      let cache = DiskCache(directory: folder)
      #expect(try await cache.count == 1)
      #expect(try await cache.entry(for: "a") == entry("new"))
      #expect(try await cache.totalSize == 8192)
    }
  }

  @Test func `a killed writer's damaged entry goes with the one it replaced`() async throws {
    try await withTemporaryFolder { folder in
      try await storeQuietly("old", for: "a", in: folder)
      try leaveHalfDone("new", for: "a", in: folder, isMoved: true)
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
      try leaveHalfDone("half", for: "a", in: folder)
      try await cache.store(entry("whole"), for: "a")
      #expect(try await cache.entry(for: "a") == entry("whole"))
      try leaveHalfDone("half", for: "b", in: folder)
      try await cache.clean()
      #expect(try await cache.totalSize == 8192)
      #expect(try temporaries(in: folder).isEmpty)
    }
  }

  @Test func `a second writer of one key does not pass a living one`() async throws {
    try await withTemporaryFolder { folder in
      let layout = DiskLayout(root: folder.path())
      let access = try IndexAccess(layout: layout, configuration: DiskCacheConfiguration(), in: files)
      let request = DiskIndex.Request(
        digest: CacheKey("a").digest.bytes, byteCount: 8192, expiration: StoredExpiration(.never, at: Date()),
        labels: EntryLabels(key: "a", metadata: .example), owner: access.owner.name, date: Date())
      guard case .made(let id, _, _) = try access.index.reserve(request, budget: DiskBudget(sizeLimit: 1 << 20)) else {
        return
      }
      let cache = DiskCache(directory: folder)
      await #expect(throws: DiskCacheError.busy(path: layout.entry(request.digest))) {
        try await cache.store(entry("second"), for: "a")
      }
      try access.index.settle { _, other in other == id }
      try await cache.store(entry("second"), for: "a")
      #expect(try await cache.entry(for: "a") == entry("second"))
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
      let orphan = layout.shard(kept[0]) + "/" + DiskLayout.name([kept[0]] + [UInt8](repeating: 0, count: 15))
      try Data(count: 100).write(to: URL(filePath: orphan))
      try Data(count: 100).write(to: URL(filePath: layout.temporary(77)))
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
