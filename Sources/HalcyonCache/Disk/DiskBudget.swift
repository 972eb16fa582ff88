/// What the entries of a disk cache may take of its limit.
struct DiskBudget {
  /// The least limit that covers the whole folder. Below it the index and the folders alone would take too much of it, so
  /// that only the entries count.
  static let smallestWholeLimit = 16 << 20

  let sizeLimit: Int
  /// Bytes of disk that the folder takes besides the files of entries.
  let overhead: Int

  init(sizeLimit: Int, overhead: Int = 0) {
    self.sizeLimit = sizeLimit
    self.overhead = sizeLimit < Self.smallestWholeLimit ? 0 : overhead
  }

  /// Whether entries that are counted with so many bytes stay within the limit.
  ///
  /// Each is counted with a block more than its file takes, which pays for its part of the folder first.
  func allows(byteCount: Int, entryCount: Int) -> Bool {
    byteCount <= sizeLimit - max(0, overhead - entryCount * EntryFile.blockByteCount)
  }

  /// Bytes that a writer is given at a time, when its entry needs less.
  var allotmentByteCount: Int { max(0, min(1 << 20, sizeLimit / 64)) }

  /// The size that the log of the index has before it is moved into the database.
  static func logByteLimit(sizeLimit: Int) -> Int { min(4 << 20, max(1 << 20, sizeLimit / 16)) }
}
