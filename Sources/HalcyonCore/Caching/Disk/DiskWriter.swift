import Foundation

/// Everything that changes a disk cache, one change after another on a thread of its own.
actor DiskWriter {
  private nonisolated let executor = ThreadExecutor(name: "disk-writer")
  private let layout: DiskLayout
  private var open: (index: DiskIndex, lock: Lease)?

  init(layout: DiskLayout) {
    self.layout = layout
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Writes an entry: promised space first, then the file under another name, then its move into place.
  func store(
    _ entry: StoredEntry, for key: CacheKey, expiration: StoredExpiration, sizeLimit: Int
  ) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in
      let digest = key.digest.bytes
      let (_, sizingPrefix) = BlobFile.prefix(of: entry, key: key, id: 0)
      let byteCount = BlobFile.diskByteCount(fileByteCount: sizingPrefix.count + entry.body.count)
      let id = try index.reserve(byteCount: byteCount, digest: digest, sizeLimit: sizeLimit)
      let temporary = layout.temporary(id)
      do throws(DiskCacheError) {
        let (_, prefix) = BlobFile.prefix(of: entry, key: key, id: UInt64(id))
        try BlobFile.write(prefix: prefix, body: entry.body, to: temporary)
        let path = layout.entry(digest)
        _ = try FileDescriptor.check("rename", path) { rename(temporary, path) }
      } catch {
        unlink(temporary)
        // What is reported is why the write failed; a promise that cannot be taken back is found at the next start.
        _ = try? index.cancel(id: id)
        throw error
      }
      try index.commit(id: id, digest: digest, expiration: expiration)
    }
  }

  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      return try BlobFile.updateMetadata(metadata, path: layout.entry(key.digest.bytes), key: key)
    } catch {
      if case .system(_, _, ENOENT) = error { return false }
      throw error
    }
  }

  func touch(_ uses: [(digest: [UInt8], date: Date)]) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in
      try index.touch(uses)
      for use in uses {
        let time = timespec(use.date)
        // The file may be gone by now; then there is nothing to mark.
        utimensat(AT_FDCWD, layout.entry(use.digest), [time, time], 0)
      }
    }
  }

  func remove(_ key: CacheKey) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.remove(key.digest.bytes) }
  }

  func removeExpired(at date: Date) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.removeExpired(at: date) }
  }

  func trim(to sizeLimit: Int) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.trim(to: sizeLimit) }
  }

  func totalSize() throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.totalSize() }
  }

  func count() throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.count() }
  }

  /// Runs `body` on the open index. A folder that was deleted, or an index that is damaged, is made anew, once.
  private func withIndex<Result>(
    _ body: (DiskIndex) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    if open != nil, access(layout.index, F_OK) != 0 { open = nil }
    do throws(DiskCacheError) {
      return try body(openIndex())
    } catch {
      guard open?.index.isCorrupt ?? isUnusable else { throw error }
      open = nil
      layout.removeIndex()
      layout.removeFiles()
      return try body(openIndex())
    }
  }

  /// Whether there is an index file that SQLite cannot open as one.
  private var isUnusable: Bool {
    guard access(layout.index, R_OK | W_OK) == 0, let start = FileManager.default.contents(atPath: layout.index) else {
      return false
    }
    return !start.isEmpty && !start.starts(with: Data("SQLite format 3\0".utf8))
  }

  private func openIndex() throws(DiskCacheError) -> DiskIndex {
    if let open { return open.index }
    try layout.create()
    let lock = try Lease(path: layout.lock)
    let index = try DiskIndex(layout: layout)
    if lock.isFirst { try index.recover() }
    try lock.share()
    open = (index, lock)
    return index
  }
}

/// Shows other processes that the cache is in use, for as long as it lives.
private final class Lease {
  private let file: FileDescriptor
  /// Whether nobody else was using the cache.
  let isFirst: Bool

  init(path: String) throws(DiskCacheError) {
    file = try FileDescriptor(path: path, flags: O_RDWR | O_CREAT)
    isFirst = try file.lock(LOCK_EX | LOCK_NB)
  }

  /// Lets other processes in.
  func share() throws(DiskCacheError) {
    _ = try file.lock(LOCK_SH)
  }
}

extension KeyDigest {
  var bytes: [UInt8] {
    [low, high].flatMap { word in withUnsafeBytes(of: word.littleEndian, Array.init) }
  }
}

extension timespec {
  fileprivate init(_ date: Date) {
    let seconds = date.timeIntervalSince1970.rounded(.down)
    self.init(tv_sec: Int(seconds), tv_nsec: Int((date.timeIntervalSince1970 - seconds) * 1e9))
  }
}
