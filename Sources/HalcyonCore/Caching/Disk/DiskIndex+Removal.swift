import Foundation

/// A choice of entries, as the index knows them.
struct EntrySelection {
  let condition: String
  let values: [SQLiteConnection.Value]

  static let all = EntrySelection(condition: "1", values: [])

  static func key(_ digest: [UInt8]) -> EntrySelection {
    EntrySelection(condition: "digest=?", values: [.blob(digest)])
  }

  /// The entry that was written under a number, unless it was replaced.
  static func unchanged(_ id: Int64) -> EntrySelection {
    EntrySelection(condition: "id=?", values: [.integer(id)])
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
          "SELECT id, digest, bytes FROM entry WHERE \(selection.condition) LIMIT \(Self.batchCount)",
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

  /// Removes the entry of a key when its file is still damaged.
  func removeDamaged(_ digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let rows = try database.run("SELECT id, digest FROM entry WHERE digest=?", [.blob(digest)])
      let path = layout.entry(digest)
      if try BlobFile.isWhole(path: path, digest: digest, in: fileSystem) { return }
      if let row = rows.first { try removeEntry(row) } else { try fileSystem.remove(path) }
    }
  }

  /// Evicts the least recently used until the rest is within the budget; returns what went.
  ///
  /// Pinned entries stay, even when they are more than that. What writers were allotted does not count: it was within the
  /// limit when they got it.
  @discardableResult
  func trim(to budget: DiskBudget) throws(DiskCacheError) -> CleaningReport.Removal {
    var evicted = CleaningReport.Removal()
    while true {
      let batch = try database.transaction { () throws(DiskCacheError) in
        try evict(atMost: Self.batchCount) { total in
          budget.allows(byteCount: total.byteCount, entryCount: total.count)
        }
      }
      evicted += batch
      if batch.count < Self.batchCount { return evicted }
    }
  }

  /// Room for what a writer is given.
  struct Room {
    var byteCount: Int
    var evictedCount: Int
  }

  /// Makes room for `wanted` bytes, or where what may not go leaves too little for that, for the least that is of use.
  func makeRoom(for wanted: Int, atLeast least: Int, budget: DiskBudget) throws(DiskCacheError) -> Room {
    let allotted = Int(try database.number("SELECT coalesce(sum(bytes), 0) FROM writer"))
    let fits = { (byteCount: Int, total: Total) in
      budget.allows(byteCount: total.byteCount + allotted + byteCount, entryCount: total.count)
    }
    if fits(wanted, try total()) { return Room(byteCount: wanted, evictedCount: 0) }
    let pinned = try pinnedTotal()
    guard let byteCount = [wanted, least].first(where: { fits($0, pinned) }) else {
      throw .noRoom(byteCount: least, sizeLimit: budget.sizeLimit)
    }
    let evictedCount = try evict(atMost: .max) { total in fits(byteCount, total) }.count
    guard fits(byteCount, try total()) else { throw .noRoom(byteCount: least, sizeLimit: budget.sizeLimit) }
    return Room(byteCount: byteCount, evictedCount: evictedCount)
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
    // 256 folders of entries and a few more, notes of writers; the memory that processes share; what one change adds to
    // the log: four pages for each entry that goes for an allotment, at most, and for what else it does.
    let change = DiskBudget(sizeLimit: sizeLimit).allotmentByteCount / 2 + (128 << 10)
    let rest = 272 * BlobFile.blockByteCount + (32 << 10) + change
    return database + max(log, DiskBudget.logByteLimit(sizeLimit: sizeLimit)) + rest
  }

  /// What entries come to.
  private struct Total {
    var byteCount: Int
    var count: Int

    init(_ row: [SQLiteConnection.Value]?) {
      (byteCount, count) = (Int(row?[0].integer ?? 0), Int(row?[1].integer ?? 0))
    }
  }

  private func total() throws(DiskCacheError) -> Total {
    Total(try database.run("SELECT bytes, count FROM total").first)
  }

  private func pinnedTotal() throws(DiskCacheError) -> Total {
    Total(try database.run("SELECT coalesce(sum(bytes), 0), count(*) FROM entry WHERE pinned=1").first)
  }

  func removeEntry(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let id = row[0].integer, let digest = row[1].blob else { return }
    try fileSystem.remove(layout.entry(digest))
    try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
  }

  private func evict(
    atMost limit: Int, until isEnough: (Total) -> Bool
  ) throws(DiskCacheError) -> CleaningReport.Removal {
    var evicted = CleaningReport.Removal()
    while evicted.count < limit, try !isEnough(total()) {
      let oldest = try database.run("SELECT id, digest, bytes FROM entry WHERE pinned=0 ORDER BY sequence LIMIT 1")
      guard let row = oldest.first else { break }
      try removeEntry(row)
      evicted += Self.removal(of: [row])
    }
    return evicted
  }
}
