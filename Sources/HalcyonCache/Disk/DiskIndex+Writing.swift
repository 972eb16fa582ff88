import Foundation

extension DiskIndex {
  /// The row of an entry.
  struct EntryRow {
    /// The number in the header of the entry's file.
    var id: Int64
    var digest: [UInt8]
    var byteCount: Int
    var expiration: StoredExpiration
    var attributes: IndexedAttributes
    var date: Date
  }

  /// Adds the row of an entry, replacing the row of its key, and charges the writer's reservation.
  ///
  /// - Parameter moveIntoPlace: Moves the file into place, pinned if the replaced entry is. Called inside the
  ///   transaction, so that no other process changes the index meanwhile.
  func add(
    _ row: EntryRow, by writer: String, moveIntoPlace: (_ isPinned: Bool) throws(DiskCacheError) -> Void
  ) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let byteCount = SQLiteConnection.Value.integer(Int64(row.byteCount))
      try database.run(
        "UPDATE OR FAIL writer SET bytes=bytes-?1 WHERE name=?2 AND bytes>=?1", [byteCount, .text(writer)])
      // The reservation is gone when the lock file was deleted, so that another process took this writer for abandoned.
      guard database.changeCount == 1 else {
        throw .system(call: "open", path: layout.writerLock(writer), code: ENOENT)
      }
      let old = try database.run("SELECT id, pinned FROM entry WHERE digest=?", [.blob(row.digest)]).first
      let isPinned = old?[1].integer == 1
      try moveIntoPlace(isPinned)
      if let id = old?[0] { try database.run("DELETE FROM entry WHERE id=?", [id]) }
      try insert(row, sequence: takeSequenceNumbers(1, at: row.date).lowerBound, isPinned: isPinned)
    }
  }

  /// Inserts the row of an entry whose file is in place.
  func insert(_ row: EntryRow, sequence: Int64, isPinned: Bool) throws(DiskCacheError) {
    try database.run(
      """
      INSERT OR FAIL INTO entry(
        id, digest, bytes, sequence, pinned, tagged, defaulted, lifetime, expires, source)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(row.id), .blob(row.digest), .integer(Int64(row.byteCount)), .integer(sequence),
        .integer(isPinned ? 1 : 0), .integer(row.attributes.tags.isEmpty ? 0 : 1),
        .integer(row.expiration.isDefault ? 1 : 0), row.expiration.lifetime.sqlValue,
        row.expiration.date.sqlValue, .blob(row.attributes.source),
      ])
    try insertTags(row.attributes.tags, id: row.id)
  }

  /// Updates the attributes and the expiration of an entry. Does nothing when the entry was replaced or removed.
  func update(
    id: Int64, attributes: IndexedAttributes, expiration: StoredExpiration
  ) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      try database.run(
        "UPDATE entry SET tagged=?, defaulted=?, lifetime=?, expires=?, source=? WHERE id=?",
        [
          .integer(attributes.tags.isEmpty ? 0 : 1), .integer(expiration.isDefault ? 1 : 0),
          expiration.lifetime.sqlValue, expiration.date.sqlValue, .blob(attributes.source),
          .integer(id),
        ])
      try database.run("DELETE FROM tag WHERE entry=?", [.integer(id)])
      if try !database.run("SELECT 1 FROM entry WHERE id=?", [.integer(id)]).isEmpty {
        try insertTags(attributes.tags, id: id)
      }
    }
  }

  /// Sets whether an entry is exempt from eviction.
  func setPinned(_ isPinned: Bool, digest: [UInt8]) throws(DiskCacheError) {
    let new = SQLiteConnection.Value.integer(isPinned ? 1 : 0)
    let old = try database.run("SELECT pinned FROM entry WHERE digest=?", [.blob(digest)]).first
    guard old?[0] != new else { return }
    try database.transaction { () throws(DiskCacheError) in
      try database.run("UPDATE entry SET pinned=? WHERE digest=?", [new, .blob(digest)])
    }
  }

  private func insertTags(_ tags: [String], id: Int64) throws(DiskCacheError) {
    for tag in Set(tags) {
      try database.run("INSERT INTO tag(entry, tag) VALUES(?, ?)", [.integer(id), .blob(Array(tag.utf8))])
    }
  }
}
