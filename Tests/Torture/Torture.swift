import HalcyonSupport
import HalcyonCache
import CSQLite
import Foundation
import TestSupport

/// Kills two writers again and again, and checks after each time what they left.
struct Torture {
  private static let largestEntry = 131_072

  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "halcyon-torture-\(UUID().uuidString)", directoryHint: .isDirectory)
  private let seed: UInt64
  private var random: TortureRandom
  private var violations: [String] = []
  private var (mostBytes, mostLog, mostCounted, halfDoneCount, entryCount, sequence) = (0, 0, 0, 0, 0, 0)
  /// Entries whose writers were killed after the move of the file and before the index knew of it.
  private var placedCount = 0

  init(seed: UInt64) throws {
    self.seed = seed
    random = TortureRandom(seed: seed)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// Whether nothing was wrong.
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
    print("METRIC torture_half_written_settled \(halfDoneCount) count")
    print("METRIC torture_half_placed_settled \(placedCount) count")
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
    // Each at a moment of its own, so that one also meets what the other left half done.
    let delays = writers.map { _ in Duration.milliseconds(Int.random(in: 50...450, using: &random)) }
    let start = ContinuousClock.now
    for (writer, delay) in zip(writers, delays).sorted(by: { $0.1 < $1.1 }) {
      try await Task.sleep(until: start + delay)
      writer.send(SIGKILL)
    }
    for writer in writers {
      let end = writer.end()
      if end != .signal(SIGKILL) { violations.append("a writer ended by itself: \(end)") }
    }
  }

  private mutating func inspectKilled() {
    let size = files(in: "v1/d").map(\.bytes).reduce(0, +) + files(in: "v1/tmp").map(\.bytes).reduce(0, +)
    let wholeSize = diskUsage()
    mostBytes = max(mostBytes, wholeSize)
    mostLog = max(mostLog, files(in: "v1").first { $0.name == "index.db-wal" }?.bytes ?? 0)
    if wholeSize > TortureWriter.sizeLimit + Self.largestEntry { violations.append("\(wholeSize) bytes on disk") }
    guard let counted = number("SELECT bytes + (SELECT coalesce(sum(bytes), 0) FROM writer) FROM total") else { return }
    mostCounted = max(mostCounted, counted)
    if size > counted { violations.append("\(size) bytes on disk, \(counted) counted") }
    if counted > TortureWriter.sizeLimit { violations.append("\(counted) bytes counted while writers lived") }
    halfDoneCount += files(in: "v1/tmp").count
    placedCount += filesNotInIndex().count
  }

  private mutating func inspectRecovered() async throws {
    var configuration = DiskCacheConfiguration(sizeLimit: TortureWriter.sizeLimit)
    configuration.cleansOnItsOwn = false
    let cache = DiskCache(directory: folder, configuration: configuration)
    let total = try await cache.totalSize
    if total > TortureWriter.sizeLimit { violations.append("\(total) bytes counted") }
    let sum = number("SELECT coalesce(sum(bytes), 0) FROM entry") ?? -1
    if total != sum { violations.append("total \(total), sum \(sum)") }
    if number("SELECT count(*) FROM writer") != 0 { violations.append("a killed writer is still allotted space") }
    if !files(in: "v1/tmp").isEmpty { violations.append("a half written file stays") }
    for name in filesNotInIndex() { violations.append("nobody counts \(name)") }
    let onDisk = files(in: "v1/d")
    var listed = 0
    for try await entry in cache.entries {
      listed += 1
      guard let number = UInt64(entry.key.text.dropFirst(5)), let body = try await cache.entry(for: entry.key)?.body,
        TortureEntry.isSound(body, number: number)
      else {
        violations.append("wrong bytes under \(entry.key)")
        continue
      }
    }
    if listed != onDisk.count { violations.append("\(onDisk.count) files, \(listed) of them sound") }
    entryCount += listed
    sequence = number("SELECT sequence FROM total") ?? 0
  }

  /// The names of entries' files that the index knows nothing of, or another file under the same name.
  private func filesNotInIndex() -> [String] {
    let known = Set(texts("SELECT lower(hex(digest)) || ' ' || id FROM entry"))
    return files(in: "v1/d").filter { !known.contains("\($0.name) \(number(of: $0.name))") }.map(\.name)
  }

  /// The number in the head of an entry's file.
  private func number(of name: String) -> Int64 {
    let path = folder.appending(path: "v1/d/\(name.prefix(2))/\(name)").path()
    guard let file = FileHandle(forReadingAtPath: path), let head = try? file.read(upToCount: 16), head.count == 16
    else {
      return 0
    }
    return head.withUnsafeBytes { Int64(littleEndian: $0.loadUnaligned(fromByteOffset: 8, as: Int64.self)) }
  }

  /// Bytes of disk that the whole folder takes, its folders, index and log included, as `du` counts them.
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

  /// Asks the index directly, so that the cache does not vouch for itself.
  private func number(_ sql: String) -> Int? { texts(sql).first.flatMap { Int($0) } }

  /// The first column of all rows.
  private func texts(_ sql: String) -> [String] {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    guard sqlite3_open(folder.appending(path: "v1/index.db").path(), &database) == SQLITE_OK else { return [] }
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
