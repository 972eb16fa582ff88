import Foundation

extension DiskIndex {
  /// The number of files that may fail to be removed in one pass of eviction before it fails.
  private static let failureLimit = 8

  /// Evicts the least recently used entries until the others are within the budget, or until `isOver`.
  ///
  /// Pinned entries stay, even when they exceed it. Reservations of writers do not count: they were within the limit
  /// when they were made.
  @discardableResult
  func trim(
    to budget: DiskBudget, until isOver: () -> Bool = { false }
  ) throws(DiskCacheError) -> CleaningReport.Removal {
    var evicted = CleaningReport.Removal()
    while true {
      let batch = try database.transaction { () throws(DiskCacheError) in
        try evict(atMost: Self.batchCount) { total in
          isOver() || budget.allows(byteCount: total.byteCount, entryCount: total.count)
        }
      }
      evicted += batch
      if batch.count < Self.batchCount { return evicted }
    }
  }

  /// Evicts entries in the order of their last use, at most `limit`, until `isEnough` says so.
  func evict(
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
