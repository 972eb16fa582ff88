import CHalcyonSQLite
import Foundation

/// A connection to an SQLite database, with its prepared statements. Used by one thread at a time.
final class SQLiteConnection {
  /// A bound parameter or a result column.
  enum Value: Equatable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
  }

  /// `SQLITE_READONLY_DBMOVED`, a macro that Swift does not import.
  private static let movedCode = SQLITE_READONLY | 4 << 8

  private let database: OpaquePointer
  private let path: String
  private let fileSystem: any FileSystem
  private var statements: [String: OpaquePointer] = [:]

  /// Opens or creates a database that only its owner can read.
  init(path: String, in fileSystem: any FileSystem) throws(DiskCacheError) {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &handle, flags, nil)
    guard code == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw Self.error(handle, path: path, during: "open")
    }
    database = handle
    self.path = path
    self.fileSystem = fileSystem
    sqlite3_busy_timeout(handle, 2000)
    chmod(path, 0o600)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(database)
  }

  /// Runs a statement and returns its rows.
  ///
  /// Statements that change an entry have no `RETURNING`, for which SQLite creates a temporary table. They have
  /// `OR FAIL`, without which it keeps a statement journal of 64 KiB: ``transaction(_:)`` rolls them back in any case.
  @discardableResult
  func run(_ sql: String, _ values: [Value] = []) throws(DiskCacheError) -> [[Value]] {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() { bind(value, to: Int32(index + 1), of: statement) }
    var rows: [[Value]] = []
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: rows.append((0..<sqlite3_column_count(statement)).map { column($0, of: statement) })
      case SQLITE_DONE: return rows
      default: throw Self.error(database, path: path, during: sql)
      }
    }
  }

  /// The number of rows that the last statement changed, without those changed by triggers.
  var changeCount: Int { Int(sqlite3_changes(database)) }

  /// The first column of the first row as a number, or 0.
  func number(_ sql: String, _ values: [Value] = []) throws(DiskCacheError) -> Int64 {
    try run(sql, values).first?.first?.integer ?? 0
  }

  /// Runs `body` in a transaction, which is rolled back when it throws.
  @discardableResult
  func transaction<Result>(_ body: () throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result {
    try fileSystem.check(.begin, path) { _ in 0 }
    try run("BEGIN IMMEDIATE")
    do throws(DiskCacheError) {
      let result = try body()
      try fileSystem.check(.commit, path) { _ in 0 }
      try run("COMMIT")
      return result
    } catch {
      // The first error is thrown. A rollback fails when SQLite has ended the transaction itself.
      _ = try? run("ROLLBACK")
      throw error
    }
  }

  private func prepare(_ sql: String) throws(DiskCacheError) -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    guard sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil) == SQLITE_OK,
      let statement
    else { throw Self.error(database, path: path, during: sql) }
    statements[sql] = statement
    return statement
  }

  private func bind(_ value: Value, to index: Int32, of statement: OpaquePointer) {
    // `SQLITE_TRANSIENT`: SQLite copies the value.
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch value {
    case .null: sqlite3_bind_null(statement, index)
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), transient)
    case .blob(let bytes): sqlite3_bind_blob(statement, index, bytes, Int32(bytes.count), transient)
    }
  }

  private func column(_ index: Int32, of statement: OpaquePointer) -> Value {
    switch sqlite3_column_type(statement, index) {
    case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
    case SQLITE_FLOAT: return .real(sqlite3_column_double(statement, index))
    case SQLITE_TEXT:
      return .text(sqlite3_column_text(statement, index).map { String(cString: $0) } ?? "")
    case SQLITE_BLOB:
      let count = Int(sqlite3_column_bytes(statement, index))
      return .blob([UInt8](UnsafeRawBufferPointer(start: sqlite3_column_blob(statement, index), count: count)))
    default: return .null
    }
  }

  private static func error(_ database: OpaquePointer?, path: String, during statement: String) -> DiskCacheError {
    guard let database else { return .index(reason: "no memory for \(path)") }
    switch sqlite3_errcode(database) {
    // The statements and their values are valid, so that these errors mean a damaged schema or damaged rows.
    case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH:
      return .damagedIndex(path: path)
    case SQLITE_BUSY, SQLITE_LOCKED: return .busy(path: path)
    case SQLITE_FULL: return .system(call: "write", path: path, code: ENOSPC)
    case SQLITE_READONLY where sqlite3_extended_errcode(database) == movedCode:
      return .system(call: "open", path: path, code: ENOENT)
    // A damaged file header can claim that the database is read-only.
    case SQLITE_READONLY where sqlite3_extended_errcode(database) == SQLITE_READONLY && access(path, W_OK) == 0:
      return .damagedIndex(path: path)
    case SQLITE_READONLY: return .system(call: "write", path: path, code: EROFS)
    case SQLITE_IOERR where sqlite3_system_errno(database) != 0,
      SQLITE_CANTOPEN where sqlite3_system_errno(database) != 0:
      return .system(call: statement, path: path, code: sqlite3_system_errno(database))
    default: return .index(reason: "\(String(cString: sqlite3_errmsg(database))) (\(statement))")
    }
  }
}

extension SQLiteConnection.Value {
  var integer: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  var real: Double? {
    if case .real(let number) = self { number } else { nil }
  }

  var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  var blob: [UInt8]? {
    if case .blob(let bytes) = self { bytes } else { nil }
  }
}

extension Double? {
  var sqlValue: SQLiteConnection.Value { map { .real($0) } ?? .null }
}
