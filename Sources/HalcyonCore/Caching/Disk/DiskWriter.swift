import Foundation

/// Everything that changes a disk cache, one change after another on a thread of its own.
actor DiskWriter {
  private nonisolated let executor = ThreadExecutor(name: "writer")
  let layout: DiskLayout
  let settings: DiskSettings
  let fileSystem: any FileSystem
  let counters: DiskCounters
  private(set) var access: IndexAccess?
  /// How the index was found when it was opened, until the first cleaning.
  private var lastUse: DiskIndex.LastUse?

  init(layout: DiskLayout, settings: DiskSettings, fileSystem: any FileSystem, counters: DiskCounters) {
    self.layout = layout
    self.settings = settings
    self.fileSystem = fileSystem
    self.counters = counters
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// What one write needs to know besides the entry.
  struct Terms {
    var configuration: DiskCacheConfiguration
    var now: Date
  }

  func touch(_ uses: [(key: CacheKey, use: EntryUse)]) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try Self.touch(uses, in: index) }
  }

  /// Writes down which entries were used, on the calling thread, for a process that ends.
  nonisolated func touchNow(_ uses: [(key: CacheKey, use: EntryUse)]) throws(DiskCacheError) {
    let index = try DiskIndex(layout: layout, in: fileSystem)
    if try index.isCurrent() { try Self.touch(uses, in: index) }
  }

  @discardableResult
  func remove(_ selection: EntrySelection) throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.remove(selection).count }
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
      let use = lastUse ?? current
      lastUse = nil
      let report = try index.clean(on: terms, idleSince: use)
      counters.countCleaning(report)
      return report
    }
  }

  /// Cleans on the calling thread, for a process that ends.
  nonisolated func cleanNow(on terms: Terms) throws(DiskCacheError) {
    let access = try IndexAccess(layout: layout, configuration: terms.configuration, in: fileSystem)
    guard try access.enter() else { throw .busy(path: layout.index) }
    defer { access.leave() }
    counters.countCleaning(try access.index.clean(on: terms, idleSince: access.index.lastUse()))
  }

  /// Settles what dead writers left half done, and gives back what this one does not use.
  func recover() throws(DiskCacheError) {
    try withAccess { access throws(DiskCacheError) in try access.recover(settings.current) }
  }

  func sweep(shard: UInt8, now: Date) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.sweep(shard: shard, now: now) }
  }

  /// Runs `body` on the open index; otherwise as ``withAccess(_:)``.
  func withIndex<Result>(_ body: (DiskIndex) throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result {
    try withAccess { access throws(DiskCacheError) in try body(access.index) }
  }

  /// Runs `body` on the open index. A folder that was deleted, or an index that is damaged, is made anew, once.
  func withAccess<Result>(_ body: (IndexAccess) throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result {
    do throws(DiskCacheError) {
      return try withOpenAccess(body)
    } catch {
      switch error {
      case .damagedIndex:
        access = nil
        try IndexAccess.setAside(layout: layout, in: fileSystem)
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
    _ body: (IndexAccess) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    let access = try openAccess()
    defer { access.leave() }
    let configuration = settings.current
    try access.apply(configuration)
    // Until this succeeds too much is counted, which does no harm; only what writes has to insist on it.
    if access.isUnsettled { _ = try? access.settleOwn(configuration) }
    return try body(access)
  }

  /// The open index, entered.
  private func openAccess() throws(DiskCacheError) -> IndexAccess {
    if let access, try access.enter() { return access }
    access = nil
    let access = try IndexAccess(layout: layout, configuration: settings.current, in: fileSystem)
    guard try access.enter() else { throw .busy(path: layout.index) }
    do throws(DiskCacheError) {
      try access.recover(settings.current)
      lastUse = try access.index.lastUse()
    } catch {
      access.leave()
      throw error
    }
    self.access = access
    return access
  }

  private static func touch(
    _ uses: [(key: CacheKey, use: EntryUse)], in index: DiskIndex
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
