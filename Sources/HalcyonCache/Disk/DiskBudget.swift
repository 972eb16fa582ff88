import Foundation

/// The part of the size limit that entries may take.
struct DiskBudget {
  /// The smallest limit that covers the whole folder, in bytes. Below it only entries count: the index and the folders
  /// alone would take too much of it.
  static let smallestWholeLimit = 16 << 20

  let sizeLimit: Int
  /// The disk space that the folder takes besides the entry files, in bytes.
  let overhead: Int

  init(sizeLimit: Int, overhead: Int = 0) {
    self.sizeLimit = sizeLimit
    self.overhead = sizeLimit < Self.smallestWholeLimit ? 0 : overhead
  }

  /// Whether entries with this counted size stay within the limit. `DiskIndex.reserve` refuses an entry that alone
  /// exceeds it, and evicts others for any other entry.
  ///
  /// Each entry is counted with one block more than its file takes, which covers the overhead first.
  func allows(byteCount: Int, entryCount: Int) -> Bool {
    byteCount <= sizeLimit - max(0, overhead - entryCount * EntryFile.blockByteCount)
  }

  /// The space that a writer reserves at once, in bytes, when its entry needs less: a 64th of the limit, at most 1 MiB.
  var reservationByteCount: Int { max(0, min(1 << 20, sizeLimit / 64)) }

  /// The size in bytes at which the WAL of the index is checkpointed.
  static func walByteLimit(sizeLimit: Int) -> Int { min(4 << 20, max(1 << 20, sizeLimit / 16)) }
}

extension DiskIndex {
  /// The budget under a limit, for the current size of the index.
  func budget(sizeLimit: Int) throws(DiskCacheError) -> DiskBudget {
    DiskBudget(sizeLimit: sizeLimit, overhead: try overhead(sizeLimit: sizeLimit))
  }

  /// The disk space that the folder takes, or soon will, besides the entry files, in bytes.
  private func overhead(sizeLimit: Int) throws(DiskCacheError) -> Int {
    let database = Int(try database.number("PRAGMA page_count")) * Self.pageByteCount
    let wal = Int(try ignoring(\.isMissing, try fileSystem.status(of: layout.index + "-wal"))?.st_size ?? 0)
    // The shards and a few more folders, lock files of writers; SQLite's shared memory; and the WAL pages of one
    // transaction: at most four for each entry evicted for a reservation, and some for the rest.
    let transaction = DiskBudget(sizeLimit: sizeLimit).reservationByteCount / 2 + (128 << 10)
    let rest = 272 * EntryFile.blockByteCount + (32 << 10) + transaction
    return database + max(wal, DiskBudget.walByteLimit(sizeLimit: sizeLimit)) + rest
  }
}
