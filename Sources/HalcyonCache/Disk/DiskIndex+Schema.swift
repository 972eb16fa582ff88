extension DiskIndex {
  static let pageByteCount = 1024

  /// Goes up with every change of the tables; an index of another format is made anew from the entries.
  private static let format: Int64 = 5

  /// Whether the tables are there and of this format.
  ///
  /// - Throws: ``DiskCacheError/damagedIndex(path:)`` where they are said to be, and are not as they were made.
  func isCurrent() throws(DiskCacheError) -> Bool {
    guard try database.number("PRAGMA user_version") == Self.format else { return false }
    let made = Set(try database.run("SELECT sql FROM sqlite_master").compactMap(\.first?.text))
    guard made == Set(Self.schema.filter { $0.hasPrefix("CREATE") }) else { throw damage }
    return true
  }

  /// Makes the tables in an empty database.
  func createTables() throws(DiskCacheError) {
    // Each change writes some ten pages to the log, whole.
    try database.run("PRAGMA page_size=\(Self.pageByteCount)")
    // SQLite answers with the mode that it keeps, which is another one where it cannot share memory.
    let mode = isOnNetwork ? nil : try database.run("PRAGMA journal_mode=WAL").first?.first?.text
    if mode != "wal" { try database.run("PRAGMA journal_mode=TRUNCATE") }
    try database.transaction { () throws(DiskCacheError) in
      for statement in Self.schema { try database.run(statement) }
    }
  }

  /// Makes the index count as whole, so that it is used.
  func markCurrent() throws(DiskCacheError) {
    try database.run("PRAGMA user_version=\(Self.format)")
  }

  // The triggers keep the totals true, whoever adds and removes rows.
  private static let schema = [
    """
    CREATE TABLE entry(
      id INTEGER PRIMARY KEY, digest BLOB NOT NULL, bytes INTEGER NOT NULL,
      sequence INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, tagged INTEGER NOT NULL DEFAULT 0,
      defaulted INTEGER NOT NULL DEFAULT 0, lifetime REAL, expires REAL, source BLOB, host TEXT)
    """,
    "CREATE UNIQUE INDEX entry_digest ON entry(digest)",
    "CREATE INDEX entry_order ON entry(sequence) WHERE pinned=0",
    "CREATE INDEX entry_pinned ON entry(bytes) WHERE pinned=1",
    // What expires by the configuration has the beginning of its life there.
    "CREATE INDEX entry_expiry ON entry(defaulted, expires) WHERE expires IS NOT NULL",
    "CREATE INDEX entry_source ON entry(source)",
    "CREATE TABLE tag(entry INTEGER NOT NULL, tag BLOB NOT NULL, PRIMARY KEY(entry, tag)) WITHOUT ROWID",
    "CREATE INDEX tag_tag ON tag(tag)",
    // What each writer was allotted and has not used up. It counts with the total of the entries.
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
