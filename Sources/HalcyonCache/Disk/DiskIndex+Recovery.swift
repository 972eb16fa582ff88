import HalcyonSupport
import Foundation

extension DiskIndex {
  /// Completes or undoes the unfinished writes of writers, and releases their reservations.
  ///
  /// - Parameter isRecoverable: Whether the writer with this name is abandoned, or the caller's own.
  func recoverWriters(
    _ isRecoverable: (_ writer: String) throws(DiskCacheError) -> Bool
  ) throws(DiskCacheError) {
    let query = "SELECT name, bytes FROM writer"
    guard try !database.run(query).isEmpty else { return }
    try database.transaction { () throws(DiskCacheError) in
      for row in try database.run(query) {
        // A name that leads to another folder comes from a damaged index.
        guard let writer = row[0].text, let byteCount = row[1].integer, !writer.contains("/") else {
          throw damagedIndexError
        }
        guard try isRecoverable(writer) else { continue }
        try fileSystem.remove(layout.temporary(writer))
        if let intent = try WriterLock.intent(of: writer, layout: layout, in: fileSystem) {
          try recover(intent, byteLimit: Int(byteCount))
        }
        try database.run("DELETE FROM writer WHERE name=?", [.text(writer)])
      }
    }
  }

  /// Adopts the file of a write intent if it is in place, intact and within the reservation; otherwise removes it.
  private func recover(_ intent: WriteIntent, byteLimit: Int) throws(DiskCacheError) {
    guard try database.run("SELECT 1 FROM entry WHERE id=?", [.integer(intent.id)]).isEmpty else { return }
    let path = layout.entry(intent.digest)
    let file = try description(path)
    // The file was not moved yet: in its place is the file of another entry, or none.
    if let file, file.header.id != intent.id { return }
    let isReserved = (file?.diskByteCount ?? 0) <= byteLimit
    let isIntact = isReserved ? try EntryFile.isIntact(path: path, digest: intent.digest, in: fileSystem) : false
    if !isIntact { try fileSystem.remove(path) }
    // The row of the entry whose file was replaced.
    try database.run("DELETE FROM entry WHERE digest=?", [.blob(intent.digest)])
    guard isIntact, let file else { return }
    try database.run("UPDATE total SET sequence=max(sequence, ?)+1", [.integer(intent.id)])
    try adopt(file, sequence: database.number("SELECT sequence FROM total"))
  }

  /// Compares one of the 256 shards with the index: removes files that are not indexed, and rows without a file.
  ///
  /// - Parameter age: The age in seconds from which a file that is not indexed is removed.
  func sweep(shard: UInt8, now: Date, age: TimeInterval = 600) throws(DiskCacheError) {
    let folder = layout.shard(shard)
    try database.transaction { () throws(DiskCacheError) in
      let rows = try rows(in: shard)
      let names = Set(try fileSystem.names(in: folder))
      for name in names.subtracting(rows.compactMap(Self.fileName)) {
        try removeOld(folder + "/" + name, now: now, age: age)
      }
      for row in rows where !names.contains(Self.fileName(row) ?? "") { try removeEntry(row) }
    }
    for name in try fileSystem.names(in: layout.temporaries) {
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
    do throws(DiskCacheError) {
      let modified = try fileSystem.status(of: path).modificationDate
      if now.timeIntervalSince(modified) > age { try fileSystem.remove(path) }
    } catch {
      guard error.isMissing else { throw error }
    }
  }
}
