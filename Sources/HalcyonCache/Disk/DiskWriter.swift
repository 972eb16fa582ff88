import HalcyonSupport
import Foundation

/// Everything that changes a disk cache, one change after another on a thread of its own.
actor DiskWriter {
  private nonisolated let executor = ThreadExecutor(name: "writer")
  let layout: DiskLayout
  let settings: DiskSettings
  let fileSystem: any FileSystem
  let counters: DiskCounters
  private(set) var access: IndexSession?
  /// How the index was found when it was opened, and when that was, until the first cleaning.
  private var lastUse: (use: DiskIndex.LastUse, openDate: Date)?
  /// The index that was opened last.
  private var node: ino_t?
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

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// What one write needs to know besides the entry.
  struct Terms {
    var configuration: DiskCacheConfiguration
    var now: Date
  }

  func touch(_ uses: [(key: CacheKey, use: Access)]) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try Self.touch(uses, in: index) }
  }

  /// Writes down which entries were used, on the calling thread, for a process that ends.
  nonisolated func touchNow(_ uses: [(key: CacheKey, use: Access)]) throws(DiskCacheError) {
    try withOwnAccess { access throws(DiskCacheError) in try Self.touch(uses, in: access.index) }
  }

  /// Removes what an index knows of; what writers that were killed left, and nobody has settled, is known then too.
  @discardableResult
  func remove(_ selection: EntrySelection) throws(DiskCacheError) -> Int {
    try withAccess { access throws(DiskCacheError) in
      try access.settleDead()
      return try access.index.remove(selection).count
    }
  }

  func removeEntry(of key: CacheKey) throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.removeEntry(of: key.digest.bytes) }
  }

  /// Removes one entry as long as it is the one that was written under this number.
  @discardableResult
  func removeUnchanged(_ id: Int64) throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.remove(.unchanged(id)).count }
  }

  func removeAll() throws(DiskCacheError) -> Int {
    try withAccess { access throws(DiskCacheError) in
      try access.settleDead()
      return try access.index.removeAll()
    }
  }

  func removeExpired(on terms: Terms) throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.removeExpired(on: terms).count }
  }

  func removeDamaged(_ key: CacheKey) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.removeDamaged(key.digest.bytes) }
  }

  func trim() throws(DiskCacheError) {
    let sizeLimit = settings.current.sizeLimit
    try withIndex { index throws(DiskCacheError) in
      counters.countEvictions(try index.trim(to: index.budget(sizeLimit: sizeLimit)).count)
    }
  }

  /// Settles what dead writers left, and removes what the policy wants to be removed.
  func clean(on terms: Terms) throws(DiskCacheError) -> CleaningReport {
    try recover()
    return try withIndex { index throws(DiskCacheError) in
      let current = try index.lastUse()
      let (use, start) = lastUse ?? (current, terms.now)
      lastUse = nil
      let report = try index.clean(on: terms, idleSince: use, until: start)
      counters.countCleaning(report)
      return report
    }
  }

  /// Cleans on the calling thread, for a process that ends.
  nonisolated func cleanNow(on terms: Terms) throws(DiskCacheError) {
    try withOwnAccess { access throws(DiskCacheError) in
      let report = try access.index.clean(on: terms, idleSince: access.index.lastUse(), until: terms.now)
      counters.countCleaning(report)
    }
  }

  /// Runs `body` on the calling thread, on an index opened for it.
  private nonisolated func withOwnAccess(
    _ body: (IndexSession) throws(DiskCacheError) -> Void
  ) throws(DiskCacheError) {
    // Whoever calls this wants to end.
    let access = try IndexSession(
      layout: layout, configuration: settings.current, patience: .seconds(2), in: fileSystem)
    guard try access.enter() else { throw .busy(path: layout.index) }
    defer { access.leave() }
    try body(access)
  }

  /// Settles what dead writers left half done, and gives back what this one does not use.
  func recover() throws(DiskCacheError) {
    try withAccess { access throws(DiskCacheError) in try access.recover() }
  }

  func sweep(shard: UInt8, now: Date) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.sweep(shard: shard, now: now) }
  }

  /// Runs `body` on the open index; otherwise as ``withAccess(_:)``.
  func withIndex<Result>(_ body: (DiskIndex) throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result {
    try withAccess { access throws(DiskCacheError) in try body(access.index) }
  }

  /// Runs `body` on the open index. A folder that was deleted, or an index that is damaged, is made anew, once.
  func withAccess<Result>(_ body: (IndexSession) throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result {
    do throws(DiskCacheError) {
      return try withOpenAccess(body)
    } catch {
      switch error {
      case .damagedIndex:
        access = nil
        try IndexSession.setAside(node, layout: layout, in: fileSystem)
      case _ where error.isMissing:
        access = nil
      case _ where error.isDiskFull:
        // The log of the index may be what fills the disk.
        _ = try? access?.index.shrinkLog()
      default:
        throw error
      }
      return try withOpenAccess(body)
    }
  }

  private func withOpenAccess<Result>(
    _ body: (IndexSession) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    let access = try openAccess()
    defer { access.leave() }
    let configuration = settings.current
    try access.apply(configuration)
    // Until this succeeds too much is counted, which does no harm; only what writes has to insist on it.
    if access.isUnsettled { _ = try? access.settleOwn() }
    return try body(access)
  }

  /// The open index, entered.
  private func openAccess() throws(DiskCacheError) -> IndexSession {
    if let access, try access.enter() { return access }
    (access, node) = (nil, nil)
    let access = try IndexSession(layout: layout, configuration: settings.current, in: fileSystem)
    node = access.node
    guard try access.enter() else { throw .busy(path: layout.index) }
    do throws(DiskCacheError) {
      try access.recover()
      lastUse = (try access.index.lastUse(), time.now())
    } catch {
      access.leave()
      throw error
    }
    self.access = access
    return access
  }

  private static func touch(
    _ uses: [(key: CacheKey, use: Access)], in index: DiskIndex
  ) throws(DiskCacheError) {
    let uses = uses.map { (digest: $0.key.digest.bytes, use: $0.use) }
    try index.touch(uses)
    for (digest, use) in uses {
      guard let lifeStart = use.lifeStart else { continue }
      let time = timespec(lifeStart)
      // The file may be gone by now; then there is nothing to mark.
      _ = try? index.fileSystem.check(.setTimes, index.layout.root) { _ in
        Int(utimensat(AT_FDCWD, index.layout.entry(digest), [time, time], 0))
      }
    }
  }
}
