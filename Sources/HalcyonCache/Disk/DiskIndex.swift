import Foundation

/// Which entries the disk holds, how large they are and in which order they go.
///
/// The index counts too much rather than too little: writers are given space before they write files, and the file of an
/// entry is removed before the entry is no longer counted. So the files never take more space than the index says, whoever
/// is killed when. Order follows a running number, never a clock.
struct DiskIndex {
  /// How many entries one transaction removes, so that other processes get their turn.
  static let batchCount = 256
  /// Numbers and sizes above this come from a damaged index. Sums of a few of them are still numbers.
  static let largestNumber: Int64 = 1 << 60

  let database: SQLiteConnection
  let layout: DiskLayout
  let fileSystem: any FileSystem
  let isOnNetwork: Bool

  /// Opens the index; it may be of another format, or empty.
  ///
  /// - Parameter isOnNetwork: Whether it is kept without the log that processes share memory for.
  init(layout: DiskLayout, isOnNetwork: Bool = false, in fileSystem: any FileSystem) throws(DiskCacheError) {
    self.layout = layout
    self.isOnNetwork = isOnNetwork
    self.fileSystem = fileSystem
    database = try SQLiteConnection(path: layout.index, in: fileSystem)
    if isOnNetwork { try database.run("PRAGMA journal_mode=TRUNCATE") }
    try apply(DiskCacheConfiguration())
  }

  /// Brings the connection in line with a configuration.
  func apply(_ configuration: DiskCacheConfiguration) throws(DiskCacheError) {
    try database.run("PRAGMA synchronous=\(configuration.durability == .durable ? "FULL" : "NORMAL")")
    let logByteLimit = DiskBudget.logByteLimit(sizeLimit: configuration.sizeLimit)
    try database.run("PRAGMA wal_autocheckpoint=\(logByteLimit / Self.pageByteCount)")
    try database.run("PRAGMA journal_size_limit=\(logByteLimit)")
  }

  /// When an entry was last read or written, and the running number that it got.
  struct LastUse {
    var date: Date?
    var sequence: Int64
  }

  func lastUse() throws(DiskCacheError) -> LastUse {
    let row = try database.run("SELECT used, sequence FROM total").first
    return LastUse(
      date: row?[0].real.map { Date(timeIntervalSince1970: $0) }, sequence: row?[1].integer ?? 0)
  }

  /// Makes entries the most recently used, in the order given.
  func touch(_ uses: [(digest: [UInt8], use: Access)]) throws(DiskCacheError) {
    guard let last = uses.last?.use else { return }
    try database.transaction { () throws(DiskCacheError) in
      var sequence = try takeNumbers(uses.count, at: last.date).lowerBound - 1
      for (digest, use) in uses {
        sequence += 1
        try database.run(
          """
          UPDATE entry SET sequence=?1, expires=CASE
            WHEN defaulted THEN ifnull(?2, expires) WHEN lifetime IS NULL THEN expires ELSE ifnull(?2+lifetime, expires)
          END WHERE digest=?3
          """, [.integer(sequence), (use.lifeStart?.timeIntervalSince1970).value, .blob(digest)])
      }
    }
  }

  /// Running numbers that nobody else gets, taken at the time of a use.
  func takeNumbers(_ count: Int, at date: Date) throws(DiskCacheError) -> Range<Int64> {
    try database.run(
      "UPDATE OR FAIL total SET sequence=sequence+?, used=?",
      [.integer(Int64(count)), .real(date.timeIntervalSince1970)])
    let last = try database.number("SELECT sequence FROM total")
    guard (Int64(count)...Self.largestNumber).contains(last) else { throw damage }
    return last + 1 - Int64(count)..<last + 1
  }

  /// Changes by what an entry is found and when it ends.
  func relabel(id: Int64, _ labels: IndexedAttributes, expiration: StoredExpiration) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      try database.run(
        "UPDATE entry SET tagged=?, defaulted=?, lifetime=?, expires=?, source=?, host=? WHERE id=?",
        [
          .integer(labels.tags.isEmpty ? 0 : 1), .integer(expiration.isDefault ? 1 : 0), expiration.lifetime.value,
          expiration.date.value, .blob(labels.source), labels.host.value, .integer(id),
        ])
      try database.run("DELETE FROM tag WHERE entry=?", [.integer(id)])
      if try !database.run("SELECT 1 FROM entry WHERE id=?", [.integer(id)]).isEmpty {
        try insertTags(labels.tags, id: id)
      }
    }
  }

  /// Says whether an entry is kept when others are evicted.
  func setPinned(_ isPinned: Bool, digest: [UInt8]) throws(DiskCacheError) {
    let wanted = SQLiteConnection.Value.integer(isPinned ? 1 : 0)
    let known = try database.run("SELECT pinned FROM entry WHERE digest=?", [.blob(digest)]).first
    guard known?[0] != wanted else { return }
    try database.transaction { () throws(DiskCacheError) in
      try database.run("UPDATE entry SET pinned=? WHERE digest=?", [wanted, .blob(digest)])
    }
  }

  /// Moves what is in the log into the database, and gives the log's disk space back.
  func shrinkLog() throws(DiskCacheError) {
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  func insertTags(_ tags: [String], id: Int64) throws(DiskCacheError) {
    for tag in Set(tags) {
      try database.run("INSERT INTO tag(entry, tag) VALUES(?, ?)", [.integer(id), .blob(Array(tag.utf8))])
    }
  }
}

extension SQLiteConnection {
  /// The first number of the first row, or 0.
  func number(_ sql: String, _ values: [Value] = []) throws(DiskCacheError) -> Int64 {
    try run(sql, values).first?.first?.integer ?? 0
  }
}
