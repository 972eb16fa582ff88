import CHalcyonSystemShim
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

@Suite(.integrationTest)
struct NonblockingReadsTests {
  private let files = SystemFiles()
  private let stored = StoredEntry(body: Data(repeating: 7, count: 10_000), metadata: .example)

  /// Runs `body` with a cache folder that holds one entry, and the path of the entry's file.
  private func withEntry(_ body: (DiskLayout, _ path: String, NonblockingReads) throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      try await DiskCache(directory: folder).store(stored, for: "a")
      let layout = DiskLayout(root: folder.path())
      let reads = NonblockingReads()
      reads.checkSupport(of: layout.root, in: files)
      try body(layout, layout.entry(CacheKey("a").digest.bytes), reads)
    }
  }

  /// Whether the system and the file's file system support nonblocking reads.
  private func isPossible(_ path: String) -> Bool {
    let file = halcyon_open_cached(path)
    guard file >= 0 else { return false }
    defer { close(file) }
    var byte: UInt8 = 0
    return halcyon_read_cached(file, &byte, 1, 0) == 1
  }

  @Test func `an entry in the page cache is read without blocking where the system supports it`() async throws {
    try await withEntry { _, path, reads throws in
      // One attempt may fail: the system gives up when another file is moved at the same moment.
      let contents = (0..<100).compactMap { _ in reads.read(path: path, key: "a", in: files) }
      #expect(contents.isEmpty != (0..<100).contains { _ in isPossible(path) })
      #expect(contents.allSatisfy { $0.entry == stored })
    }
  }

  @Test func `a nonblocking read leaves the access date, so that no inode is written`() async throws {
    try await withEntry { _, path, reads throws in
      let times = [timespec(tv_sec: 1000, tv_nsec: 0), timespec(tv_sec: 2000, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, path, times, 0) == 0)
      for _ in 0..<100 { _ = reads.read(path: path, key: "a", in: files) }
      #if canImport(Glibc)
      #expect(try files.status(of: path).st_atim.tv_sec == 1000)
      #endif
    }
  }

  @Test func `nothing is read before the folder is known to be local`() async throws {
    try await withEntry { layout, path, _ throws in
      let reads = NonblockingReads()
      #expect(reads.read(path: path, key: "a", in: files) == nil)
      let failing = FailingFileSystem()
      failing.fail(all: [.status], with: .error(EIO))
      reads.checkSupport(of: layout.root, in: failing)
      #expect(reads.read(path: path, key: "a", in: files) == nil)
    }
  }

  @Test func `a file that is missing, damaged, large or of another key is left to blocking reads`() async throws {
    try await withEntry { layout, path, reads throws in
      #expect(reads.read(path: layout.root + "/none", key: "a", in: files) == nil)
      #expect(reads.read(path: path, key: "b", in: files) == nil)
      let large = Data(count: 300_000)
      for bytes in [Data("damaged".utf8), large] {
        try bytes.write(to: URL(filePath: path))
        #expect(reads.read(path: path, key: "a", in: files) == nil)
      }
    }
  }

  @Test func `a system without nonblocking reads is probed only once`() async throws {
    try await withEntry { _, path, reads throws in
      let failing = FailingFileSystem()
      failing.fail(all: [.open], with: .error(ENOSYS))
      #expect(reads.read(path: path, key: "a", in: failing) == nil)
      #expect(reads.read(path: path, key: "a", in: failing) == nil)
      #expect(failing.callCount == 1)
    }
  }

  @Test func `a read that would block falls back to a blocking read`() async throws {
    try await TemporaryDirectory.run { folder in
      let failing = FailingFileSystem()
      let cache = DiskCache(directory: folder, fileSystem: failing)
      try await cache.store(stored, for: "a")
      #expect(try await cache.entry(for: "a") == stored)
      failing.fail(call: 1, with: .error(EAGAIN))
      #expect(try await cache.entry(for: "a") == stored)
      #expect(cache.statistics.hits == 2)
      #expect(cache.statistics.misses.isEmpty)
    }
  }
}
