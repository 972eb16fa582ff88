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

  /// Fills a new index from the entry files. No other process may be writing.
  func rebuild() throws(DiskCacheError) {
    for name in try fileSystem.names(in: layout.temporaries) {
      try fileSystem.remove(layout.temporaries + "/" + name)
    }
    for name in try fileSystem.names(in: layout.entries) {
      guard let shard = UInt8(name, radix: 16) else { continue }
      try rebuild(shard: shard)
    }
    try database.transaction { () throws(DiskCacheError) in
      // So far the sequence numbers are modification times, which later sequence numbers must not collide with.
      let ids = try database.run("SELECT id FROM entry ORDER BY sequence, id")
      for (position, row) in ids.enumerated() {
        try database.run("UPDATE entry SET sequence=? WHERE id=?", [.integer(Int64(position + 1)), row[0]])
      }
      try database.run("UPDATE total SET sequence=(SELECT max(coalesce(max(id), 0), count(*)) FROM entry)")
    }
  }

  private func rebuild(shard: UInt8) throws(DiskCacheError) {
    let folder = layout.shard(shard)
    let names = try fileSystem.names(in: folder)
    guard !names.isEmpty else { return }
    try database.transaction { () throws(DiskCacheError) in
      for name in names {
        let path = folder + "/" + name
        switch try inspect(path, name: name) {
        case .entry(let file):
          let lastUse = min(max(0, file.modified.timeIntervalSince1970 * 1000), Double(Self.largestNumber))
          try adopt(file, sequence: Int64(lastUse))
        case .notAnEntry: try fileSystem.remove(path)
        case .unreadable: break
        }
      }
    }
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

  /// Adds the row of a file that is in place.
  private func adopt(_ file: EntryFile.Description, sequence: Int64) throws(DiskCacheError) {
    let row = EntryRow(
      id: file.header.id, digest: file.key.digest.bytes, byteCount: file.diskByteCount,
      expiration: StoredExpiration(file.metadata.expiration, at: file.modified),
      attributes: IndexedAttributes(key: file.key, metadata: file.metadata), date: file.modified)
    try insert(row, sequence: sequence, isPinned: file.slot.isPinned)
  }

  /// A file in a shard.
  private enum InspectedFile {
    case entry(EntryFile.Description)
    /// Missing, damaged, under the wrong name, or with the number of another entry.
    case notAnEntry
    /// A folder, a file of another user, or one in a bad block.
    case unreadable
  }

  private func inspect(_ path: String, name: String) throws(DiskCacheError) -> InspectedFile {
    let description: EntryFile.Description?
    do throws(DiskCacheError) {
      description = try self.description(path)
    } catch {
      guard let code = error.systemCode, [EACCES, EPERM, EIO, EISDIR, ELOOP].contains(code) else { throw error }
      return .unreadable
    }
    guard let file = description, let digest = DiskLayout.digest(name),
      path == layout.entry(digest), file.key.digest.bytes == digest,
      (1..<Self.largestNumber / 2).contains(file.header.id),
      try database.run("SELECT 1 FROM entry WHERE id=?", [.integer(file.header.id)]).isEmpty
    else { return .notAnEntry }
    return .entry(file)
  }

  /// The description of an entry file; `nil` when it is missing or damaged.
  private func description(_ path: String) throws(DiskCacheError) -> EntryFile.Description? {
    do throws(DiskCacheError) {
      return try EntryFile.describe(path: path, in: fileSystem)
    } catch {
      if error.isMissing { return nil }
      throw error
    }
  }

  private func removeOld(_ path: String, now: Date, age: TimeInterval) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      let modified = try fileSystem.status(of: path).modificationDate
      if now.timeIntervalSince(modified) > age { try fileSystem.remove(path) }
    } catch {
      guard error.isMissing else { throw error }
    }
  }
}
