import Foundation

/// The SQLite index of a disk cache: which entries it holds, their sizes and their eviction order.
///
/// The index never under-counts: space is reserved before a file is written, and a file is deleted before its row. So
/// the files never take more space than the index counts, whenever a process is killed. The eviction order follows a
/// sequence number, never a clock.
struct DiskIndex {
  /// The most entries that one transaction removes, so that other processes can write in between.
  static let batchCount = 256
  /// Larger numbers and sizes come from a damaged index. Sums of a few of them do not overflow.
  static let largestNumber: Int64 = 1 << 60

  let database: SQLiteConnection
  let layout: DiskLayout
  let fileSystem: any FileSystem
  let isOnNetwork: Bool

  /// Opens the index, which may be empty or of another format.
  ///
  /// - Parameter isOnNetwork: Whether to use a rollback journal instead of WAL, which requires shared memory.
  init(layout: DiskLayout, isOnNetwork: Bool = false, in fileSystem: any FileSystem) throws(DiskCacheError) {
    self.layout = layout
    self.isOnNetwork = isOnNetwork
    self.fileSystem = fileSystem
    database = try SQLiteConnection(path: layout.index, in: fileSystem)
    if isOnNetwork { try database.run("PRAGMA journal_mode=TRUNCATE") }
    try apply(DiskCacheConfiguration())
  }

  /// Applies a configuration to the connection.
  func apply(_ configuration: DiskCacheConfiguration) throws(DiskCacheError) {
    try database.run("PRAGMA synchronous=NORMAL")
    let walByteLimit = DiskBudget.walByteLimit(sizeLimit: configuration.sizeLimit)
    try database.run("PRAGMA wal_autocheckpoint=\(walByteLimit / Self.pageByteCount)")
    try database.run("PRAGMA journal_size_limit=\(walByteLimit)")
  }

  /// Moves the WAL into the database and truncates it.
  func checkpoint() throws(DiskCacheError) {
    try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Shrinks the index file when most of it is free, after the removal of many entries or tags.
  ///
  /// The free pages of a larger index stay, for new entries: shrinking it would keep other processes waiting.
  func shrink() throws(DiskCacheError) {
    let freeByteCount = Int(try database.number("PRAGMA freelist_count")) * Self.pageByteCount
    let usedByteCount = Int(try database.number("PRAGMA page_count")) * Self.pageByteCount - freeByteCount
    guard freeByteCount >= 256 << 10, freeByteCount > usedByteCount, usedByteCount <= 16 << 20 else { return }
    try database.run("PRAGMA temp_store=MEMORY")
    try database.run("VACUUM")
    try checkpoint()
  }

  /// The date of the last read or write of an entry, and its sequence number.
  struct LastUse {
    var date: Date?
    var sequence: Int64
  }

  func lastUse() throws(DiskCacheError) -> LastUse {
    let row = try database.run("SELECT used, sequence FROM total").first
    return LastUse(
      date: row?[0].real.map { Date(timeIntervalSince1970: $0) }, sequence: row?[1].integer ?? 0)
  }

  /// Makes entries the most recently used, in the given order, and extends expirations that count from the last use.
  ///
  /// - Parameter extendsDefault: Whether the default expiration counts from the last use.
  func recordAccesses(
    _ accesses: [(digest: [UInt8], access: Access)], extendsDefault: Bool
  ) throws(DiskCacheError) {
    guard let last = accesses.last?.access else { return }
    try database.transaction { () throws(DiskCacheError) in
      var sequence = try takeSequenceNumbers(accesses.count, at: last.date).lowerBound - 1
      for (digest, access) in accesses {
        sequence += 1
        try database.run(
          """
          UPDATE entry SET sequence=?1, expires=CASE
            WHEN NOT defaulted THEN ifnull(?2+lifetime, expires) WHEN ?4 THEN ?2 ELSE expires
          END WHERE digest=?3
          """,
          [
            .integer(sequence), .real(access.date.timeIntervalSince1970), .blob(digest),
            .integer(extendsDefault ? 1 : 0),
          ])
      }
    }
  }

  /// Allocates unique sequence numbers, and records the date of the use.
  func takeSequenceNumbers(_ count: Int, at date: Date) throws(DiskCacheError) -> Range<Int64> {
    try database.run(
      "UPDATE OR FAIL total SET sequence=sequence+?, used=?",
      [.integer(Int64(count)), .real(date.timeIntervalSince1970)])
    let last = try database.number("SELECT sequence FROM total")
    guard (Int64(count)...Self.largestNumber).contains(last) else { throw damagedIndexError }
    return last + 1 - Int64(count)..<last + 1
  }

  /// The error for an index with impossible content.
  var damagedIndexError: DiskCacheError { .damagedIndex(path: layout.index) }
}
