import Foundation

/// A choice of entries, as the index knows them.
struct EntrySelection {
  let condition: String
  let values: [SQLiteConnection.Value]

  static let all = EntrySelection(condition: "1", values: [])

  static func key(_ digest: [UInt8]) -> EntrySelection {
    EntrySelection(condition: "digest=?", values: [.blob(digest)])
  }

  /// The entry that was written under a number, unless it is being replaced.
  static func unchanged(_ id: Int64) -> EntrySelection {
    EntrySelection(
      condition: "id=? AND NOT EXISTS (SELECT 1 FROM entry next WHERE next.ready=0 AND next.digest=entry.digest)",
      values: [.integer(id)])
  }

  static func used(upTo sequence: Int64) -> EntrySelection {
    EntrySelection(condition: "sequence<=?", values: [.integer(sequence)])
  }

  static func source(_ address: String) -> EntrySelection {
    EntrySelection(condition: "source=?", values: [.blob(EntryLabels.source(address))])
  }

  static func host(_ host: String) -> EntrySelection {
    let host = host.lowercased()
    let first = EntryLabels.hostPrefix(host)
    return EntrySelection(
      condition: "source BETWEEN ? AND ? AND host=?",
      values: [.blob(first), .blob(first + [UInt8](repeating: 255, count: 17)), .text(host)])
  }

  static func tag(_ tag: String) -> EntrySelection {
    EntrySelection(condition: "id IN (SELECT entry FROM tag WHERE tag=?)", values: [.blob(Array(tag.utf8))])
  }

  static func expired(at date: Date) -> EntrySelection {
    EntrySelection(condition: "expires IS NOT NULL AND expires<=?", values: [.real(date.timeIntervalSince1970)])
  }
}

extension DiskIndex {
  /// Removes entries with their files and returns what they were.
  @discardableResult
  func remove(_ selection: EntrySelection) throws(DiskCacheError) -> CleaningReport.Removal {
    var removed = CleaningReport.Removal()
    while true {
      let batch = try database.transaction { () throws(DiskCacheError) in
        let rows = try database.run(
          "SELECT id, digest, bytes FROM entry WHERE ready=1 AND \(selection.condition) LIMIT \(Self.batchCount)",
          selection.values)
        for row in rows { try removeEntry(row) }
        return Self.removal(of: rows)
      }
      removed += batch
      if batch.count < Self.batchCount { return removed }
    }
  }

  /// What rows of numbers, digests and sizes come to.
  private static func removal(of rows: [[SQLiteConnection.Value]]) -> CleaningReport.Removal {
    CleaningReport.Removal(count: rows.count, byteCount: rows.reduce(0) { $0 + Int($1[2].integer ?? 0) })
  }

  /// Removes the entry of a key when its file is still damaged, and nobody is writing a new one.
  func removeDamaged(_ digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let rows = try database.run("SELECT id, digest, ready FROM entry WHERE \(Self.hasDigest)", [.blob(digest)])
      guard !rows.contains(where: { $0[2].integer == 0 }) else { return }
      let path = layout.entry(digest)
      if try BlobFile.isWhole(path: path, digest: digest, in: fileSystem) { return }
      if let row = rows.first { try removeEntry(row) } else { try fileSystem.remove(path) }
    }
  }

  /// Evicts the least recently used until the rest is within the budget; returns what went.
  ///
  /// Pinned entries stay, even when they are more than that.
  @discardableResult
  func trim(to budget: DiskBudget) throws(DiskCacheError) -> CleaningReport.Removal {
    var evicted = CleaningReport.Removal()
    while true {
      let batch = try database.transaction { () throws(DiskCacheError) in
        try evict(downTo: budget, atMost: Self.batchCount)
      }
      evicted += batch
      if batch.count < Self.batchCount { return evicted }
    }
  }

  func makeRoom(for byteCount: Int, budget: DiskBudget) throws(DiskCacheError) -> Int {
    if try allows(budget, byteCount) { return 0 }
    // Nothing is evicted for an entry that will not fit anyway.
    let fixed = try database.run(
      """
      SELECT sum(bytes), sum(count) FROM (
        SELECT coalesce(sum(bytes), 0) AS bytes, count(*) AS count FROM entry WHERE ready=1 AND pinned=1
        UNION ALL SELECT coalesce(sum(bytes), 0), count(*) FROM entry WHERE ready=0)
      """
    ).first.map { (byteCount: Int($0[0].integer ?? 0), count: Int($0[1].integer ?? 0)) }
    guard let fixed, budget.allows(byteCount: fixed.byteCount + byteCount, entryCount: fixed.count) else {
      throw .noRoom(byteCount: byteCount, sizeLimit: budget.sizeLimit)
    }
    let evictedCount = try evict(downTo: budget, for: byteCount, atMost: .max).count
    guard try allows(budget, byteCount) else { throw .noRoom(byteCount: byteCount, sizeLimit: budget.sizeLimit) }
    return evictedCount
  }

  /// The budget under a limit, for the size that the index has now.
  func budget(sizeLimit: Int) throws(DiskCacheError) -> DiskBudget {
    DiskBudget(sizeLimit: sizeLimit, overhead: try overhead(sizeLimit: sizeLimit))
  }

  /// Bytes of disk that the folder takes, or will soon, besides the files of entries.
  private func overhead(sizeLimit: Int) throws(DiskCacheError) -> Int {
    let database = Int(try database.number("PRAGMA page_count")) * Self.pageByteCount
    var log = 0
    do throws(DiskCacheError) {
      log = Int(try fileSystem.status(of: layout.index + "-wal").st_size)
    } catch {
      guard error.isMissing else { throw error }
    }
    // 256 folders of entries and a few more; the memory that processes share; what one change adds.
    let rest = 264 * BlobFile.blockByteCount + (32 << 10) + (128 << 10)
    return database + max(log, DiskBudget.logByteLimit(sizeLimit: sizeLimit)) + rest
  }

  private func allows(_ budget: DiskBudget, _ byteCount: Int) throws(DiskCacheError) -> Bool {
    let total = try database.run("SELECT bytes, count FROM total").first
    return budget.allows(
      byteCount: Int(total?[0].integer ?? 0) + byteCount, entryCount: Int(total?[1].integer ?? 0))
  }

  func removeEntry(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let id = row[0].integer, let digest = row[1].blob else { return }
    try fileSystem.remove(layout.entry(digest))
    try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
  }

  private func evict(
    downTo budget: DiskBudget, for byteCount: Int = 0, atMost limit: Int
  ) throws(DiskCacheError) -> CleaningReport.Removal {
    var evicted = CleaningReport.Removal()
    while evicted.count < limit, try !allows(budget, byteCount) {
      // An entry whose successor is being written stays: both share one path.
      let oldest = try database.run(
        """
        SELECT id, digest, bytes FROM entry e WHERE ready=1 AND pinned=0
          AND NOT EXISTS (SELECT 1 FROM entry WHERE ready=0 AND digest=e.digest) ORDER BY sequence LIMIT 1
        """)
      guard let row = oldest.first else { break }
      try removeEntry(row)
      evicted += Self.removal(of: [row])
    }
    return evicted
  }
}
