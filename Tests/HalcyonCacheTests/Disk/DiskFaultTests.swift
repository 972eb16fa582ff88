import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@_spi(Programs) @testable import HalcyonCache

/// Fails the first, the second, … system call of an operation, until the operation has no such call.
@Suite(.integrationTest, .slow)
struct DiskFaultTests {
  enum Operation: String, CaseIterable {
    case open, storeNew, replace, evict, read, readTwice, updateMetadata, pin, remove, removeAll, clean,
      list

    func run(on cache: DiskCache) async throws {
      switch self {
      case .open: _ = try await cache.count
      case .storeNew: try await cache.store(DiskFaultTests.new, for: "new")
      case .replace: try await cache.store(DiskFaultTests.new, for: "old")
      case .evict: try await cache.store(DiskFaultTests.large, for: "large")
      case .read: _ = try await cache.entry(for: "old")
      case .readTwice:
        _ = try await cache.entry(for: "old")
        // Now without blocking, where the system supports it.
        _ = try await cache.entry(for: "old")
      case .updateMetadata: _ = try await cache.updateMetadata(DiskFaultTests.changed, for: "old")
      case .pin: try await cache.setPinned(true, for: "old")
      case .remove: try await cache.removeEntry(for: "old")
      case .removeAll: try await cache.removeAll()
      case .clean: try await cache.clean()
      case .list: for try await _ in cache.entries {}
      }
    }
  }

  static var old: StoredEntry { StoredEntry(body: Data(repeating: 1, count: 10_000), metadata: .example) }
  static var new: StoredEntry { StoredEntry(body: Data(repeating: 2, count: 20_000), metadata: .example) }
  static var large: StoredEntry { StoredEntry(body: Data(repeating: 3, count: 50_000), metadata: .example) }
  static var changed: EntryMetadata {
    var metadata = EntryMetadata.example
    metadata.tags = ["changed"]
    return metadata
  }

  static let failures: [FailingFileSystem.Failure] = [
    .error(ENOSPC), .error(EIO), .error(EACCES), .error(EINTR), .error(EMFILE), .shortTransfer,
  ]

  private let sizeLimit = 80_000

  @Test(arguments: Operation.allCases, failures)
  func `after any failed system call, entries are intact or absent`(
    operation: Operation, failure: FailingFileSystem.Failure
  ) async throws {
    var number = 1
    while try await TemporaryDirectory.run({ folder in
      try await hasFailed(operation, atCall: number, with: failure, in: folder)
    }) {
      number += 1
      #expect(number < 400)
    }
    #expect(number > 3 || failure == .shortTransfer, "calls were made")
  }

