import HalcyonSupport
import Foundation

extension DiskIndex {
  /// Settles what writers left, of all owners for whom `isDone` says so: what they were putting in its place is taken in
  /// or removed, and what they were allotted is given back.
  func settle(_ isDone: (_ owner: String) throws(DiskCacheError) -> Bool) throws(DiskCacheError) {
    let query = "SELECT name, bytes FROM writer"
    guard try !database.run(query).isEmpty else { return }
    try database.transaction { () throws(DiskCacheError) in
      for row in try database.run(query) {
        // A name that leads to other folders comes from a damaged index.
        guard let owner = row[0].text, let byteCount = row[1].integer, !owner.contains("/") else { throw damage }
        guard try isDone(owner) else { continue }
        try fileSystem.remove(layout.temporary(owner))
        if let placed = try WriterLock.note(of: owner, layout: layout, in: fileSystem) {
          try settle(placed, byteLimit: Int(byteCount))
        }
        try database.run("DELETE FROM writer WHERE name=?", [.text(owner)])
      }
    }
  }

  /// Takes in an entry whose file is in its place, whole and paid for; removes what is anything else.
  private func settle(_ placed: WriteIntent, byteLimit: Int) throws(DiskCacheError) {
    guard try database.run("SELECT 1 FROM entry WHERE id=?", [.integer(placed.id)]).isEmpty else { return }
    let path = layout.entry(placed.digest)
    let file = try description(path)
    // Before the move there is the file of another entry, or none.
    if let file, file.header.id != placed.id { return }
    let isPaid = (file?.diskByteCount ?? 0) <= byteLimit
    let isWhole = isPaid ? try EntryFile.isWhole(path: path, digest: placed.digest, in: fileSystem) : false
    if !isWhole { try fileSystem.remove(path) }
    // The file that this one replaced is gone.
    try database.run("DELETE FROM entry WHERE digest=?", [.blob(placed.digest)])
    guard isWhole, let file else { return }
    try database.run("UPDATE total SET sequence=max(sequence, ?)+1", [.integer(placed.id)])
    try take(file, sequence: database.number("SELECT sequence FROM total"))
  }

  /// Fills a new index from the files that are there. Nobody else may be writing.
  func rebuild() throws(DiskCacheError) {
    for name in try fileSystem.names(in: layout.temporaries) {
      try fileSystem.remove(layout.temporaries + "/" + name)
    }
    for name in try fileSystem.names(in: layout.entries) {
      guard let shard = UInt8(name, radix: 16) else { continue }
      try rebuild(shard: shard)
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
      let rows = try rows(in: shard)
      let names = Set(try fileSystem.names(in: folder))
      for name in names.subtracting(rows.compactMap(Self.name)) {
        try removeOld(folder + "/" + name, now: now, age: age)
      }
      for row in rows where !names.contains(Self.name(row) ?? "") { try removeEntry(row) }
    }
    for name in try fileSystem.names(in: layout.temporaries) {
      let isKnown = try !database.run("SELECT 1 FROM writer WHERE name=?", [.text(name)]).isEmpty
      if !isKnown { try removeOld(layout.temporaries + "/" + name, now: now, age: age) }
    }
  }

  private func rebuild(shard: UInt8) throws(DiskCacheError) {
    let folder = layout.shard(shard)
    let names = try fileSystem.names(in: folder)
    guard !names.isEmpty else { return }
    try database.transaction { () throws(DiskCacheError) in
      for name in names {
        let path = folder + "/" + name
        guard let file = try readableDescription(path) else { continue }
        guard let file, let digest = DiskLayout.digest(name),
          path == layout.entry(digest), file.key.digest.bytes == digest,
          (1..<Self.largestNumber / 2).contains(file.header.id),
          try database.run("SELECT 1 FROM entry WHERE id=?", [.integer(file.header.id)]).isEmpty
        else {
          try fileSystem.remove(path)
          continue
        }
        let lastUse = min(max(0, file.modified.timeIntervalSince1970 * 1000), Double(Self.largestNumber))
        try take(file, sequence: Int64(lastUse))
      }
    }
  }

  /// Adds the entry of a file that is in its place.
  private func take(_ file: EntryFile.Description, sequence: Int64) throws(DiskCacheError) {
    let request = Request(
      id: file.header.id, digest: file.key.digest.bytes, byteCount: file.diskByteCount,
      expiration: StoredExpiration(file.metadata.expiration, at: file.modified),
      labels: IndexedAttributes(key: file.key, metadata: file.metadata), date: file.modified)
    try insert(request, sequence: sequence, isPinned: file.slot.isPinned)
  }

  /// The numbers and digests of the entries in one of the folders.
  func rows(in shard: UInt8) throws(DiskCacheError) -> [[SQLiteConnection.Value]] {
    let (first, last) = ([shard], [shard] + [UInt8](repeating: 255, count: 16))
    return try database.run(
      "SELECT id, digest FROM entry WHERE digest BETWEEN ? AND ?", [.blob(first), .blob(last)])
  }

  /// The name of the file of such a row.
  static func name(_ row: [SQLiteConnection.Value]) -> String? { row[1].blob?.hexadecimal }

  /// What a file says about itself, `nil` where it is no entry; or nothing at all where it cannot be looked at, whether
  /// it is a folder, somebody else's, or on a bad place of the disk: it must not keep the others from being found.
  private func readableDescription(_ path: String) throws(DiskCacheError) -> EntryFile.Description?? {
    do throws(DiskCacheError) {
      return .some(try description(path))
    } catch {
      guard let code = error.systemCode, [EACCES, EPERM, EIO, EISDIR, ELOOP].contains(code) else { throw error }
      return nil
    }
  }

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
