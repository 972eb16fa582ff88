import Foundation

/// Which entries the disk holds, how large they are and in which order they go.
///
/// The index counts too much rather than too little: an entry is counted before its file is written, and its file is
/// removed before it is no longer counted. So the files never take more space than the index says, whoever is killed
/// when. Order follows a running number, never a clock.
struct DiskIndex {
  private let database: SQLiteConnection
  private let layout: DiskLayout

  /// Opens the index, or makes a new one.
  init(layout: DiskLayout) throws(DiskCacheError) {
    self.layout = layout
    database = try SQLiteConnection(path: layout.index)
    for statement in Self.schema { try database.run(statement) }
  }

  /// Whether the last failure says that the index is damaged and has to be made anew.
  var isCorrupt: Bool { database.isCorrupt }

  private static let schema = [
    "PRAGMA journal_mode=WAL",
    "PRAGMA synchronous=NORMAL",
    """
    CREATE TABLE IF NOT EXISTS entry(
      id INTEGER PRIMARY KEY, digest BLOB NOT NULL, bytes INTEGER NOT NULL, ready INTEGER NOT NULL,
      sequence INTEGER NOT NULL, lifetime REAL, expires REAL)
    """,
    "CREATE UNIQUE INDEX IF NOT EXISTS entry_ready ON entry(digest) WHERE ready=1",
    "CREATE INDEX IF NOT EXISTS entry_order ON entry(ready, sequence)",
    "CREATE INDEX IF NOT EXISTS entry_expiry ON entry(expires) WHERE expires IS NOT NULL",
    "CREATE TABLE IF NOT EXISTS total(bytes INTEGER NOT NULL, count INTEGER NOT NULL, sequence INTEGER NOT NULL)",
    "INSERT INTO total SELECT 0, 0, 0 WHERE NOT EXISTS (SELECT 1 FROM total)",
  ]

  /// Bytes of disk space that are taken or promised.
  func totalSize() throws(DiskCacheError) -> Int { try total("bytes") }

  /// Entries that are whole or being written.
  func count() throws(DiskCacheError) -> Int { try total("count") }

  /// Promises space to an entry that is about to be written, evicting the oldest others until it is there.
  ///
  /// - Returns: The number that the entry's file carries.
  func reserve(byteCount: Int, digest: [UInt8], sizeLimit: Int) throws(DiskCacheError) -> Int64 {
    guard byteCount <= sizeLimit else { throw .entryTooLarge(byteCount: byteCount, sizeLimit: sizeLimit) }
    return try database.transaction { () throws(DiskCacheError) in
      try evict(downTo: sizeLimit - byteCount)
      try database.run(
        "UPDATE total SET bytes=bytes+?, count=count+1, sequence=sequence+1", [.integer(Int64(byteCount))])
      try database.run(
        "INSERT INTO entry(digest, bytes, ready, sequence) SELECT ?, ?, 0, sequence FROM total",
        [.blob(digest), .integer(Int64(byteCount))])
      return try number("SELECT max(id) FROM entry")
    }
  }

