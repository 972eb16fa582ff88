import HalcyonSupport
import Foundation

extension DiskIndex {
  /// Completes or undoes the unfinished writes of writers, and releases their reservations.
  ///
  /// - Parameter isRecoverable: Whether the writer with this name is abandoned, or the caller's own.
  /// - Returns: The writers that could not be recovered, with the errors of their files. They keep their reservations,
  ///   which is safe: the index counts more than there is.
  func recoverWriters(
    _ isRecoverable: (_ writer: String) throws(DiskCacheError) -> Bool
  ) throws(DiskCacheError) -> [String: DiskCacheError] {
    let query = "SELECT name, bytes FROM writer"
    guard try !database.run(query).isEmpty else { return [:] }
    return try database.transaction { () throws(DiskCacheError) in
      var failures: [String: DiskCacheError] = [:]
      for row in try database.run(query) {
        // Another name, which may lead to another folder, comes from a damaged index.
        guard let writer = row[0].text, let byteCount = row[1].integer, WriterLock.isName(writer) else {
          throw damagedIndexError
        }
        guard try isRecoverable(writer) else { continue }
        do throws(DiskCacheError) {
          try recover(writer, byteLimit: Int(byteCount))
        } catch {
          guard error.isLimitedToFile else { throw error }
          failures[writer] = error
          continue
        }
        try database.run("DELETE FROM writer WHERE name=?", [.text(writer)])
      }
      return failures
    }
  }

  private func recover(_ writer: String, byteLimit: Int) throws(DiskCacheError) {
    try removeFile(layout.temporary(writer))
    if let intent = try WriterLock.intent(of: writer, layout: layout, in: fileSystem) {
      try recover(intent, byteLimit: byteLimit)
    }
  }

  /// Adopts the file of a write intent if it is in place, intact and within the reservation; otherwise removes it.
  private func recover(_ intent: WriteIntent, byteLimit: Int) throws(DiskCacheError) {
    guard try database.run("SELECT 1 FROM entry WHERE id=?", [.integer(intent.id)]).isEmpty else { return }
    let path = layout.entry(intent.digest)
    let file = try ignoring(\.isUnreadable, try description(path))
    // The file was not moved yet: in its place is the file of another entry, or none.
    if let file, file.header.id != intent.id { return }
    let isReserved = (file?.diskByteCount ?? 0) <= byteLimit
    let isIntact = isReserved ? try isIntact(path, intent.digest) : false
    if !isIntact { try removeFile(path) }
    // The row of the entry whose file was replaced.
    try database.run("DELETE FROM entry WHERE digest=?", [.blob(intent.digest)])
    guard isIntact, let file else { return }
    try database.run("UPDATE total SET sequence=max(sequence, ?)+1", [.integer(intent.id)])
    try adopt(file, sequence: database.number("SELECT sequence FROM total"))
  }

  /// Whether the file of an entry is intact. One that cannot be read is not.
  func isIntact(_ path: String, _ digest: [UInt8]) throws(DiskCacheError) -> Bool {
    try ignoring(\.isUnreadable, try EntryFile.isIntact(path: path, digest: digest, in: fileSystem)) ?? false
  }

  /// Compares one of the 256 shards with the index: removes files that are not indexed, and rows without a file.
  ///
  /// - Parameter age: The age in seconds from which a file that is not indexed is removed.
  func sweep(shard: UInt8, now: Date, age: TimeInterval = 600) throws(DiskCacheError) {
    let folder = layout.shard(shard)
    try database.transaction { () throws(DiskCacheError) in
      let rows = try rows(in: shard)
      let names = Set(try self.names(in: shard))
      for name in names.subtracting(rows.compactMap(Self.fileName)) where DiskLayout.digest(name) != nil {
        try removeOld(folder + "/" + name, now: now, age: age)
      }
      for row in rows where !names.contains(Self.fileName(row) ?? "") { try removeEntry(row) }
    }
    for name in try fileSystem.names(in: layout.temporaries) where WriterLock.isName(name) {
      let isKnown = try !database.run("SELECT 1 FROM writer WHERE name=?", [.text(name)]).isEmpty
      if !isKnown { try removeOld(layout.temporaries + "/" + name, now: now, age: age) }
    }
  }

  /// The ids and digests of the entries in a shard.
  func rows(in shard: UInt8) throws(DiskCacheError) -> [[SQLiteConnection.Value]] {
    let (first, last) = ([shard], [shard] + [UInt8](repeating: 255, count: 16))
    return try database.run(
      "SELECT id, digest FROM entry WHERE digest BETWEEN ? AND ?", [.blob(first), .blob(last)])
  }

  /// The file name of a row of ``rows(in:)``.
  static func fileName(_ row: [SQLiteConnection.Value]) -> String? { row[1].blob?.hexadecimal }

  private func removeOld(_ path: String, now: Date, age: TimeInterval) throws(DiskCacheError) {
    let status = try ignoring(\.isMissing, try fileSystem.status(of: path))
    if let status, now.timeIntervalSince(status.modificationDate) > age { try removeFile(path) }
  }
}
