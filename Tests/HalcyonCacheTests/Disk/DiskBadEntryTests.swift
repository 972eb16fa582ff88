import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

/// Something in place of an entry file that cannot be read or removed like one.
enum BadEntry: CaseIterable {
  case folder, fullFolder, linkToItself, fileInPlaceOfShard

  func make(for key: CacheKey, in layout: DiskLayout) throws {
    let (files, path) = (SystemFiles(), layout.entry(key.digest.bytes))
    try files.remove(path)
    switch self {
    case .folder: try files.makeFolder(path)
    case .fullFolder: try files.makeFolder(path + "/inside")
    case .linkToItself:
      try files.makeFolder(layout.shard(of: key.digest.bytes))
      try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
    case .fileInPlaceOfShard:
      let shard = layout.shard(of: key.digest.bytes)
      try? FileManager.default.removeItem(atPath: shard)
      try Data("x".utf8).write(to: URL(filePath: shard))
    }
  }
}

/// One entry that cannot be read or removed does not affect the others.
@Suite(.integrationTest)
struct DiskBadEntryTests {
  private let keys = (0..<20).map { CacheKey("\($0)") }

  private func entry(_ key: CacheKey) -> StoredEntry {
    StoredEntry(body: Data("body of \(key.text)".utf8), metadata: .example)
  }

  private func cache(_ folder: URL, fileSystem: any FileSystem = SystemFiles()) -> DiskCache {
    DiskCache(
      directory: folder, configuration: DiskCacheConfiguration(cleaning: .whenAsked), fileSystem: fileSystem)
  }

  /// Operations that must succeed in a new cache object.
  private var operations: [(DiskCache) async throws -> Void] {
    [
      { try await $0.store(entry("new"), for: "new") }, { _ = try await $0.count },
      { try await $0.setPinned(true, for: keys[3]) }, { try await $0.updateMetadata(.example, for: keys[3]) },
      { cache in for try await _ in cache.entries {} }, { try await $0.removeEntries { _ in false } },
      { try await $0.removeExpired() }, { try await $0.clean() }, { try await $0.trim() },
      { try await $0.removeEntries(taggedWith: "none") }, { try await $0.removeEntry(for: keys[3]) },
    ]
  }

