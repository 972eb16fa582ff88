import Foundation

/// The part of the size limit that entries may take.
struct DiskBudget {
  /// The smallest limit that covers the whole folder, in bytes. Below it only entries count: the index and the folders
  /// alone would take too much of it.
  static let smallestWholeLimit = 16 << 20

  let sizeLimit: Int
  /// The disk space that the folder takes besides the entry files, in bytes.
  let overhead: Int

  init(sizeLimit: Int, overhead: Int = 0) {
    self.sizeLimit = sizeLimit
    self.overhead = sizeLimit < Self.smallestWholeLimit ? 0 : overhead
  }

  /// Whether entries with this counted size stay within the limit.
  ///
  /// Each entry is counted with one block more than its file takes, which covers the overhead first.
  func allows(byteCount: Int, entryCount: Int) -> Bool {
    byteCount <= sizeLimit - max(0, overhead - entryCount * EntryFile.blockByteCount)
  }

  /// The space that a writer reserves at once, in bytes, when its entry needs less: a 64th of the limit, at most 1 MiB.
  var reservationByteCount: Int { max(0, min(1 << 20, sizeLimit / 64)) }

  /// The size in bytes at which the WAL of the index is checkpointed.
  static func walByteLimit(sizeLimit: Int) -> Int { min(4 << 20, max(1 << 20, sizeLimit / 16)) }
}

extension DiskIndex {
  /// The number of files that may fail to be removed in one pass of eviction before it fails.
  private static let failureLimit = 8

  /// The budget under a limit, for the current size of the index.
  func budget(sizeLimit: Int) throws(DiskCacheError) -> DiskBudget {
    DiskBudget(sizeLimit: sizeLimit, overhead: try overhead(sizeLimit: sizeLimit))
  }

  /// The disk space that the folder takes, or soon will, besides the entry files, in bytes.
  private func overhead(sizeLimit: Int) throws(DiskCacheError) -> Int {
    let database = Int(try database.number("PRAGMA page_count")) * Self.pageByteCount
    var wal = 0
    do throws(DiskCacheError) {
      wal = Int(try fileSystem.status(of: layout.index + "-wal").st_size)
    } catch {
      guard error.isMissing else { throw error }
    }
    // The shards and a few more folders, lock files of writers; SQLite's shared memory; and the WAL pages of one
    // transaction: at most four for each entry evicted for a reservation, and some for the rest.
    let transaction = DiskBudget(sizeLimit: sizeLimit).reservationByteCount / 2 + (128 << 10)
    let rest = 272 * EntryFile.blockByteCount + (32 << 10) + transaction
    return database + max(wal, DiskBudget.walByteLimit(sizeLimit: sizeLimit)) + rest
  }

  /// Evicts the least recently used entries until the others are within the budget.
  ///
  /// Pinned entries stay, even when they exceed it. Reservations of writers do not count: they were within the limit
  /// when they were made.
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

  /// Space made by eviction in one transaction.
  struct FreedSpace {
    /// The bytes available; `nil` when another transaction has to evict more.
    var byteCount: Int?
    var evictedCount: Int
  }

  /// Makes space for `preferred` bytes; for `minimum` bytes where pinned entries and reservations leave too little.
  ///
  /// Evicts at most ``batchCount`` entries.
  ///
  /// - Throws: ``DiskCacheError/insufficientSpace(byteCount:sizeLimit:)`` when even `minimum` does not fit.
  func makeSpace(
    for preferred: Int, atLeast minimum: Int, budget: DiskBudget
  ) throws(DiskCacheError) -> FreedSpace {
    let reserved = try reservedByteCount()
    let fits = { (byteCount: Int, total: Total) in
      budget.allows(byteCount: total.byteCount + reserved + byteCount, entryCount: total.count)
    }
    if fits(preferred, try total()) { return FreedSpace(byteCount: preferred, evictedCount: 0) }
    let pinned = try pinnedTotal()
    let error = DiskCacheError.insufficientSpace(byteCount: minimum, sizeLimit: budget.sizeLimit)
    guard let byteCount = [preferred, minimum].first(where: { fits($0, pinned) }) else { throw error }
    let evictedCount = try evict(atMost: Self.batchCount) { total in fits(byteCount, total) }.count
    if fits(byteCount, try total()) { return FreedSpace(byteCount: byteCount, evictedCount: evictedCount) }
    guard evictedCount == Self.batchCount else { throw error }
    return FreedSpace(byteCount: nil, evictedCount: evictedCount)
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
      guard let digest = row[1].blob, let sequence = row[3].integer else { throw damagedIndexError }
      do throws(DiskCacheError) {
        try removeFile(layout.entry(digest))
      } catch {
        // A file that cannot be removed does not keep others from being evicted.
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
