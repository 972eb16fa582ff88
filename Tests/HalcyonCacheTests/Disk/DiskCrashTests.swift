import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@_spi(Programs) @testable import HalcyonCache

/// Crashes a writer before its first, its second, … system call, until the operation completes.
@Suite(.integrationTest, .slow)
struct DiskCrashTests {
  enum Operation: CaseIterable {
    case storeFirst, store, replace, replacePinned, evict

    var key: CacheKey {
      switch self {
      case .storeFirst, .store, .evict: "new"
      case .replace: "old"
      case .replacePinned: "pinned"
      }
    }
  }

  private static let keys: [CacheKey] = ["old", "pinned", "new", "small"]
  private static let sizeLimit = 48 << 10

  private var old: StoredEntry { StoredEntry(body: Data(repeating: 1, count: 10_000), metadata: .example) }
  private var new: StoredEntry { StoredEntry(body: Data(repeating: 2, count: 20_000), metadata: .example) }

  @Test(arguments: Operation.allCases)
  func `a writer that crashes at any system call leaves either the old or the new entry, and nothing else`(
    operation: Operation
  ) async throws {
    var callCount = 0
    while try await TemporaryDirectory.run({ folder in
      try await crashes(operation, after: callCount, in: folder)
    }) {
      callCount += 1
      #expect(callCount < 200)
    }
    #expect(callCount > 8, "calls were made")
  }

  private func crashes(_ operation: Operation, after callCount: Int, in folder: URL) async throws -> Bool {
    let files = CrashingFileSystem()
    var configuration = DiskCacheConfiguration(sizeLimit: operation == .evict ? Self.sizeLimit : 1 << 20)
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    let hasCrashed: Bool
    do {
      let cache = DiskCache(directory: folder, configuration: configuration, time: TestClock(), fileSystem: files)
      if operation != .storeFirst { try await prepare(cache) }
      files.crash(after: callCount)
      do { try await cache.store(new, for: operation.key) } catch { #expect(files.hasCrashed) }
      hasCrashed = files.hasCrashed
      files.crash(after: 0)
    }
    try await CrashingFileSystem.waitForLocks(in: folder)
    let situation = "\(operation), \(callCount) calls"
    try checkAccounting(in: folder, configuration, situation)
    let cache = DiskCache(directory: folder, configuration: configuration, time: TestClock())
    try await checkEntries(of: cache, after: operation, situation)
    try withExtendedLifetime(cache) { try checkRecovered(in: folder, situation) }
    return hasCrashed
  }

  private func prepare(_ cache: DiskCache) async throws {
    try await cache.store(old, for: "old")
    try await cache.store(old, for: "pinned")
    try await cache.setPinned(true, for: "pinned")
  }

  /// Checks that the files on disk after the crash are accounted for in the index.
  private func checkAccounting(
    in folder: URL, _ configuration: DiskCacheConfiguration, _ situation: String
  ) throws {
    let layout = DiskLayout(root: folder.path())
    guard access(layout.index, F_OK) == 0 else { return }
    let index = try DiskIndex(layout: layout, in: SystemFiles())
    guard try index.isCurrent() else { return }
    let reserved = Int(try index.database.number("SELECT coalesce(sum(bytes), 0) FROM writer"))
    let counted = try index.total().byteCount + reserved
    #expect(counted <= configuration.sizeLimit, "\(situation)")
    var paths = try SystemFiles().names(in: layout.temporaries).map { layout.temporaries + "/" + $0 }
    paths += Self.keys.map { layout.entry($0.digest.bytes) }.filter { access($0, F_OK) == 0 }
    let physical = try paths.reduce(0) { sum, path in
      sum + EntryFile.diskByteCount(fileByteCount: Int(try SystemFiles().status(of: path).st_size))
    }
    #expect(physical <= counted, "\(situation)")
  }

  private func checkEntries(of cache: DiskCache, after operation: Operation, _ situation: String) async throws {
    _ = try await cache.count
    for key in Self.keys {
      let found = try await cache.entry(for: key)
      if let found {
        #expect(found == old || found == new && key == operation.key, "\(situation), \(key)")
      } else if operation != .storeFirst, key == "pinned" || key == "old" && operation != .evict {
        Issue.record("\(key) is lost: \(situation)")
      }
    }
    #expect(cache.statistics.misses[.damaged] == nil, "\(situation)")
    let pinned = operation == .storeFirst ? [] : ["pinned"] as [CacheKey]
    var listed: [CacheKey] = []
    for try await entry in cache.entries where entry.isPinned { listed.append(entry.key) }
    #expect(listed == pinned, "\(situation)")
    try await cache.store(old, for: "small")
    #expect(try await cache.entry(for: "small") == old, "\(situation)")
  }

  private func checkRecovered(in folder: URL, _ situation: String) throws {
    let layout = DiskLayout(root: folder.path())
    let index = try DiskIndex(layout: layout, in: SystemFiles())
    let rows = try index.database.run("SELECT digest, id, bytes FROM entry")
    #expect(try index.total().byteCount == rows.reduce(0) { $0 + Int($1[2].integer ?? 0) }, "\(situation)")
    for row in rows {
      let path = layout.entry(row[0].blob ?? [])
      guard access(path, F_OK) == 0 else { continue }
      let file = try EntryFile.describe(path: path)
      #expect(file?.header.id == row[1].integer, "\(situation)")
      #expect(file?.diskByteCount == row[2].integer.map(Int.init), "\(situation)")
    }
    let known = Set(rows.compactMap { $0[0].blob?.hexadecimal })
    for shard in UInt8.min...UInt8.max {
      #expect(Set(try SystemFiles().names(in: layout.shard(shard))).isSubset(of: known), "\(situation)")
    }
    #expect(try SystemFiles().names(in: layout.temporaries).isEmpty, "\(situation)")
    #expect(try SystemFiles().names(in: layout.writerLocks).count == 1, "\(situation)")
    #expect(try index.database.number("SELECT count(*) FROM writer") == 1, "\(situation)")
  }
}