  /// Takes a promise back: the file was not written.
  func cancel(id: Int64) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      try discount("id=?", [.integer(id)])
      try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
    }
  }

  /// Makes a written entry the one of its key. The file must be in its place.
  func commit(id: Int64, digest: [UInt8], expiration: StoredExpiration) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      try discount("digest=? AND ready=1", [.blob(digest)])
      try database.run("DELETE FROM entry WHERE digest=? AND ready=1", [.blob(digest)])
      try database.run(
        "UPDATE entry SET ready=1, lifetime=?, expires=? WHERE id=?",
        [expiration.lifetime.value, expiration.date.value, .integer(id)])
    }
  }

  /// Makes entries the most recently used, in the order given.
  func touch(_ uses: [(digest: [UInt8], date: Date)]) throws(DiskCacheError) {
    guard !uses.isEmpty else { return }
    try database.transaction { () throws(DiskCacheError) in
      for use in uses {
        try database.run("UPDATE total SET sequence=sequence+1")
        try database.run(
          """
          UPDATE entry SET sequence=(SELECT sequence FROM total),
            expires=CASE WHEN lifetime IS NULL THEN expires ELSE ?+lifetime END WHERE digest=? AND ready=1
          """, [.real(use.date.timeIntervalSince1970), .blob(use.digest)])
      }
    }
  }

  /// Removes the entry of a key with its file.
  func remove(_ digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      for row in try database.run("SELECT id, digest FROM entry WHERE digest=? AND ready=1", [.blob(digest)]) {
        try removeEntry(row)
      }
    }
  }

  /// Removes what has expired at a date, reading no file.
  func removeExpired(at date: Date) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      let condition = "ready=1 AND expires IS NOT NULL AND expires<=?"
      let date = SQLiteConnection.Value.real(date.timeIntervalSince1970)
      for row in try database.run("SELECT id, digest FROM entry WHERE \(condition)", [date]) { try removeEntry(row) }
    }
  }

  /// Evicts the least recently used until the files take no more than `sizeLimit` bytes.
  func trim(to sizeLimit: Int) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in try evict(downTo: sizeLimit) }
  }

  /// Takes back what dead writers were promised. No other process may be using the cache.
  func recover() throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      layout.removeTemporaries()
      // A writer killed between moving its file and saying so left a file that is not counted by a ready row.
      let orphans = try database.run(
        """
        SELECT id, digest FROM entry p WHERE ready=0
          AND NOT EXISTS (SELECT 1 FROM entry WHERE digest=p.digest AND ready=1)
        """)
      for row in orphans { try removeEntry(row) }
      try discount("ready=0", [])
      try database.run("DELETE FROM entry WHERE ready=0")
    }
  }

  private func evict(downTo sizeLimit: Int) throws(DiskCacheError) {
    while try totalSize() > sizeLimit {
      // An entry whose successor is being written stays: both share one path.
      let oldest = try database.run(
        """
        SELECT id, digest FROM entry e WHERE ready=1
          AND NOT EXISTS (SELECT 1 FROM entry WHERE ready=0 AND digest=e.digest) ORDER BY sequence LIMIT 1
        """)
      guard let row = oldest.first else { return }
      try removeEntry(row)
    }
  }

  private func removeEntry(_ row: [SQLiteConnection.Value]) throws(DiskCacheError) {
    guard let id = row[0].integer, let digest = row[1].blob else { return }
    let path = layout.entry(digest)
    if unlink(path) != 0, errno != ENOENT { throw .system(call: "unlink", path: path, code: errno) }
    try discount("id=?", [.integer(id)])
    try database.run("DELETE FROM entry WHERE id=?", [.integer(id)])
  }

  private func discount(_ condition: String, _ values: [SQLiteConnection.Value]) throws(DiskCacheError) {
    try database.run(
      """
      UPDATE total SET bytes=bytes-(SELECT coalesce(sum(bytes), 0) FROM entry WHERE \(condition)),
        count=count-(SELECT count(*) FROM entry WHERE \(condition))
      """, values + values)
  }

  private func total(_ column: String) throws(DiskCacheError) -> Int {
    Int(try number("SELECT \(column) FROM total"))
  }

  private func number(_ sql: String) throws(DiskCacheError) -> Int64 {
    try database.run(sql).first?.first?.integer ?? 0
  }
}

/// An expiration as the index keeps it.
struct StoredExpiration {
  var lifetime: Double?
  var date: Double?

  init(_ expiration: CacheExpiration, at now: Date) {
    switch expiration {
    case .never: break
    case .expired: date = now.timeIntervalSince1970
    case .after(let duration):
      lifetime = duration.inSeconds
      date = now.timeIntervalSince1970 + duration.inSeconds
    case .date(let end): date = end.timeIntervalSince1970
    }
  }
}

extension Double? {
  fileprivate var value: SQLiteConnection.Value { map { .real($0) } ?? .null }
}
