import HalcyonSupport
import HalcyonCache
import CHalcyonSQLite
import Foundation
import HalcyonTestSupport

/// Kills two writers in each round, and checks the cache that they left.
struct Torture {
  private static let largestEntry = 131_072

  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "halcyon-torture-\(UUID().uuidString)", directoryHint: .isDirectory)
  private let seed: UInt64
  private var random: SplitMix
  private var violations: [String] = []
  private var (mostBytes, mostLog, mostCounted, unfinishedCount, entryCount, sequence) = (0, 0, 0, 0, 0, 0)
  /// Entries whose writers were killed after the file was moved into place and before it was indexed.
  private var unindexedCount = 0

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix(state: seed)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Whether all checks passed.
  mutating func run(roundCount: Int) async throws -> Bool {
    defer { try? FileManager.default.removeItem(at: folder) }
    let start = ContinuousClock.now
    for round in 1...max(1, roundCount) {
      let found = violations.count
      try await killWriters()
      inspectKilled()
      try await inspectRecovered()
      for violation in violations[found...] { print("round \(round), seed \(seed): \(violation)") }
    }
    print("METRIC torture_rounds \(roundCount) count")
    print("METRIC torture_violations \(violations.count) count goal <= 0")
    print("METRIC torture_max_physical \(mostBytes) bytes goal <= \(TortureWriter.sizeLimit + Self.largestEntry)")
    print("METRIC torture_max_log \(mostLog) bytes")
    print("METRIC torture_max_counted \(mostCounted) bytes goal <= \(TortureWriter.sizeLimit)")
    print("METRIC torture_half_written_settled \(unfinishedCount) count")
    print("METRIC torture_half_placed_settled \(unindexedCount) count")
    print("METRIC torture_entries_verified \(entryCount) count")
    print("METRIC torture_changes \(sequence) count")
    print("METRIC torture_time \(start.duration(to: .now) / .seconds(1)) s")
    return violations.isEmpty
  }

  private mutating func killWriters() async throws {
    let path = Bundle.main.executableURL?.path() ?? CommandLine.arguments[0]
    let writers = try (0..<2).map { _ in
      try ChildProcess(path, ["write", folder.path(), "\(random.next())"])
    }
    // Each at a different moment, so that one also recovers what the other left unfinished.
    let delays = writers.map { _ in Duration.milliseconds(Int.random(in: 50...450, using: &random)) }
    let start = ContinuousClock.now
    for (writer, delay) in zip(writers, delays).sorted(by: { $0.1 < $1.1 }) {
      try await Task.sleep(until: start + delay)
      writer.send(SIGKILL)
    }
    for writer in writers {
      let end = writer.end()
      if end != .signal(SIGKILL) { violations.append("a writer exited on its own: \(end)") }
    }
  }

  private mutating func inspectKilled() {
    let size =
      files(in: "v\(DiskCache.format)/d").map(\.bytes).reduce(0, +)
      + files(in: "v\(DiskCache.format)/tmp").map(\.bytes).reduce(0, +)
    let wholeSize = diskUsage()
    mostBytes = max(mostBytes, wholeSize)
    mostLog = max(mostLog, files(in: "v\(DiskCache.format)").first { $0.name == "index.db-wal" }?.bytes ?? 0)
    if wholeSize > TortureWriter.sizeLimit + Self.largestEntry { violations.append("\(wholeSize) bytes on disk") }
    guard let counted = number("SELECT bytes + (SELECT coalesce(sum(bytes), 0) FROM writer) FROM total") else { return }
    mostCounted = max(mostCounted, counted)
    if size > counted { violations.append("\(size) bytes on disk, \(counted) counted") }
    if counted > TortureWriter.sizeLimit { violations.append("\(counted) bytes counted while writers were active") }
    unfinishedCount += files(in: "v\(DiskCache.format)/tmp").count
    unindexedCount += filesNotInIndex().count
  }

  private mutating func inspectRecovered() async throws {
    var configuration = DiskCacheConfiguration(sizeLimit: TortureWriter.sizeLimit)
    configuration.cleaning.occasions.subtract([.firstUse, .timer])
    let cache = DiskCache(directory: folder, configuration: configuration)
    let total = try await cache.totalSize
    if total > TortureWriter.sizeLimit { violations.append("\(total) bytes counted") }
    let sum = number("SELECT coalesce(sum(bytes), 0) FROM entry") ?? -1
    if total != sum { violations.append("total \(total), sum \(sum)") }
    if number("SELECT count(*) FROM writer") != 0 { violations.append("a killed writer still holds a reservation") }
    if !files(in: "v\(DiskCache.format)/tmp").isEmpty { violations.append("a temporary file is left") }
    for name in filesNotInIndex() { violations.append("\(name) is not indexed") }
    let onDisk = files(in: "v\(DiskCache.format)/d")
    var listed = 0
    for try await entry in cache.entries {
      listed += 1
      guard let number = UInt64(entry.key.text.dropFirst(5)), let body = try await cache.entry(for: entry.key)?.body,
        TortureEntry.isIntact(body, number: number)
      else {
        violations.append("wrong bytes under \(entry.key)")
        continue
      }
    }
    if listed != onDisk.count { violations.append("\(onDisk.count) files, \(listed) entries listed") }
    entryCount += listed
    sequence = number("SELECT sequence FROM total") ?? 0
  }

  /// The names of entry files that are not indexed, or are indexed under another number.
  private func filesNotInIndex() -> [String] {
    let known = Set(texts("SELECT lower(hex(digest)) || ' ' || id FROM entry"))
    return files(in: "v\(DiskCache.format)/d").filter { !known.contains("\($0.name) \(number(of: $0.name))") }.map(
      \.name)
  }

  /// The number in the header of an entry file.
  private func number(of name: String) -> Int64 {
    let path = folder.appending(path: "v\(DiskCache.format)/d/\(name.prefix(2))/\(name)").path()
    guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 16), head.count == 16
    else {
      return 0
    }
    return head.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: Int64.self)) }
  }

  /// The disk space of the whole folder in bytes, its folders, index and log included, as `du` counts it.
  private func diskUsage() -> Int {
    let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String } ?? []
    return ([""] + names).reduce(0) { sum, name in
      var status = stat()
      return lstat(folder.path() + "/" + name, &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
    }
  }

  private func files(in path: String) -> [(name: String, bytes: Int)] {
    let root = folder.appending(path: path).path()
    guard let names = FileManager.default.enumerator(atPath: root) else { return [] }
    return names.compactMap { name in
      var status = stat()
      guard let name = name as? String, stat(root + "/" + name, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        return nil
      }
      return ((name as NSString).lastPathComponent, Int(status.st_blocks) * 512 + 4096)
    }
  }

  /// The number that a query of the index returns; run directly, so that the check does not rely on the cache.
  private func number(_ sql: String) -> Int? { texts(sql).first.flatMap { Int($0) } }

  /// The first column of all rows.
  private func texts(_ sql: String) -> [String] {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(folder.appending(path: "v\(DiskCache.format)/index.db").path(), &database) == SQLITE_OK else {
      return []
    }
    sqlite3_busy_timeout(database, 2000)
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else { return [] }
    var texts: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW, let text = sqlite3_column_text(statement, 0) {
      texts.append(String(cString: text))
    }
    return texts
  }
}
