import Foundation

/// A choice of entries, as the index knows them.
struct EntrySelection {
  let condition: String
  let values: [SQLiteConnection.Value]

  static let all = EntrySelection(condition: "1", values: [])

  static func key(_ digest: [UInt8]) -> EntrySelection {
    EntrySelection(condition: "digest=?", values: [.blob(digest)])
  }

  /// The entry that was written under a number, unless it is being replaced.
  static func unchanged(_ id: Int64) -> EntrySelection {
    EntrySelection(
      condition: "id=? AND NOT EXISTS (SELECT 1 FROM entry next WHERE next.ready=0 AND next.digest=entry.digest)",
      values: [.integer(id)])
  }

  static func used(upTo sequence: Int64) -> EntrySelection {
    EntrySelection(condition: "sequence<=?", values: [.integer(sequence)])
  }

  static func source(_ address: String) -> EntrySelection {
    EntrySelection(condition: "source=?", values: [.blob(EntryLabels.source(address))])
  }

  static func host(_ host: String) -> EntrySelection {
    EntrySelection(condition: "host=?", values: [.text(host.lowercased())])
  }

  static func tag(_ tag: String) -> EntrySelection {
    EntrySelection(condition: "id IN (SELECT entry FROM tag WHERE tag=?)", values: [.blob(Array(tag.utf8))])
  }

  static func expired(at date: Date) -> EntrySelection {
    EntrySelection(condition: "expires IS NOT NULL AND expires<=?", values: [.real(date.timeIntervalSince1970)])
  }
}

extension DiskIndex {
  /// Removes entries with their files and returns how many there were.
  @discardableResult
  func remove(_ selection: EntrySelection) throws(DiskCacheError) -> Int {
    var removedCount = 0
    while true {
      let count = try database.transaction { () throws(DiskCacheError) in
        let rows = try database.run(
          "SELECT id, digest FROM entry WHERE ready=1 AND \(selection.condition) LIMIT \(Self.batchCount)",
          selection.values)
        for row in rows { try removeEntry(row) }
        return rows.count
      }
      removedCount += count
      if count < Self.batchCount { return removedCount }
    }
  }

  /// Removes the entry of a key when its file is still damaged, and nobody is writing a new one.
  func removeDamaged(_ digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let rows = try database.run("SELECT id, digest, ready FROM entry WHERE \(Self.hasDigest)", [.blob(digest)])
      guard !rows.contains(where: { $0[2].integer == 0 }) else { return }
      let path = layout.entry(digest)
      if try BlobFile.isWhole(path: path, digest: digest, in: fileSystem) { return }
      if let row = rows.first { try removeEntry(row) } else { try fileSystem.remove(path) }
    }
  }

  /// Evicts the least recently used until the files take no more than `sizeLimit` bytes; returns how many went.
  ///
  /// Pinned entries stay, even when they are more than that.
  @discardableResult
  func trim(to sizeLimit: Int) throws(DiskCacheError) -> Int {
    var evictedCount = 0
    while true {
      let count = try database.transaction { () throws(DiskCacheError) in
        try evict(downTo: sizeLimit, atMost: Self.batchCount)
      }
      evictedCount += count
      if count < Self.batchCount { return evictedCount }
    }
  }

  func makeRoom(for byteCount: Int, digest: [UInt8], sizeLimit: Int) throws(DiskCacheError) -> Int {
    let target = sizeLimit - byteCount
    guard try totalSize() > target else { return 0 }
    // Nothing is evicted for an entry that will not fit anyway.
    let fixed = try database.number(
      """
      SELECT (SELECT coalesce(sum(bytes), 0) FROM entry WHERE ready=1 AND pinned=1)
        + (SELECT coalesce(sum(bytes), 0) FROM entry WHERE ready=0)
      """)
    guard fixed <= target else { throw .noRoom(byteCount: byteCount, sizeLimit: sizeLimit) }
    let evictedCount = try evict(downTo: target, atMost: .max)
    guard try totalSize() <= target else { throw .noRoom(byteCount: byteCount, sizeLimit: sizeLimit) }
    return evictedCount
  }

  func removeEntry(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let id = row[0].integer, let digest = row[1].blob else { return }
    try fileSystem.remove(layout.entry(digest))
    try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
  }

  private func evict(downTo sizeLimit: Int, atMost limit: Int) throws(DiskCacheError) -> Int {
    var count = 0
    while count < limit, try totalSize() > sizeLimit {
      // An entry whose successor is being written stays: both share one path.
      let oldest = try database.run(
        """
        SELECT id, digest FROM entry e WHERE ready=1 AND pinned=0
          AND NOT EXISTS (SELECT 1 FROM entry WHERE ready=0 AND digest=e.digest) ORDER BY sequence LIMIT 1
        """)
      guard let row = oldest.first else { break }
      try removeEntry(row)
      count += 1
    }
    return count
  }
}
