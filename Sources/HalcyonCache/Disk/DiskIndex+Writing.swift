import Foundation

extension DiskIndex {
  /// An entry that is written.
  struct Request {
    /// The number that its file carries.
    var id: Int64
    var digest: [UInt8]
    var byteCount: Int
    var expiration: StoredExpiration
    var labels: IndexedAttributes
    var date: Date
  }

  /// What a writer has from now on, and what had to go for it.
  struct Grant {
    var allotment: Reservation
    var evictedCount: Int
  }

  /// Gives a writer space for an entry, and for some more where a part of the limit is more, evicting the oldest others
  /// until it is there. What the writer has left counts.
  func allot(_ byteCount: Int, to owner: String, at date: Date, budget: DiskBudget) throws(DiskCacheError) -> Grant {
    guard budget.allows(byteCount: byteCount, entryCount: 1) else {
      throw .entryTooLarge(byteCount: byteCount, sizeLimit: budget.sizeLimit)
    }
    var evictedCount = 0
    while true {
      let allotment = try database.transaction { () throws(DiskCacheError) -> Reservation? in
        let held = max(0, Int(try database.number("SELECT bytes FROM writer WHERE name=?", [.text(owner)])))
        let room = try makeRoom(
          for: max(0, max(byteCount, budget.allotmentByteCount) - held), atLeast: max(0, byteCount - held),
          budget: budget)
        evictedCount += room.evictedCount
        guard let roomByteCount = room.byteCount else { return nil }
        try database.run(
          "INSERT INTO writer VALUES(?1, ?2) ON CONFLICT DO UPDATE SET bytes=bytes+?2",
          [.text(owner), .integer(Int64(roomByteCount))])
        return Reservation(byteCount: held + roomByteCount, ids: try takeNumbers(Reservation.idCount, at: date))
      }
      if let allotment { return Grant(allotment: allotment, evictedCount: evictedCount) }
    }
  }

  /// Makes an entry the one of its key, paid for out of what its writer was allotted.
  ///
  /// - Parameter place: Moves the file into its place, with the pin of the entry that it replaces, while nobody else
  ///   changes the index.
  func add(
    _ request: Request, by owner: String, place: (_ isPinned: Bool) throws(DiskCacheError) -> Void
  ) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let byteCount = SQLiteConnection.Value.integer(Int64(request.byteCount))
      try database.run(
        "UPDATE OR FAIL writer SET bytes=bytes-?1 WHERE name=?2 AND bytes>=?1", [byteCount, .text(owner)])
      // Others take a writer for dead whose lock was deleted.
      guard database.changeCount == 1 else { throw .system(call: "open", path: layout.owner(owner), code: ENOENT) }
      let old = try database.run("SELECT id, pinned FROM entry WHERE digest=?", [.blob(request.digest)]).first
      let isPinned = old?[1].integer == 1
      try place(isPinned)
      if let id = old?[0] { try database.run("DELETE FROM entry WHERE id=?", [id]) }
      try insert(request, sequence: takeNumbers(1, at: request.date).lowerBound, isPinned: isPinned)
    }
  }

  /// Adds the row of an entry whose file is in its place.
  func insert(_ request: Request, sequence: Int64, isPinned: Bool) throws(DiskCacheError) {
    try database.run(
      """
      INSERT OR FAIL INTO entry(
        id, digest, bytes, sequence, pinned, tagged, defaulted, lifetime, expires, source, host)
      VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(request.id), .blob(request.digest), .integer(Int64(request.byteCount)), .integer(sequence),
        .integer(isPinned ? 1 : 0), .integer(request.labels.tags.isEmpty ? 0 : 1),
        .integer(request.expiration.isDefault ? 1 : 0), request.expiration.lifetime.value,
        request.expiration.date.value, .blob(request.labels.source), request.labels.host.value,
      ])
    try insertTags(request.labels.tags, id: request.id)
  }
}