  private func hasFailed(
    _ operation: Operation, atCall number: Int, with failure: FailingFileSystem.Failure, in folder: URL
  ) async throws -> Bool {
    let files = FailingFileSystem()
    var configuration = DiskCacheConfiguration(sizeLimit: sizeLimit)
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    let cache = DiskCache(directory: folder, configuration: configuration, time: TestClock(), fileSystem: files)
    if operation != .open {
      try await cache.store(Self.old, for: "old")
      try await cache.store(Self.old, for: "other")
    }
    files.fail(call: number, with: failure)
    var hasThrown = false
    do { try await operation.run(on: cache) } catch {
      hasThrown = true
      #expect(error is DiskCacheError)
    }
    let hasFailed = files.hasFailed
    #expect(hasFailed || !hasThrown, "an operation throws only if a call failed")
    // Interrupted calls are retried, and short transfers are completed.
    if failure == .error(EINTR) || failure == .shortTransfer { #expect(!hasThrown) }
    files.clearFailures()
    try await checkEntries(of: cache, after: "\(operation), call \(number), \(failure)")
    try checkTotals(in: folder)
    return hasFailed
  }

  private func checkEntries(of cache: DiskCache, after situation: String) async throws {
    try await cache.store(Self.new, for: "later")
    #expect(try await cache.entry(for: "later") == Self.new, "\(situation)")
    for key in ["old", "other", "new", "large"] as [CacheKey] {
      guard let entry = try await cache.entry(for: key) else { continue }
      #expect([Self.old.body, Self.new.body, Self.large.body].contains(entry.body), "\(situation)")
      #expect([EntryMetadata.example, Self.changed].contains(entry.metadata), "\(situation)")
    }
    #expect(cache.statistics.misses[.damaged] == nil, "\(situation)")
    #expect(try await cache.totalSize <= sizeLimit, "\(situation)")
  }

  private func checkTotals(in folder: URL) throws {
    let layout = DiskLayout(root: folder.path())
    let index = try DiskIndex(layout: layout, in: SystemFiles())
    let sum = try index.database.number("SELECT coalesce(sum(bytes), 0) FROM entry")
    #expect(try index.total().byteCount == Int(sum))
    #expect(try index.database.number("SELECT count(*) FROM writer") <= 1, "only active writers hold reservations")
    #expect(try SystemFiles().names(in: layout.temporaries).isEmpty)
    var physicalSize = 0
    for shard in UInt8.min...UInt8.max {
      for name in try SystemFiles().names(in: layout.shard(shard)) {
        let size = try SystemFiles().status(of: layout.shard(shard) + "/" + name).st_size
        physicalSize += EntryFile.diskByteCount(fileByteCount: Int(size))
      }
    }
    #expect(physicalSize <= Int(sum))
  }

  @Test func `on a full disk the cache evicts, retries, and then throws`() async throws {
    try await TemporaryDirectory.run { folder in
      let files = FailingFileSystem()
      let cache = DiskCache(directory: folder, fileSystem: files)
      for key in ["1", "2", "3", "4"] as [CacheKey] { try await cache.store(Self.old, for: key) }
      files.fail(all: [.write], with: .error(ENOSPC))
      let error = await #expect(throws: DiskCacheError.self) { try await cache.store(Self.old, for: "5") }
      #expect(error?.systemCode == ENOSPC)
      files.clearFailures()
      #expect(cache.statistics.evictions == [.size: 2])
      #expect(cache.statistics.errors == 1)
      #expect(try await cache.count == 2)
      #expect(try await cache.entry(for: "4") == Self.old)
      try await cache.store(Self.old, for: "5")
      #expect(try await cache.entry(for: "5") == Self.old)
    }
  }

  @Test(arguments: [EROFS, EACCES])
  func `a folder that cannot be written to can still be read`(code: Int32) async throws {
    try await TemporaryDirectory.run { folder in
      try await DiskCache(directory: folder).store(Self.old, for: "old")
      let files = FailingFileSystem()
      files.fail(
        all: [.write, .makeFolder, .rename, .unlink, .setTimes, .lock, .begin, .commit], with: .error(code))
      let cache = DiskCache(directory: folder, fileSystem: files)
      #expect(try await cache.entry(for: "old") == Self.old)
      let error = await #expect(throws: DiskCacheError.self) { try await cache.store(Self.old, for: "new") }
      #expect(error?.systemCode == code)
    }
  }

  @Test(arguments: [EIO, EMFILE])
  func `a failed read is an error, is counted, and removes no entry`(code: Int32) async throws {
    try await TemporaryDirectory.run { folder in
      let files = FailingFileSystem()
      let cache = DiskCache(directory: folder, fileSystem: files)
      try await cache.store(Self.old, for: "old")
      files.fail(all: [.open, .read], with: .error(code))
      let error = await #expect(throws: DiskCacheError.self) { try await cache.entry(for: "old") }
      #expect(error?.systemCode == code)
      #expect(cache.statistics.misses[.failed] == 1)
      files.clearFailures()
      #expect(try await cache.entry(for: "old") == Self.old)
    }
  }

  /// As on a device that has not been unlocked since its start.
  @Test(arguments: [false, true])
  func `entries whose files cannot be opened yet are all back once they can`(isOpenBefore: Bool) async throws {
    try await TemporaryDirectory.run { folder in
      let keys = (0..<20).map { CacheKey("\($0)") }
      do {
        let cache = DiskCache(directory: folder)
        for key in keys { try await cache.store(Self.old, for: key) }
      }
      let files = FailingFileSystem()
      let cache = DiskCache(directory: folder, fileSystem: files)
      if isOpenBefore { #expect(try await cache.count == 20) }
      files.fail(all: [.open], with: .error(EPERM))
      for key in keys {
        let entry = try? await cache.entry(for: key)
        #expect(entry == nil)
      }
      _ = try? await cache.clean()
      _ = try? await cache.removeEntries(taggedWith: "none")
      do { for try await entry in cache.entries { Issue.record("\(entry.key)") } } catch {}
      files.clearFailures()
      #expect(try await cache.count == 20)
      for key in keys { #expect(try await cache.entry(for: key) == Self.old) }
    }
  }

  @Test(.enabled(if: SmallDisk.isAvailable))
  func `a file system that is actually full damages no entry`() async throws {
    try await SmallDisk.run(byteCount: 1 << 20) { folder in
      let cache = DiskCache(directory: folder)
      var storedCount = 0
      for number in 0..<100 {
        do {
          try await cache.store(Self.large, for: CacheKey("\(number)"))
          storedCount += 1
        } catch { #expect((error as? DiskCacheError)?.systemCode == ENOSPC) }
      }
      #expect(storedCount > 50)
      #expect(cache.statistics.evictions[.size, default: 0] > 50)
      for number in 0..<100 {
        if let entry = try await cache.entry(for: CacheKey("\(number)")) { #expect(entry == Self.large) }
      }
      #expect(cache.statistics.misses[.damaged] == nil)
      try checkTotals(in: folder)
    }
  }
}

/// A file system of a given small size, where mounting one is permitted.
enum SmallDisk {
  #if os(Linux)
  static let isAvailable: Bool = {
    guard geteuid() == 0 else { return false }
    let folder = FileManager.default.temporaryDirectory.appending(path: "halcyon-\(UUID().uuidString)").path()
    defer { rmdir(folder) }
    guard mkdir(folder, 0o700) == 0, mount(folder, byteCount: 1 << 20) else { return false }
    return umount(folder) == 0
  }()

  static func run(byteCount: Int, _ body: (URL) async throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      guard mount(folder.path(), byteCount: byteCount) else { return }
      defer { umount2(folder.path(), Int32(MNT_DETACH)) }
      try await body(folder)
    }
  }

  private static func mount(_ path: String, byteCount: Int) -> Bool {
    Glibc.mount("tmpfs", path, "tmpfs", 0, "size=\(byteCount)") == 0
  }
  #else
  static let isAvailable = false

  static func run(byteCount: Int, _ body: (URL) async throws -> Void) async throws {}
  #endif
}
