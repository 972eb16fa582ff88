import HalcyonSupport
import Foundation

/// A choice of entries, as the index knows them.
struct EntrySelection {
  let condition: String
  let values: [SQLiteConnection.Value]

  static let all = EntrySelection(condition: "1", values: [])

  /// The entry that was written under a number, unless it was replaced.
  static func unchanged(_ id: Int64) -> EntrySelection {
    EntrySelection(condition: "id=?", values: [.integer(id)])
  }

  static func used(upTo sequence: Int64) -> EntrySelection {
    EntrySelection(condition: "sequence<=?", values: [.integer(sequence)])
  }

  static func source(_ address: String) -> EntrySelection {
    EntrySelection(condition: "source=?", values: [.blob(IndexedAttributes.source(address))])
  }

  static func host(_ host: String) -> EntrySelection {
    let host = host.lowercased()
    let first = IndexedAttributes.hostPrefix(host)
    return EntrySelection(
      condition: """
        id IN (SELECT id FROM entry WHERE source BETWEEN ? AND ? AND host=?
        UNION ALL SELECT entry FROM tag WHERE tag=?)
        """,
      values: [
        .blob(first), .blob(first + [UInt8](repeating: 255, count: 17)), .text(host),
        .blob(Array(IndexedAttributes.hostTag(host).utf8)),
      ])
  }

  static func tag(_ tag: String) -> EntrySelection {
    EntrySelection(condition: "id IN (SELECT entry FROM tag WHERE tag=?)", values: [.blob(Array(tag.utf8))])
  }

  /// Those with an expiration of their own that are over.
  static func expired(at date: Date) -> EntrySelection {
    EntrySelection(condition: "defaulted=0 AND expires<=?", values: [.real(date.timeIntervalSince1970)])
  }

  /// Those that expire as the configuration says and are over; `nil` where none is.
  static func expired(byDefault expiration: CacheExpiration, at date: Date) -> EntrySelection? {
    switch expiration {
    case .never: return nil
    case .date(let end) where date < end: return nil
    case .date, .expired: return EntrySelection(condition: "defaulted=1 AND expires IS NOT NULL", values: [])
    case .after(let lifetime):
      let start = date.timeIntervalSince1970 - lifetime.inSeconds
      return EntrySelection(condition: "defaulted=1 AND expires<=?", values: [.real(start)])
    }
  }
}

extension DiskIndex {
  /// How many files that cannot be removed are passed over for others.
  private static let failureLimit = 8

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

  /// Removes the entry of a key, and its file where no row counts that: a writer that was killed may have left one.
  ///
  /// - Returns: How many entries there were.
  func removeEntry(of digest: [UInt8]) throws(DiskCacheError) -> Int {
    try database.transaction { () throws(DiskCacheError) in
      let row = try database.run("SELECT id, digest FROM entry WHERE digest=?", [.blob(digest)]).first
      if let row { try removeEntry(row) } else { try fileSystem.remove(layout.entry(digest)) }
      return row == nil ? 0 : 1
    }
  }

  /// Removes all entries, and all files in their folders that no row counts.
  ///
  /// - Returns: How many entries there were.
  func removeAll() throws(DiskCacheError) -> Int {
    let count = try remove(.all).count
    for name in try fileSystem.names(in: layout.entries) {
      guard let shard = UInt8(name, radix: 16) else { continue }
      // No writer moves a file into its place without a transaction: these are from the dead.
      try database.transaction { () throws(DiskCacheError) in
        let counted = Set(try rows(in: shard).compactMap(Self.name))
        for name in try fileSystem.names(in: layout.shard(shard)) {
          guard DiskLayout.digest(name) != nil, !counted.contains(name) else { continue }
          try fileSystem.remove(layout.shard(shard) + "/" + name)
        }
      }
    }
    return count
  }

  /// What rows of numbers, digests and sizes come to.
  private static func removal(of rows: [[SQLiteConnection.Value]]) -> CleaningReport.Removal {
    let byteCounts = rows.map { Int(min(max(0, $0[2].integer ?? 0), 1 << 40)) }
    return CleaningReport.Removal(count: rows.count, byteCount: byteCounts.reduce(0, +))
  }

  /// Removes the entry of a key when its file is still damaged.
  func removeDamaged(_ digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let rows = try database.run("SELECT id, digest FROM entry WHERE digest=?", [.blob(digest)])
      let path = layout.entry(digest)
      if try EntryFile.isWhole(path: path, digest: digest, in: fileSystem) { return }
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
    /// Bytes; `nil` where more has to go first, in a transaction of its own.
    var byteCount: Int?
    var evictedCount: Int
  }

  /// Makes room for `wanted` bytes, or where what may not go leaves too little for that, for the least that is of use.
  func makeRoom(for wanted: Int, atLeast least: Int, budget: DiskBudget) throws(DiskCacheError) -> Room {
    let allotted = try allottedByteCount()
    let fits = { (byteCount: Int, total: Total) in
      budget.allows(byteCount: total.byteCount + allotted + byteCount, entryCount: total.count)
    }
    if fits(wanted, try total()) { return Room(byteCount: wanted, evictedCount: 0) }
    let pinned = try pinnedTotal()
    guard let byteCount = [wanted, least].first(where: { fits($0, pinned) }) else {
      throw .noRoom(byteCount: least, sizeLimit: budget.sizeLimit)
    }
    let evictedCount = try evict(atMost: Self.batchCount) { total in fits(byteCount, total) }.count
    if fits(byteCount, try total()) { return Room(byteCount: byteCount, evictedCount: evictedCount) }
    guard evictedCount == Self.batchCount else { throw .noRoom(byteCount: least, sizeLimit: budget.sizeLimit) }
    return Room(byteCount: nil, evictedCount: evictedCount)
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
    let rest = 272 * EntryFile.blockByteCount + (32 << 10) + change
    return database + max(log, DiskBudget.logByteLimit(sizeLimit: sizeLimit)) + rest
  }

  func removeEntry(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let digest = row[1].blob else { throw damage }
    try fileSystem.remove(layout.entry(digest))
    try removeRow(row)
  }

  private func removeRow(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let id = row[0].integer else { throw damage }
    try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
    // Whoever removes until enough is gone would not come to an end.
    guard database.changeCount == 1 else { throw damage }
  }

  private func evict(
    atMost limit: Int, until isEnough: (Total) -> Bool
  ) throws(DiskCacheError) -> CleaningReport.Removal {
    var evicted = CleaningReport.Removal()
    var (failureCount, last) = (0, Int64.min)
    while evicted.count < limit, try !isEnough(total()) {
      let oldest = try database.run(
        "SELECT id, digest, bytes, sequence FROM entry WHERE pinned=0 AND sequence>? ORDER BY sequence LIMIT 1",
        [.integer(last)])
      guard let row = oldest.first else { break }
      guard let digest = row[1].blob, let sequence = row[3].integer else { throw damage }
      do throws(DiskCacheError) {
        try fileSystem.remove(layout.entry(digest))
      } catch {
        // One file that cannot be removed must not keep all others. A failure of the index ends the transaction.
        failureCount += 1
        guard failureCount < Self.failureLimit else { throw error }
        last = sequence
        continue
      }
      try removeRow(row)
      evicted += Self.removal(of: [row])
    }
    return evicted
  }
}
