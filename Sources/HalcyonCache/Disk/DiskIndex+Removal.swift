import HalcyonSupport
import Foundation

extension DiskIndex {
  /// The number of files that may fail to be removed before a removal ends.
  private static let failureLimit = 8

  /// Removes the entries selected by key, tag, source or expiration, with their files, until `isOver`; see
  /// ``EntrySelection``. An entry whose file cannot be removed does not keep others from being removed.
  ///
  /// - Throws: The first error, after all others have been removed.
  @discardableResult
  func remove(
    _ selection: EntrySelection, until isOver: () -> Bool = { false }
  ) throws(DiskCacheError) -> CleaningReport.Removal {
    var removed = CleaningReport.Removal()
    var failures: [(id: Int64, error: DiskCacheError)] = []
    while true {
      let failedIDs = failures.map { String($0.id) }.joined(separator: ",")
      let exclusion = failures.isEmpty ? "" : " AND id NOT IN (\(failedIDs))"
      let batch = try database.transaction { () throws(DiskCacheError) in
        let rows = try database.run(
          "SELECT id, digest, bytes FROM entry WHERE (\(selection.condition))\(exclusion) LIMIT \(Self.batchCount)",
          selection.values)
        var removedRows: [[SQLiteConnection.Value]] = []
        for row in rows where !isOver() {
          do throws(DiskCacheError) {
            try removeEntry(row)
            removedRows.append(row)
          } catch {
            guard error.isLimitedToFile, failures.count < Self.failureLimit, let id = row[0].integer else {
              throw error
            }
            failures.append((id, error))
          }
        }
        return (rowCount: rows.count, removal: Self.removal(of: removedRows))
      }
      removed += batch.removal
      if batch.rowCount < Self.batchCount || isOver() { break }
    }
    if let error = failures.first?.error { throw error }
    return removed
  }

  /// Removes the entry of a key, also its file alone: an abandoned writer may have left one without a row.
  ///
  /// - Returns: The number of rows removed.
  func removeEntry(of digest: [UInt8]) throws(DiskCacheError) -> Int {
    try database.transaction { () throws(DiskCacheError) in
      let row = try database.run("SELECT id, digest FROM entry WHERE digest=?", [.blob(digest)]).first
      if let row { try removeEntry(row) } else { try removeFile(layout.entry(digest)) }
      return row == nil ? 0 : 1
    }
  }

  /// Removes all entries, and all entry files that are not indexed.
  ///
  /// - Returns: The number of rows removed.
  /// - Throws: The first error, after all others have been removed.
  func removeAll() throws(DiskCacheError) -> Int {
    var failures = FileFailures()
    let count = try failures.collect { () throws(DiskCacheError) in try remove(.all).count } ?? 0
    for name in try fileSystem.names(in: layout.entries) {
      guard let shard = UInt8(name, radix: 16) else { continue }
      try failures.collect { () throws(DiskCacheError) in try removeUnindexedFiles(in: shard) }
    }
    try failures.throwFirst()
    // The entries are removed even if the index cannot be shrunk now.
    _ = try? shrink()
    return count
  }

  /// Active writers move files into place inside a transaction: files without a row were left by abandoned writers.
  private func removeUnindexedFiles(in shard: UInt8) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let indexed = Set(try rows(in: shard).compactMap(Self.fileName))
      for name in try names(in: shard) where DiskLayout.digest(name) != nil && !indexed.contains(name) {
        try removeFile(layout.shard(shard) + "/" + name)
      }
    }
  }

  /// Removes the entry of a key if its file is still damaged.
  func removeDamaged(_ digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let rows = try database.run("SELECT id, digest FROM entry WHERE digest=?", [.blob(digest)])
      let path = layout.entry(digest)
      if try isIntact(path, digest) { return }
      if let row = rows.first { try removeEntry(row) } else { try removeFile(path) }
    }
  }

  /// Removes the file, then the row, of an entry.
  func removeEntry(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let digest = row[1].blob else { throw damagedIndexError }
    try removeFile(layout.entry(digest))
    try removeRow(row)
  }

  /// Removes a file if it exists. A folder in its place stays: it is not an entry. So does a file in place of the shard.
  func removeFile(_ path: String) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try fileSystem.remove(path)
    } catch {
      let isFolder = (try? fileSystem.status(of: path))?.isFolder == true
      guard isFolder || error.systemCode == ENOTDIR else { throw error }
    }
  }

  /// The names in a shard. A file in place of the folder is removed.
  func names(in shard: UInt8) throws(DiskCacheError) -> [String] {
    let folder = layout.shard(shard)
    if let names = try ignoring({ $0.systemCode == ENOTDIR }, try fileSystem.names(in: folder)) { return names }
    try fileSystem.remove(folder)
    return []
  }

  func removeRow(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let id = row[0].integer else { throw damagedIndexError }
    try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
    // Otherwise the loops that remove until nothing is left would not end.
    guard database.changeCount == 1 else { throw damagedIndexError }
  }

  /// The number and total size of rows of ids, digests and sizes.
  static func removal(of rows: [[SQLiteConnection.Value]]) -> CleaningReport.Removal {
    let byteCounts = rows.map { Int(clamping: min(max(0, $0[2].integer ?? 0), Int64(1) << 40)) }
    return CleaningReport.Removal(count: rows.count, byteCount: byteCounts.reduce(0, +))
  }
}

/// The errors of single files, which do not end an operation on many.
struct FileFailures {
  private var first: DiskCacheError?

  /// The result of `body`; `nil` if it failed for single files.
  @discardableResult
  mutating func collect<Result>(_ body: () throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result? {
    do throws(DiskCacheError) {
      return try body()
    } catch {
      guard error.isLimitedToFile else { throw error }
      first = first ?? error
      return nil
    }
  }

  func throwFirst() throws(DiskCacheError) {
    if let first { throw first }
  }
}
