import Foundation

/// Disk space and file numbers that a writer may use without another transaction.
///
/// The bytes count toward the limit from the moment they are reserved, used or not.
struct Reservation {
  /// The number of file numbers in a reservation.
  static let idCount = 64

  var byteCount = 0
  var ids: Range<Int64> = 0..<0

  /// Whether it suffices for an entry of this size.
  func covers(_ byteCount: Int) -> Bool { byteCount <= self.byteCount && !ids.isEmpty }
}

extension DiskIndex {
  /// Reserves space for an entry, evicting the least recently used entries as needed.
  ///
  /// Reserves ``DiskBudget/reservationByteCount`` when the entry needs less. The writer's unused reservation counts
  /// toward it.
  ///
  /// - Parameter writer: The name of the writer's lock.
  /// - Throws: ``DiskCacheError/entryTooLarge(byteCount:sizeLimit:)`` or
  ///   ``DiskCacheError/insufficientSpace(byteCount:sizeLimit:)``.
  func reserve(
    _ byteCount: Int, for writer: String, at date: Date, budget: DiskBudget
  ) throws(DiskCacheError) -> (reservation: Reservation, evictedCount: Int) {
    guard budget.allows(byteCount: byteCount, entryCount: 1) else {
      throw .entryTooLarge(byteCount: byteCount, sizeLimit: budget.sizeLimit)
    }
    var evictedCount = 0
    while true {
      let reservation = try database.transaction { () throws(DiskCacheError) -> Reservation? in
        let unused = max(0, Int(try database.number("SELECT bytes FROM writer WHERE name=?", [.text(writer)])))
        let space = try makeSpace(
          for: max(0, max(byteCount, budget.reservationByteCount) - unused), atLeast: max(0, byteCount - unused),
          budget: budget)
        evictedCount += space.evictedCount
        guard let added = space.byteCount else { return nil }
        try database.run(
          "INSERT INTO writer VALUES(?1, ?2) ON CONFLICT DO UPDATE SET bytes=bytes+?2",
          [.text(writer), .integer(Int64(added))])
        return Reservation(byteCount: unused + added, ids: try takeSequenceNumbers(Reservation.idCount, at: date))
      }
      if let reservation { return (reservation, evictedCount) }
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
}
