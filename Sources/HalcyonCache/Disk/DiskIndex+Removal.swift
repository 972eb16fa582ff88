import HalcyonSupport
import Foundation

extension DiskIndex {
  /// Removes entries with their files.
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

  /// Removes the entry of a key, also its file alone: an abandoned writer may have left one without a row.
  ///
  /// - Returns: The number of rows removed.
  func removeEntry(of digest: [UInt8]) throws(DiskCacheError) -> Int {
    try database.transaction { () throws(DiskCacheError) in
      let row = try database.run("SELECT id, digest FROM entry WHERE digest=?", [.blob(digest)]).first
      if let row { try removeEntry(row) } else { try fileSystem.remove(layout.entry(digest)) }
      return row == nil ? 0 : 1
    }
  }

  /// Removes all entries, and all entry files that are not indexed.
  ///
  /// - Returns: The number of rows removed.
  func removeAll() throws(DiskCacheError) -> Int {
    let count = try remove(.all).count
    for name in try fileSystem.names(in: layout.entries) {
      guard let shard = UInt8(name, radix: 16) else { continue }
      // Active writers move files into place inside a transaction: files without a row were left by abandoned writers.
      try database.transaction { () throws(DiskCacheError) in
        let indexed = Set(try rows(in: shard).compactMap(Self.fileName))
        for name in try fileSystem.names(in: layout.shard(shard)) {
          guard DiskLayout.digest(name) != nil, !indexed.contains(name) else { continue }
          try fileSystem.remove(layout.shard(shard) + "/" + name)
        }
      }
    }
    return count
  }

  /// Removes the entry of a key if its file is still damaged.
  func removeDamaged(_ digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let rows = try database.run("SELECT id, digest FROM entry WHERE digest=?", [.blob(digest)])
      let path = layout.entry(digest)
      if try EntryFile.isIntact(path: path, digest: digest, in: fileSystem) { return }
      if let row = rows.first { try removeEntry(row) } else { try fileSystem.remove(path) }
    }
  }

  /// Removes entries whose own or default expiration has passed.
  func removeExpired(_ context: DiskWriter.Context) throws(DiskCacheError) -> CleaningReport.Removal {
    var removed = try remove(.expired(at: context.now))
    if let byDefault = EntrySelection.expired(byDefault: context.configuration.expiration, at: context.now) {
      removed += try remove(byDefault)
    }
    return removed
  }

  /// Cleans as the policy says: wipes an idle cache, removes expired entries, and trims to the size limit.
  ///
  /// - Parameters:
  ///   - lastUse: The last use of the cache before the current one.
  ///   - start: The start of the current use.
  func clean(
    _ context: DiskWriter.Context, idleSince lastUse: LastUse, until start: Date
  ) throws(DiskCacheError) -> CleaningReport {
    let policy = context.configuration.cleaning
    var report = CleaningReport()
    try reconcileTotal()
    if let limit = policy.wipesAfterIdle, let date = lastUse.date, start.timeIntervalSince(date) > limit.inSeconds {
      report.noteOnDisk(try remove(.lastUsed(upTo: lastUse.sequence)), .idle)
    }
    if policy.removesExpired { report.noteOnDisk(try removeExpired(context), .expiration) }
    if policy.trimsToSizeLimit {
      report.noteOnDisk(try trim(to: budget(sizeLimit: context.configuration.sizeLimit)), .size)
    }
    return report
  }

  /// Removes the file, then the row, of an entry.
  func removeEntry(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let digest = row[1].blob else { throw damagedIndexError }
    try fileSystem.remove(layout.entry(digest))
    try removeRow(row)
  }

  func removeRow(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let id = row[0].integer else { throw damagedIndexError }
    try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
    // Otherwise the loops that remove until nothing is left would not end.
    guard database.changeCount == 1 else { throw damagedIndexError }
  }

  /// The number and total size of rows of ids, digests and sizes.
  static func removal(of rows: [[SQLiteConnection.Value]]) -> CleaningReport.Removal {
    let byteCounts = rows.map { Int(min(max(0, $0[2].integer ?? 0), 1 << 40)) }
    return CleaningReport.Removal(count: rows.count, byteCount: byteCounts.reduce(0, +))
  }
}
