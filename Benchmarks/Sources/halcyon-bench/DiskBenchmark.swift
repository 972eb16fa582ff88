import BenchMetric
import BenchSQLite
import Foundation
import Halcyon
import HalcyonSupport
@_spi(Programs) import HalcyonCache

/// The disk cache compared with the minimum of plain file calls, and with Foundation.
enum DiskBenchmark {
  static func run() async throws {
    // In the folder for caches, not for temporary files: for five minutes ext4 is slow to create files next to deleted
    // ones.
    let folder = DiskCache.directory(named: "bench-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await gets(byteCount: 10_240, name: "10kb", goals: (20, 1.5), in: folder.appending(path: "get-10"))
    try await gets(byteCount: 102_400, name: "100kb", goals: (45, 1.3), in: folder.appending(path: "get-100"))
    try await puts(in: folder.appending(path: "put"))
    try await launches(in: folder.appending(path: "put"))
    let small = folder.appending(path: "open-100k")
    let large = folder.appending(path: "open-1m")
    try await fill(small, rowCount: 100_000)
    try await fill(large, rowCount: 1_000_000)
    try await evictions(small: small, large: large)
  }

  @concurrent
  private static func gets(
    byteCount: Int, name: String, goals: (time: Double, toPlain: Double), in folder: URL
  ) async throws {
    let cache = DiskCache(directory: folder)
    let keys = (0..<300).map { key($0) }
    for (number, key) in keys.enumerated() { try await cache.store(entry(number, byteCount: byteCount), for: key) }
    let paths = files(below: folder.appending(path: "v\(DiskCache.format)/d"))
    var (cached, plain): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds(10) {
      for key in keys {
        cached.append(
          try await microseconds {
            let entry = try await cache.entry(for: key)
            precondition(entry?.body.count == byteCount)
          })
      }
      for path in paths { plain.append(try microseconds { try readWithSystemCalls(path) }) }
    }
    Metric(name: "disk_get_\(name)", value: median(cached), unit: "us", goal: .atMost(goals.time)).report()
    Metric(name: "open_read_close_\(name)", value: median(plain), unit: "us").report()
    let ratio = median(cached) / median(plain)
    Metric(name: "disk_get_\(name)_to_plain", value: ratio, unit: "ratio", goal: .atMost(goals.toPlain)).report()
  }

  @concurrent
  private static func puts(in folder: URL) async throws {
    let cache = DiskCache(directory: folder)
    let (count, body) = (5000, entry(0, byteCount: 10_240).body)
    // Warm-up: the first entries also create the shard folders.
    for number in 0..<1000 { try await cache.store(entry(number, byteCount: 10_240), for: key(number)) }
    var (cached, plain, foundation): ([Double], [Double], [Double]) = ([], [], [])
    var (switched, indexed): ([Double], [Double]) = ([], [])
    let index = try IndexOnly(copying: folder.appending(path: "v\(DiskCache.format)/index.db").path())
    for number in 1000..<1000 + count {
      let entry = entry(number, byteCount: 10_240)
      cached.append(try await microseconds { try await cache.store(entry, for: key(number)) })
      // Alternately, since the speed of a file system varies over time.
      guard number.isMultiple(of: 10) else { continue }
      let path = folder.path() + "/plain-\(number)"
      plain.append(microseconds { writeWithSystemCalls(body, to: path) })
      let url = folder.appending(path: "peer-\(number)")
      foundation.append(try microseconds { try body.write(to: url, options: .atomic) })
      // Each twice, so that the measured one finds its thread awake and its data in the processor's cache, as the puts do.
      index.insert()
      indexed.append(microseconds { index.insert() })
      // There is no such entry: the writer's thread makes one system call, which fails.
      try await cache.setPinned(false, for: key(-1))
      switched.append(try await microseconds { try await cache.setPinned(false, for: key(-1)) })
    }
    Metric(name: "disk_put_10kb", value: median(cached), unit: "us", goal: .atMost(150)).report()
    let rate = try await putRate(cache, numbers: 1000 + count..<1000 + 2 * count)
    Metric(name: "disk_put_10kb_rate", value: rate, unit: "per_s", goal: .atLeast(5000)).report()
    Metric(name: "create_write_rename_10kb", value: median(plain), unit: "us").report()
    Metric(name: "foundation_atomic_write_10kb", value: median(foundation), unit: "us").report()
    Metric(name: "index_insert", value: median(indexed), unit: "us").report()
    Metric(name: "disk_writer_round_trip", value: median(switched), unit: "us").report()
    let toPlain = median(cached) / median(plain)
    Metric(name: "disk_put_10kb_to_plain", value: toPlain, unit: "ratio", goal: .atMost(1.8)).report()
    let parts = median(plain) + median(indexed) + median(switched)
    Metric(name: "disk_put_10kb_to_parts", value: median(cached) / parts, unit: "ratio").report()
    let toFoundation = median(cached) / median(foundation)
    Metric(name: "disk_put_10kb_to_foundation", value: toFoundation, unit: "ratio", goal: .atMost(0.4)).report()
  }

  /// The check at launch of a cache with 11,000 entries.
  @concurrent
  private static func launches(in folder: URL) async throws {
    var configuration = DiskCacheConfiguration()
    configuration.cleaning.occasions = [.firstUse]
    var checks: [Double] = []
    for number in 0..<rounds(9) {
      let cache = DiskCache(directory: folder, configuration: configuration)
      _ = try await cache.entry(for: key(number))
      checks.append(try await microseconds { _ = try await cache.clean() })
    }
    Metric(name: "disk_check_at_launch", value: median(checks) / 1000, unit: "ms", goal: .atMost(100)).report()
  }

  /// Stored entries per second, with six concurrent tasks: as many as there are connections to one host.
  private static func putRate(_ cache: DiskCache, numbers: Range<Int>) async throws -> Double {
    let taskCount = 6
    let entries = numbers.map { (entry($0, byteCount: 10_240), key($0)) }
    let time = try await microseconds {
      try await withThrowingTaskGroup { group in
        for task in 0..<taskCount {
          group.addTask {
            for index in stride(from: task, to: entries.count, by: taskCount) {
              try await cache.store(entries[index].0, for: entries[index].1)
            }
          }
        }
        try await group.waitForAll()
      }
    }
    return Double(entries.count) / time * 1e6
  }

  /// Fills a cache with entries, of which the oldest have files; they will be evicted.
  @concurrent
  private static func fill(_ folder: URL, rowCount: Int) async throws {
    var configuration = DiskCacheConfiguration(sizeLimit: .max)
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    try await store(0..<evictedCount, in: DiskCache(directory: folder, configuration: configuration))
    try fill(folder.appending(path: "v\(DiskCache.format)/index.db").path(), rowCount: rowCount - evictedCount)
  }

  /// Stores entries in two full caches, which evict one for each, alternately: the speed of a file system varies over
  /// time.
  @concurrent
  private static func evictions(small: URL, large: URL) async throws {
    var configuration = DiskCacheConfiguration(sizeLimit: .max)
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    let caches = [small, large].map { DiskCache(directory: $0, configuration: configuration) }
    for cache in caches { cache.configuration.sizeLimit = try await cache.totalSize }
    var times: [[Double]] = [[], []]
    for number in evictedCount..<evictedCount + 400 {
      for (index, cache) in caches.enumerated() { times[index] += try await store(number..<number + 1, in: cache) }
    }
    for (cache, folder) in zip(caches, [small, large]) {
      precondition(cache.statistics.evictions[.size, default: 0] >= 400)
      // Eviction may run ahead of the entries that need the space.
      precondition(files(below: folder.appending(path: "v\(DiskCache.format)/d")).count <= evictedCount)
    }
    // The means, not the medians: one store evicts for many that follow.
    let means = times.map { $0.reduce(0, +) / Double($0.count) }
    Metric(name: "disk_evict_put_10kb_at_100k", value: means[0], unit: "us").report()
    Metric(name: "disk_evict_put_10kb_at_1m", value: means[1], unit: "us").report()
    Metric(name: "disk_evict_put_10kb_1m_to_100k", value: means[1] / means[0], unit: "ratio", goal: .atMost(1.2))
      .report()
  }

  /// The entries with files: enough for the entries stored afterwards, which are too few to start the sweep that removes
  /// rows without files.
  private static let evictedCount = 500

  /// Stores entries sequentially; returns the time of each, in microseconds.
  @discardableResult
  private static func store(_ numbers: Range<Int>, in cache: DiskCache) async throws -> [Double] {
    var times: [Double] = []
    for number in numbers {
      let entry = entry(number, byteCount: 10_240)
      times.append(try await microseconds { try await cache.store(entry, for: key(number)) })
    }
    return times
  }

  /// Inserts rows of newer entries without files: opening the cache reads no files.
  private static func fill(_ path: String, rowCount: Int) throws {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    let code = sqlite3_open(path, &database)
    precondition(code == SQLITE_OK)
    let sql = """
      PRAGMA synchronous=OFF; PRAGMA cache_size=-400000; BEGIN;
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<\(rowCount))
      INSERT INTO entry(id, digest, bytes, sequence, expires, lifetime, source)
        SELECT 10000+i, randomblob(16), 16384, 10000+i, 4000000000, 604800, randomblob(16) FROM n;
      UPDATE total SET sequence=10000+\(rowCount);
      COMMIT; PRAGMA wal_checkpoint(TRUNCATE);
      """
    let result = sqlite3_exec(database, sql, nil, nil, nil)
    precondition(result == SQLITE_OK, String(cString: sqlite3_errmsg(database)))
  }

  /// The part of a put that SQLite takes: transactions that insert one row, in a copy of an index.
  private struct IndexOnly {
    private let statements: [OpaquePointer?]

    init(copying path: String) throws {
      let copy = path + "-copy"
      try FileManager.default.copyItem(atPath: path, toPath: copy)
      var database: OpaquePointer?
      var code = sqlite3_open(copy, &database)
      precondition(code == SQLITE_OK)
      let pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4096"
      code = sqlite3_exec(database, pragmas, nil, nil, nil)
      precondition(code == SQLITE_OK)
      let insertion = """
        INSERT INTO entry(digest, bytes, sequence, defaulted, expires, source)
        SELECT randomblob(16), 16384, sequence, 1, sequence, randomblob(24) FROM total
        """
      statements = ["BEGIN IMMEDIATE", "UPDATE total SET sequence=sequence+1", insertion, "COMMIT"].map { sql in
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v2(database, sql, -1, &statement, nil)
        precondition(code == SQLITE_OK, String(cString: sqlite3_errmsg(database)))
        return statement
      }
    }

    func insert() {
      for statement in statements {
        let code = sqlite3_step(statement)
        precondition(code == SQLITE_DONE)
        sqlite3_reset(statement)
      }
    }
  }

  private static func key(_ number: Int) -> CacheKey {
    CacheKey("https://images.example.com/2026/photo-\(number).jpg")
  }

  private static func entry(_ number: Int, byteCount: Int) -> StoredEntry {
    let headers: HTTPHeaders = [
      "Content-Type": "image/jpeg", "Cache-Control": "max-age=86400", "ETag": "\"5f3a-\(number)\"",
      "Last-Modified": "Tue, 21 Oct 2026 07:28:00 GMT", "Date": "Wed, 22 Oct 2026 07:28:00 GMT",
    ]
    return StoredEntry(
      body: Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ number) }),
      metadata: EntryMetadata(
        url: URL(string: "https://images.example.com/2026/photo-\(number).jpg"), headers: headers, requestDate: Date(),
        responseDate: Date()))
  }

  private static func files(below folder: URL) -> [String] {
    guard let names = FileManager.default.enumerator(atPath: folder.path()) else { return [] }
    return names.compactMap { $0 as? String }.filter { $0.count > 2 }.map { folder.path() + "/" + $0 }
  }

  private static func readWithSystemCalls(_ path: String) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    var status = stat()
    precondition(file >= 0 && fstat(file, &status) == 0)
    let bytes = [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      count = read(file, buffer.baseAddress, buffer.count)
    }
    close(file)
    precondition(bytes.count == status.st_size)
  }

  /// The minimum for any disk cache: a new file that is moved into place atomically.
  private static func writeWithSystemCalls(_ body: Data, to path: String) {
    let file = open(path + ".new", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    let written = body.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    precondition(file >= 0 && written == body.count)
    close(file)
    let result = rename(path + ".new", path)
    precondition(result == 0)
  }

  private static func microseconds(_ work: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try work()
    return start.duration(to: .now) / .microseconds(1)
  }

  private static func microseconds(_ work: () async throws -> Void) async rethrows -> Double {
    let start = ContinuousClock.now
    try await work()
    return start.duration(to: .now) / .microseconds(1)
  }
}
