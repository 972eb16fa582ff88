extension DiskIndex {
  static let pageByteCount = 1024

  /// Whether the index is complete and of the format of its folder. One that was not completed is rebuilt from the entry
  /// files.
  ///
  /// - Throws: ``DiskCacheError/newerFormat(path:format:)`` when it was copied there from a newer version;
  ///   ``DiskCacheError/damagedIndex(path:)`` when it is marked as current and its schema differs.
  func isCurrent() throws(DiskCacheError) -> Bool {
    let format = Int(try database.number("PRAGMA user_version"))
    guard format <= layout.format else { throw .newerFormat(path: layout.index, format: format) }
    guard format == layout.format else { return false }
    let existing = Set(try database.run("SELECT sql FROM sqlite_master").compactMap(\.first?.text))
    guard existing == Set(Self.schema.filter { $0.hasPrefix("CREATE") }) else { throw damagedIndexError }
    return true
  }

  /// Creates the schema in an empty database.
  func createTables() throws(DiskCacheError) {
    // Small pages: each transaction writes about ten whole pages to the WAL.
    try database.run("PRAGMA page_size=\(Self.pageByteCount)")
    // SQLite returns the effective mode, which is not WAL where memory cannot be shared.
    let mode = isOnNetwork ? nil : try database.run("PRAGMA journal_mode=WAL").first?.first?.text
    if mode != "wal" { try database.run("PRAGMA journal_mode=TRUNCATE") }
    try database.transaction { () throws(DiskCacheError) in
      for statement in Self.schema { try database.run(statement) }
    }
  }

  /// Marks the index as complete and of the current format.
  func markCurrent() throws(DiskCacheError) {
    try database.run("PRAGMA user_version=\(layout.format)")
  }

  // Triggers keep the totals equal to the sums of the rows.
  private static let schema = [
    """
    CREATE TABLE entry(
      id INTEGER PRIMARY KEY, digest BLOB NOT NULL, bytes INTEGER NOT NULL,
      sequence INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, tagged INTEGER NOT NULL DEFAULT 0,
      defaulted INTEGER NOT NULL DEFAULT 0, lifetime REAL, expires REAL, source BLOB)
    """,
    "CREATE UNIQUE INDEX entry_digest ON entry(digest)",
    "CREATE INDEX entry_order ON entry(sequence) WHERE pinned=0",
    "CREATE INDEX entry_pinned ON entry(bytes) WHERE pinned=1",
    // With the default expiration, `expires` is the date from which the lifetime counts.
    "CREATE INDEX entry_expiry ON entry(defaulted, expires) WHERE expires IS NOT NULL",
    "CREATE INDEX entry_source ON entry(source)",
    "CREATE TABLE tag(entry INTEGER NOT NULL, tag BLOB NOT NULL, PRIMARY KEY(entry, tag)) WITHOUT ROWID",
    "CREATE INDEX tag_tag ON tag(tag)",
    // The unused reservation of each writer, which counts toward the limit like the entries.
    "CREATE TABLE writer(name TEXT PRIMARY KEY, bytes INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE total(bytes INTEGER NOT NULL, count INTEGER NOT NULL, sequence INTEGER NOT NULL, used REAL)",
    "INSERT INTO total VALUES(0, 0, 0, NULL)",
    """
    CREATE TRIGGER entry_added AFTER INSERT ON entry BEGIN
      UPDATE OR FAIL total SET bytes=bytes+new.bytes, count=count+1;
    END
    """,
    """
    CREATE TRIGGER entry_removed AFTER DELETE ON entry BEGIN
      UPDATE OR FAIL total SET bytes=bytes-old.bytes, count=count-1;
    END
    """,
    """
    CREATE TRIGGER tags_removed AFTER DELETE ON entry WHEN old.tagged=1 BEGIN
      DELETE FROM tag WHERE entry=old.id;
    END
    """,
  ]
}

extension DiskIndex {
  /// The size and number of entries.
  struct Total: Equatable {
    /// Disk space in bytes.
    var byteCount: Int
    var count: Int
  }

  /// The total of all entries, as maintained by the triggers. O(1).
  func total() throws(DiskCacheError) -> Total {
    try total("SELECT bytes, count FROM total")
  }

  func pinnedTotal() throws(DiskCacheError) -> Total {
    try total("SELECT coalesce(sum(bytes), 0), count(*) FROM entry WHERE pinned=1")
  }

  /// The unused reservations of all writers, in bytes.
  func reservedByteCount() throws(DiskCacheError) -> Int {
    try total("SELECT coalesce(sum(bytes), 0), count(*) FROM writer").byteCount
  }

  /// Corrects the totals, which differ from the sums of the rows only if the file was damaged.
  ///
  /// Scans all rows, which takes 60 ms for a million. Other processes can write meanwhile, unless the totals differ.
  func reconcileTotal() throws(DiskCacheError) {
    guard try countedTotal() != total() else { return }
    try database.transaction { () throws(DiskCacheError) in
      let counted = try countedTotal()
      try database.run(
        "UPDATE total SET bytes=?, count=?", [.integer(Int64(counted.byteCount)), .integer(Int64(counted.count))])
    }
  }

  private func countedTotal() throws(DiskCacheError) -> Total {
    try total("SELECT coalesce(sum(bytes), 0), count(*) FROM entry")
  }

  private func total(_ sql: String) throws(DiskCacheError) -> Total {
    let valid = 0...Self.largestNumber
    guard let row = try database.run(sql).first, let byteCount = row[0].integer, let count = row[1].integer,
      valid.contains(byteCount), valid.contains(count)
    else { throw damagedIndexError }
    return Total(byteCount: Int(clamping: byteCount), count: Int(clamping: count))
  }
}