  @Test(arguments: BadEntry.allCases, [false, true])
  func `a bad entry affects no other, whether the index is intact or rebuilt`(
    badEntry: BadEntry, isRebuilt: Bool
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let layout = DiskLayout(root: folder.path())
      do {
        let cache = cache(folder)
        for key in keys { try await cache.store(entry(key), for: key) }
      }
      try badEntry.make(for: keys[3], in: layout)
      let found = keys.filter {
        $0 != keys[3] && layout.shard(of: $0.digest.bytes) != layout.shard(of: keys[3].digest.bytes)
      }
      for (number, operation) in operations.enumerated() {
        if isRebuilt { for suffix in ["", "-wal", "-shm"] { try SystemFiles().remove(layout.index + suffix) } }
        let cache = cache(folder)
        do { try await operation(cache) } catch { Issue.record("operation \(number): \(error)") }
        for key in found { #expect(try await cache.entry(for: key) == entry(key)) }
      }
      let cache = cache(folder)
      #expect(try await cache.removeEntries(taggedWith: "trip") >= found.count)
      try await cache.removeAll()
      #expect(try await cache.count == 0)
      #expect(try await cache.totalSize == 0)
      for key in found { #expect(try await cache.entry(for: key) == nil) }
      let remaining = FileManager.default.enumerator(atPath: layout.entries)?.compactMap { $0 as? String } ?? []
      for name in remaining where !name.hasSuffix("inside") {
        #expect(try SystemFiles().status(of: layout.entries + "/" + name).isFolder, "\(name) was removed")
      }
    }
  }

  @Test func `a damaged file that is not in the index is removed once it has been read`() async throws {
    try await DiskCache.run { cache in
      try await cache.store(entry(keys[0]), for: keys[0])
      try cache.fileSystem.makeFolder(cache.layout.shard(of: keys[1].digest.bytes))
      try Data(count: 1000).write(to: URL(filePath: cache.path(of: keys[1])))
      for miss in [CacheMiss.damaged, .absent] { #expect(try await cache.lookUp(keys[1]).miss == miss) }
      try await cache.writer.removeDamaged(keys[0].digest.bytes)
      #expect(try await cache.entry(for: keys[0]) == entry(keys[0]), "a whole one that has replaced it stays")
    }
  }

  @Test(arguments: BadEntry.allCases) func `a bad entry is a miss or an error, and can be replaced by an entry`(
    badEntry: BadEntry
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let cache = cache(folder)
      try await cache.store(entry("a"), for: "a")
      try badEntry.make(for: "a", in: DiskLayout(root: folder.path()))
      #expect((try? await cache.entry(for: "a")) == nil)
      switch badEntry {
      case .linkToItself, .fileInPlaceOfShard:
        try await cache.store(entry("b"), for: "a")
        #expect(try await cache.entry(for: "a") == entry("b"))
      case .folder, .fullFolder:
        await #expect(throws: DiskCacheError.self) { try await cache.store(entry("b"), for: "a") }
      }
      try await cache.store(entry("b"), for: "b")
      #expect(try await cache.entry(for: "b") == entry("b"))
    }
  }

  /// An operation that removes all expired entries.
  enum Removal: CaseIterable {
    case all, expired, cleaning

    func run(on cache: DiskCache) async throws {
      switch self {
      case .all: try await cache.removeAll()
      case .expired: try await cache.removeExpired()
      case .cleaning: try await cache.clean()
      }
    }
  }

  @Test(arguments: Removal.allCases, [1, 8, 9])
  func `up to eight entries whose files cannot be removed do not keep others from being removed`(
    removal: Removal, count: Int
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let files = FailingRemoval(failureCount: count)
      let cache = cache(folder, fileSystem: files)
      for key in keys {
        var entry = entry(key)
        entry.metadata.expiration = .date(.distantPast)
        try await cache.store(entry, for: key)
      }
      // A cleaning first releases the reservation, which removes the temporary file.
      files.callsBeforeFailure.withLock { $0 = removal == .cleaning ? 1 : 0 }
      let error = await #expect(throws: DiskCacheError.self) { try await removal.run(on: cache) }
      #expect(error?.systemCode == EIO)
      #expect(try await cache.count == (count > 8 ? keys.count : count))
      try await removal.run(on: cache)
      #expect(try await cache.count == 0)
    }
  }

  @Test(arguments: [1, 7, 8])
  func `an eviction goes on with the next entry until the eighth whose file cannot be removed`(count: Int) async throws
  {
    try await TemporaryDirectory.run { folder in
      let files = FailingRemoval(failureCount: count)
      let cache = cache(folder, fileSystem: files)
      for key in keys { try await cache.store(entry(key), for: key) }
      cache.configuration.sizeLimit = try await cache.totalSize - 1
      // The reservation is released first, which removes its file.
      files.callsBeforeFailure.withLock { $0 = 1 }
      if count == 8 {
        await #expect(throws: DiskCacheError.self) { try await cache.trim() }
        #expect(try await cache.count == keys.count)
      } else {
        try await cache.trim()
        for key in keys.prefix(count) { #expect(try await cache.entry(for: key) != nil) }
        #expect(try await cache.entry(for: keys[count]) == nil)
        #expect(try await cache.count == keys.count - 1)
      }
    }
  }

  @Test func `a cleaning removes expired entries although a recovery fails`() async throws {
    try await TemporaryDirectory.run { folder in
      let files = FailingRemoval()
      let cache = cache(folder, fileSystem: files)
      var expired = entry("a")
      expired.metadata.expiration = .date(.distantPast)
      try await cache.store(expired, for: "a")
      files.callsBeforeFailure.withLock { $0 = 0 }
      #expect(try await cache.clean().disk[.expiration]?.count == 1)
      #expect(cache.statistics.errors == 1)
    }
  }
}

/// A file system in which removals of files fail on request, one by default.
private final class FailingRemoval: FileSystem {
  let callsBeforeFailure = Lock<Int?>(nil)
  private let failureCount: Int

  init(failureCount: Int = 1) { self.failureCount = failureCount }

  func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int {
    let fails =
      call == .unlink
      && callsBeforeFailure.withLock { count in
        guard let rest = count else { return false }
        count = rest > 1 - failureCount ? rest - 1 : nil
        return rest <= 0
      }
    guard fails else { return body(byteCount) }
    errno = EIO
    return -1
  }
}
