import HalcyonSupport
import Foundation

/// Makes all changes of a disk cache, serially, on a thread of its own.
actor DiskWriter {
  /// After this time without use the index is closed, and no lock is held: the system may suspend a process without telling
  /// it, and terminates one that is suspended with the lock of a shared file.
  private static let idleTime = Duration.seconds(2)

  private nonisolated let executor = ThreadExecutor(name: "writer")
  let layout: DiskLayout
  let settings: DiskSettings
  let fileSystem: any FileSystem
  let counters: DiskCounters
  private(set) var session: IndexSession?
  /// Whether each change closes the index again, since the system may suspend the process after it.
  private var isInBackground = false
  /// The uptime of the last use of the index.
  private var lastUse = Duration.zero
  /// Closes the index when it has not been used for ``idleTime``; `nil` while it is closed.
  private(set) var idleClosing: Task<Void, Never>?
  /// The last use recorded when the index was opened, and the date of the opening; `nil` after the first cleaning.
  private var opening: (lastUse: DiskIndex.LastUse, date: Date)?
  /// The inode of the index that was opened last.
  private var inode: ino_t?
  private let time: any TimeSource

  init(
    layout: DiskLayout, settings: DiskSettings, time: any TimeSource, fileSystem: any FileSystem,
    counters: DiskCounters
  ) {
    self.layout = layout
    self.settings = settings
    self.time = time
    self.fileSystem = fileSystem
    self.counters = counters
  }

  deinit { idleClosing?.cancel() }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The configuration and date of an operation.
  struct Context {
    var configuration: DiskCacheConfiguration
    var now: Date
  }

  /// Makes entries the most recently used, in the given order.
  func record(_ accesses: [(key: CacheKey, access: Access)]) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try record(accesses, in: index) }
  }

  /// Makes entries the most recently used, on the calling thread, for a process that terminates.
  nonisolated func recordNow(_ accesses: [(key: CacheKey, access: Access)]) throws(DiskCacheError) {
    try withTemporarySession { session throws(DiskCacheError) in try record(accesses, in: session.index) }
  }

  /// Removes entries, including those that abandoned writers left without a row, which are recovered first.
  @discardableResult
  func remove(_ selection: EntrySelection) throws(DiskCacheError) -> Int {
    try withSession { session throws(DiskCacheError) in
      try session.recoverAbandonedWriters()
      return try session.index.remove(selection).count
    }
  }

  func removeEntry(of key: CacheKey) throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.removeEntry(of: key.digest.bytes) }
  }

  /// Removes the entry with this file number, unless it was replaced.
  @discardableResult
  func removeUnchanged(_ id: Int64) throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.remove(.unchanged(id)).count }
  }

  func removeAll() throws(DiskCacheError) -> Int {
    try withSession { session throws(DiskCacheError) in
      try session.recoverAbandonedWriters()
      return try session.index.removeAll()
    }
  }

  func removeExpired(_ context: Context) throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.removeExpired(context).count }
  }

  func removeDamaged(_ digest: [UInt8]) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.removeDamaged(digest) }
  }

  func trim() throws(DiskCacheError) {
    let sizeLimit = settings.current.sizeLimit
    try withIndex { index throws(DiskCacheError) in
      counters.countEvictions(try index.trim(to: index.budget(sizeLimit: sizeLimit)).count, .size)
    }
  }

  /// Recovers abandoned writers, and cleans as the policy says.
  func clean(_ context: Context) throws(DiskCacheError) -> CleaningReport {
    // The next cleaning repeats a recovery that fails.
    do { try recover() } catch { counters.countError() }
    return try withIndex { index throws(DiskCacheError) in
      defer { opening = nil }
      let report = try index.clean(context, opening: opening)
      counters.countCleaning(report)
      return report
    }
  }

  /// Cleans on the calling thread, for a process that terminates, until `isOver`; the next cleaning does the rest.
  nonisolated func cleanNow(_ context: Context, until isOver: () -> Bool) throws(DiskCacheError) {
    try withTemporarySession { session throws(DiskCacheError) in
      let report = try session.index.clean(context, shrinks: false, until: isOver)
      counters.countCleaning(report)
    }
  }

  /// Recovers abandoned writers, and releases the unused reservation of this one.
  func recover() throws(DiskCacheError) {
    try withSession { session throws(DiskCacheError) in try session.recover() }
  }

  /// Releases all locks and closes the index, and after each change until ``willEnterForeground()`` again.
  func didEnterBackground() {
    isInBackground = true
    close()
  }

  /// The next change opens the index, which then stays open.
  func willEnterForeground() { isInBackground = false }

  /// Releases all locks and closes the index; the next change opens it again.
  ///
  /// A reservation that cannot be released is recovered by the next session.
  private func close() {
    guard let session else { return }
    self.session = nil
    do throws(DiskCacheError) {
      // Not if the folder was deleted.
      guard try session.lockIndex() else { return }
      defer { session.unlockIndex() }
      try session.recoverOwnWrite()
    } catch {
      counters.countError()
    }
  }

  /// One task for many uses, which only set a time.
  private func closeWhenIdle() {
    lastUse = time.uptime()
    guard idleClosing == nil else { return }
    idleClosing = Task { [weak self, time] in
      var rest = Self.idleTime
      while rest > .zero, (try? await time.sleep(for: rest)) != nil { rest = await self?.closeIfIdle() ?? .zero }
    }
  }

  /// - Returns: How long the index may stay open.
  private func closeIfIdle() -> Duration {
    let rest = lastUse + Self.idleTime - time.uptime()
    guard rest <= .zero else { return rest }
    idleClosing = nil
    close()
    return .zero
  }

  func sweep(shard: UInt8, now: Date) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.sweep(shard: shard, now: now) }
  }

  func totalSize() throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.total().byteCount }
  }

  func count() throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.total().count }
  }

  /// The file of an index row.
  struct IndexedFile: Sendable {
    var id: Int64
    var digest: [UInt8]
    var path: String
  }

  /// The next 64 files after an id, in the order of their ids.
  func page(after id: Int64) throws(DiskCacheError) -> [IndexedFile] {
    try withIndex { index throws(DiskCacheError) in
      let rows = try index.database.run(
        "SELECT id, digest FROM entry WHERE id>? ORDER BY id LIMIT 64", [.integer(id)])
      return rows.compactMap { row in
        guard let id = row[0].integer, let digest = row[1].blob else { return nil }
        return IndexedFile(id: id, digest: digest, path: layout.entry(digest))
      }
    }
  }

  private nonisolated func record(
    _ accesses: [(key: CacheKey, access: Access)], in index: DiskIndex
  ) throws(DiskCacheError) {
    try index.recordAccesses(
      accesses.map { ($0.key.digest.bytes, $0.access) }, extendsDefault: settings.current.expiration.isExtendedByUse)
    for (key, access) in accesses { recordInFile(access, of: key) }
  }

  /// Records the last use and the reads of an entry in its file, if it is still there. The reads are not counted while another process changes it.
  private nonisolated func recordInFile(_ access: Access, of key: CacheKey) {
    let (path, time) = (layout.entry(key.digest.bytes), timespec(access.date))
    let isRecorded = try? EntryFile.recordReads(
      access.readCount, lastUse: access.date, path: path, key: key, in: fileSystem)
    if isRecorded == true { return }
    _ = try? fileSystem.check(.setTimes, layout.root) { _ in
      Int(utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW))
    }
  }
}

