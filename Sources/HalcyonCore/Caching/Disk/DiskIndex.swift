import Foundation

/// Which entries the disk holds, how large they are and in which order they go.
///
/// The index counts too much rather than too little: an entry is counted before its file is written, and its file is
/// removed before it is no longer counted. So the files never take more space than the index says, whoever is killed
/// when. Order follows a running number, never a clock.
struct DiskIndex {
  /// How many entries one transaction removes, so that other processes get their turn.
  static let batchCount = 256

  /// Chooses the rows of a key, whole or being written; each kind has an index of its own.
  static let hasDigest = "(ready=1 AND digest=?1 OR ready=0 AND digest=?1)"

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

  /// Bytes of disk space that are taken or promised.
  func totalSize() throws(DiskCacheError) -> Int {
    Int(try database.number("SELECT bytes FROM total"))
  }

  /// Entries that are whole.
  func count() throws(DiskCacheError) -> Int {
    Int(try database.number("SELECT count-(SELECT count(*) FROM entry WHERE ready=0) FROM total"))
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

  /// An entry that asks for space.
  struct Request {
    var digest: [UInt8]
    var byteCount: Int
    var expiration: StoredExpiration
    var labels: EntryLabels
    var owner: String
    var date: Date
  }

  /// The answer to a request for space.
  enum Promise {
    /// The space is there. The file carries the number and the pin of the entry that it replaces.
    case made(id: Int64, isPinned: Bool, evictedCount: Int)
    /// The writer of this name is at the same key.
    case taken(owner: String)
  }

  /// Promises space to an entry that is about to be written, evicting the oldest others until it is there.
  func reserve(_ request: Request, budget: DiskBudget) throws(DiskCacheError) -> Promise {
    guard budget.allows(byteCount: request.byteCount, entryCount: 1) else {
      throw .entryTooLarge(byteCount: request.byteCount, sizeLimit: budget.sizeLimit)
    }
    return try database.transaction { () throws(DiskCacheError) in
      let digest = SQLiteConnection.Value.blob(request.digest)
      if let row = try database.run("SELECT owner FROM entry WHERE ready=0 AND digest=?", [digest]).first {
        return .taken(owner: row[0].text ?? "")
      }
      let evictedCount = try makeRoom(for: request.byteCount, budget: budget)
      let isPinned = try database.number("SELECT pinned FROM entry WHERE ready=1 AND digest=?", [digest]) == 1
      let id = try database.number(
        "UPDATE total SET sequence=sequence+1, used=? RETURNING sequence", [.real(request.date.timeIntervalSince1970)])
      try insert(request, id: id, sequence: id, isPinned: isPinned)
      return .made(id: id, isPinned: isPinned, evictedCount: evictedCount)
    }
  }

  /// Adds the row of an entry that is not in its place yet.
  func insert(_ request: Request, id: Int64, sequence: Int64, isPinned: Bool) throws(DiskCacheError) {
    try database.run(
      """
      INSERT INTO entry(id, digest, bytes, ready, sequence, pinned, tagged, owner, lifetime, expires, source, host)
      VALUES(?, ?, ?, 0, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        .integer(id), .blob(request.digest), .integer(Int64(request.byteCount)), .integer(sequence),
        .integer(isPinned ? 1 : 0), .integer(request.labels.tags.isEmpty ? 0 : 1), .text(request.owner),
        request.expiration.lifetime.value, request.expiration.date.value, .blob(request.labels.source),
        request.labels.host.value,
      ])
    try insertTags(request.labels.tags, id: id)
  }

  /// Makes a written entry the one of its key. The file must be in its place.
  func commit(id: Int64, digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in try replace(digest: digest, by: id) }
  }

  /// Makes entries the most recently used, in the order given.
  func touch(_ uses: [(digest: [UInt8], use: EntryUse)]) throws(DiskCacheError) {
    guard let last = uses.last?.use else { return }
    try database.transaction { () throws(DiskCacheError) in
      var sequence = try database.number(
        "UPDATE total SET sequence=sequence+?, used=? RETURNING sequence",
        [.integer(Int64(uses.count)), .real(last.date.timeIntervalSince1970)])
      sequence -= Int64(uses.count)
      for (digest, use) in uses {
        sequence += 1
        try database.run(
          """
          UPDATE entry SET sequence=?, expires=CASE WHEN lifetime IS NULL THEN expires ELSE ifnull(?+lifetime, expires) END
          WHERE digest=? AND ready=1
          """, [.integer(sequence), (use.lifeStart?.timeIntervalSince1970).value, .blob(digest)])
      }
    }
  }

  /// Changes by what an entry is found and when it ends.
  func relabel(id: Int64, _ labels: EntryLabels, expiration: StoredExpiration) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      try database.run(
        "UPDATE entry SET tagged=?, lifetime=?, expires=?, source=?, host=? WHERE id=?",
        [
          .integer(labels.tags.isEmpty ? 0 : 1), expiration.lifetime.value, expiration.date.value,
          .blob(labels.source), labels.host.value, .integer(id),
        ])
      try database.run("DELETE FROM tag WHERE entry=?", [.integer(id)])
      if try !database.run("SELECT 1 FROM entry WHERE id=?", [.integer(id)]).isEmpty {
        try insertTags(labels.tags, id: id)
      }
    }
  }

  /// Says whether an entry is kept when others are evicted.
  func setPinned(_ isPinned: Bool, digest: [UInt8]) throws(DiskCacheError) {
    try database.transaction { () throws(DiskCacheError) in
      try database.run(
        "UPDATE entry SET pinned=?2 WHERE \(Self.hasDigest)", [.blob(digest), .integer(isPinned ? 1 : 0)])
    }
  }

  /// Moves what is in the log into the database, and gives the log's disk space back.
  func shrinkLog() throws(DiskCacheError) {
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  func replace(digest: [UInt8], by id: Int64) throws(DiskCacheError) {
    try database.run("DELETE FROM entry WHERE digest=? AND ready=1", [.blob(digest)])
    try database.run("UPDATE entry SET ready=1, owner=NULL WHERE id=?", [.integer(id)])
  }

  private func insertTags(_ tags: [String], id: Int64) throws(DiskCacheError) {
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
