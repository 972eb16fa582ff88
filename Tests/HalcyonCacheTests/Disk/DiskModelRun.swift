import HalcyonTestDoubles
import HalcyonTestSupport
import Foundation
import HalcyonTesting

@testable import HalcyonSupport
@testable import HalcyonCache

/// One run of random operations on caches that share a folder.
struct DiskModelRun {
  private static let keyCount = 40

  private let folder: URL
  private let configuration: DiskCacheConfiguration
  private let caches: [DiskCache]
  private let index: DiskIndex
  private var generator = SplitMix(state: 5)
  /// The entries that each key may hold. There are several after a writer crashed, until recovery.
  private var model: [CacheKey: [StoredEntry]] = [:]
  /// Keys whose last writer crashed.
  private var unrecovered: Set<CacheKey> = []
  private var pinned: Set<CacheKey> = []

  init(folder: URL, sizeLimit: Int) async throws {
    var configuration = DiskCacheConfiguration(sizeLimit: sizeLimit)
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    self.folder = folder
    self.configuration = configuration
    caches = (0..<2).map { [configuration] _ in DiskCache(directory: folder, configuration: configuration) }
    for cache in caches { _ = try await cache.count }
    let layout = DiskLayout(root: folder.path())
    index = try DiskIndex(layout: layout, in: SystemFiles())
  }

  /// Runs a random operation. Returns what is wrong afterwards, or `nil`.
  mutating func step() async throws -> String? {
    let cache = caches[Int.random(in: 0..<2, using: &generator)]
    let key = CacheKey("\(Int.random(in: 0..<Self.keyCount, using: &generator))")
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<45: try await store(makeEntry(), for: key, in: cache)
    case 45..<60: if let problem = try await read(key, in: cache) { return problem }
    case 60..<66: try await remove(key, in: cache)
    case 66..<70: try await pin(key, in: cache)
    case 70..<75: try await updateTags(key, in: cache)
    case 75..<90: try await crash(storing: makeEntry(), for: key)
    case 90..<94: await cache.willEnterBackground()
    default: if let problem = try await recover(cache) { return problem }
    }
    return try checkAccounting()
  }

  private mutating func makeEntry() -> StoredEntry {
    let byte = UInt8.random(in: 0...255, using: &generator)
    return StoredEntry(
      body: Data(repeating: byte, count: Int.random(in: 0..<30_000, using: &generator)), metadata: .example)
  }

  private mutating func store(_ entry: StoredEntry, for key: CacheKey, in cache: DiskCache) async throws {
    try await cache.store(entry, for: key)
    model[key] = [entry]
    unrecovered.remove(key)
  }

  private func read(_ key: CacheKey, in cache: DiskCache) async throws -> String? {
    let entry = try await cache.entry(for: key)
    if let entry, model[key]?.contains(entry) != true { return "\(key) holds an entry that was not stored" }
    if entry == nil, pinned.contains(key) { return "\(key) is pinned and missing" }
    return cache.statistics.misses[.damaged] == nil ? nil : "\(key) is damaged"
  }

  private mutating func remove(_ key: CacheKey, in cache: DiskCache) async throws {
    try await cache.removeEntry(for: key)
    pinned.remove(key)
    // The file that a crashed writer moved into place is adopted later.
    if !unrecovered.contains(key) { model[key] = nil }
  }

  private mutating func pin(_ key: CacheKey, in cache: DiskCache) async throws {
    // The entry of a crashed writer has no row yet.
    guard !unrecovered.contains(key) else { return }
    let isPinned = pinned.count < 4 && Bool.random(using: &generator)
    let isFound = try await cache.setPinned(isPinned, for: key)
    if isPinned, isFound { pinned.insert(key) } else { pinned.remove(key) }
  }

  private mutating func updateTags(_ key: CacheKey, in cache: DiskCache) async throws {
    guard let entry = try await cache.entry(for: key) else { return }
    var changed = entry
    changed.metadata.tags = ["\(Int.random(in: 0..<5, using: &generator))"]
    if try await cache.updateMetadata(changed.metadata, for: key) {
      model[key] = model[key]?.map { $0 == entry ? changed : $0 }
    }
  }

  /// Stores an entry with a writer that crashes meanwhile, or soon after.
  private mutating func crash(storing entry: StoredEntry, for key: CacheKey) async throws {
    let files = CrashingFileSystem()
    let otherWriters = Set(try SystemFiles().names(in: index.layout.writerLocks))
    do {
      let cache = DiskCache(directory: folder, configuration: configuration, fileSystem: files)
      _ = try await cache.count
      files.crash(after: Int.random(in: 0..<20, using: &generator))
      do {
        try await cache.store(entry, for: key)
        model[key] = [entry]
        unrecovered.remove(key)
      } catch {
        model[key, default: []].append(entry)
        unrecovered.insert(key)
      }
      files.crash(after: 0)
    }
    try await CrashingFileSystem.waitForLocks(in: folder, besides: otherWriters)
  }

  /// Recovers from crashed writers and checks every entry.
  private mutating func recover(_ cache: DiskCache) async throws -> String? {
    try await cache.clean()
    unrecovered = []
    for number in 0..<Self.keyCount {
      let key = CacheKey("\(number)")
      if let problem = try await read(key, in: cache) { return problem }
      model[key] = try await cache.entry(for: key).map { [$0] }
    }
    let rows = try index.database.run("SELECT digest, id, bytes FROM entry")
    var knownCount = 0
    // A writer that crashed while evicting leaves a row without a file.
    for row in rows where access(index.layout.entry(row[0].blob ?? []), F_OK) == 0 {
      knownCount += 1
      let file = try EntryFile.describe(path: index.layout.entry(row[0].blob ?? []))
      guard file?.header.id == row[1].integer, file?.diskByteCount == row[2].integer.map(Int.init) else {
        return "the file of \(row) is \(String(describing: file))"
      }
    }
    if try entryFiles().count != knownCount { return "\(try entryFiles().count - knownCount) files are not indexed" }
    if try !SystemFiles().names(in: index.layout.temporaries).isEmpty { return "a temporary file is left" }
    return try index.total().byteCount == rows.reduce(0) { $0 + Int($1[2].integer ?? 0) }
      ? nil : "the total is not the sum of the rows"
  }

  private func checkAccounting() throws -> String? {
    let reserved = Int(try index.database.number("SELECT coalesce(sum(bytes), 0) FROM writer"))
    let counted = try index.total().byteCount + reserved
    if counted > configuration.sizeLimit { return "\(counted) bytes counted" }
    let temporaries = try SystemFiles().names(in: index.layout.temporaries).map { index.layout.temporaries + "/" + $0 }
    let physical = try (entryFiles() + temporaries).reduce(0) { sum, path in
      sum + EntryFile.diskByteCount(fileByteCount: Int(try SystemFiles().status(of: path).st_size))
    }
    return physical <= counted ? nil : "\(physical) bytes on disk, \(counted) counted"
  }

  private func entryFiles() throws -> [String] {
    (0..<Self.keyCount).map { index.layout.entry(CacheKey("\($0)").digest.bytes) }.filter { access($0, F_OK) == 0 }
  }
}