extension DiskWriter {
  /// Runs `body` on the open index; otherwise like ``withSession(_:)``.
  func withIndex<Result>(_ body: (DiskIndex) throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result {
    try withSession { session throws(DiskCacheError) in try body(session.index) }
  }

  /// Runs `body` with the open index, under the shared index lock.
  ///
  /// Runs it once more after the folder was found deleted, the index damaged, or the disk full.
  func withSession<Result>(_ body: (IndexSession) throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result {
    defer { if isInBackground { close() } else { closeWhenIdle() } }
    do throws(DiskCacheError) {
      return try withOpenSession(body)
    } catch {
      switch error {
      case .damagedIndex where settings.current.isRepairing:
        session = nil
        try IndexSession.moveAside(inode, layout: layout, in: fileSystem)
      case _ where error.isMissing:
        session = nil
      case _ where error.isDiskFull:
        // The WAL of the index may be what fills the disk.
        _ = try? session?.index.checkpoint()
      default:
        throw error
      }
      return try withOpenSession(body)
    }
  }

  private func withOpenSession<Result>(
    _ body: (IndexSession) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    let session = try openSession()
    defer { session.unlockIndex() }
    let configuration = settings.current
    try session.apply(configuration)
    // Until this succeeds the index over-counts, which is harmless; only writes require it.
    if session.needsRecovery { _ = try? session.recoverOwnWrite() }
    return try body(session)
  }

  /// The session, with the shared index lock acquired. Opens one when there is none, or the index file was replaced.
  private func openSession() throws(DiskCacheError) -> IndexSession {
    if let session, try session.lockIndex() { return session }
    (session, inode) = (nil, nil)
    let session = try IndexSession(layout: layout, configuration: settings.current, in: fileSystem)
    inode = session.inode
    guard try session.lockIndex() else { throw .busy(path: layout.index) }
    do throws(DiskCacheError) {
      if settings.current.isRepairing { try session.recover() }
      opening = (try session.index.lastUse(), time.now())
    } catch {
      session.unlockIndex()
      throw error
    }
    self.session = session
    return session
  }

  /// Runs `body` on the calling thread, with an index opened for it.
  private nonisolated func withTemporarySession(
    _ body: (IndexSession) throws(DiskCacheError) -> Void
  ) throws(DiskCacheError) {
    // A shorter timeout, since the process is about to end.
    let session = try IndexSession(
      layout: layout, configuration: settings.current, lockTimeout: .seconds(1), in: fileSystem)
    guard try session.lockIndex() else { throw .busy(path: layout.index) }
    defer { session.unlockIndex() }
    try body(session)
  }
}
