import Foundation

extension DiskIndex {
  /// Settles the entries that writers left half done, of all owners for whom `isDead` says so.
  func settle(
    _ isDead: (_ owner: String, _ id: Int64) throws(DiskCacheError) -> Bool
  ) throws(DiskCacheError) {
    let query = "SELECT id, digest, owner, bytes FROM entry WHERE ready=0"
    guard try !database.run(query).isEmpty else { return }
    try database.transaction { () throws(DiskCacheError) in
      for row in try database.run(query) {
        guard let id = row[0].integer, let digest = row[1].blob, let byteCount = row[3].integer,
          try isDead(row[2].text ?? "", id)
        else { continue }
        try settle(id: id, digest: digest, byteCount: Int(byteCount))
      }
    }
  }

  /// Takes in an entry whose file is in its place and whole; gives back what any other was promised.
  private func settle(id: Int64, digest: [UInt8], byteCount: Int) throws(DiskCacheError) {
    try fileSystem.remove(layout.temporary(id))
    let path = layout.entry(digest)
    guard let placed = try description(path), placed.header.id == id else {
      try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
      return
    }
    if placed.diskByteCount == byteCount, try BlobFile.isWhole(path: path, digest: digest, in: fileSystem) {
      return try replace(digest: digest, by: id)
    }
    // The file is not what it says it is, and the one that it replaced is gone.
    try fileSystem.remove(path)
    try database.run("DELETE FROM entry WHERE \(Self.hasDigest)", [.blob(digest)])
  }

  /// Fills a new index from the files that are there. Nobody else may be writing.
  func rebuild(expiration: CacheExpiration) throws(DiskCacheError) {
    for name in try fileSystem.names(in: layout.temporaries) {
      try fileSystem.remove(layout.temporaries + "/" + name)
    }
    for name in try fileSystem.names(in: layout.entries) {
      guard let shard = UInt8(name, radix: 16) else { continue }
      try rebuild(shard: shard, expiration: expiration)
    }
    try database.transaction { () throws(DiskCacheError) in
      // Until now the order was the time of last use, which no running number must ever meet again.
      let ids = try database.run("SELECT id FROM entry ORDER BY sequence, id")
      for (place, row) in ids.enumerated() {
        try database.run("UPDATE entry SET sequence=? WHERE id=?", [.integer(Int64(place + 1)), row[0]])
      }
      try database.run("UPDATE total SET sequence=(SELECT max(coalesce(max(id), 0), count(*)) FROM entry)")
    }
  }

  /// Compares one of the 256 folders with the index: files that nobody counts go, and so do rows without a file.
  ///
  /// - Parameter age: How old a file must be to go, in seconds.
  func sweep(shard: UInt8, now: Date, age: TimeInterval = 600) throws(DiskCacheError) {
    let folder = layout.shard(shard)
    try database.transaction { () throws(DiskCacheError) in
      let (first, last) = ([shard], [shard] + [UInt8](repeating: 255, count: 16))
      let rows = try database.run(
        "SELECT id, digest FROM entry WHERE ready=1 AND digest BETWEEN ? AND ?", [.blob(first), .blob(last)])
      let pending = try database.run("SELECT id, digest FROM entry WHERE ready=0")
      let names = Set(try fileSystem.names(in: folder))
      for name in names.subtracting((rows + pending).compactMap(Self.name)) {
        try removeOld(folder + "/" + name, now: now, age: age)
      }
      for row in rows where !names.contains(Self.name(row) ?? "") { try removeEntry(row) }
    }
    for name in try fileSystem.names(in: layout.temporaries) {
      let isKnown = try database.number("SELECT count(*) FROM entry WHERE id=?", [.integer(Int64(name) ?? 0)]) > 0
      if !isKnown { try removeOld(layout.temporaries + "/" + name, now: now, age: age) }
    }
  }

  private func rebuild(shard: UInt8, expiration: CacheExpiration) throws(DiskCacheError) {
    let folder = layout.shard(shard)
    let names = try fileSystem.names(in: folder)
    guard !names.isEmpty else { return }
    try database.transaction { () throws(DiskCacheError) in
      for name in names {
        let path = folder + "/" + name
        guard let file = try description(path), let digest = DiskLayout.digest(name),
          path == layout.entry(digest), file.key.digest.bytes == digest, file.header.id > 0,
          try database.run("SELECT 1 FROM entry WHERE id=?", [.integer(file.header.id)]).isEmpty
        else {
          try fileSystem.remove(path)
          continue
        }
        let request = Request(
          digest: digest, byteCount: file.diskByteCount,
          expiration: StoredExpiration(file.metadata.expiration ?? expiration, at: file.modified),
          labels: EntryLabels(key: file.key, metadata: file.metadata), owner: "", date: file.modified)
        let lastUse = Int64(clamping: Int(file.modified.timeIntervalSince1970 * 1000))
        try insert(request, id: file.header.id, sequence: lastUse, isPinned: file.slot.isPinned)
        try replace(digest: digest, by: file.header.id)
      }
    }
  }

  private static func name(_ row: [SQLiteConnection.Value]) -> String? { row[1].blob.map(DiskLayout.name) }

  private func description(_ path: String) throws(DiskCacheError) -> BlobFile.Description? {
    do throws(DiskCacheError) {
      return try BlobFile.describe(path: path, in: fileSystem)
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
