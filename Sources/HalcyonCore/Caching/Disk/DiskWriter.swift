import Foundation

/// Everything that changes a disk cache, one change after another on a thread of its own.
actor DiskWriter {
  private nonisolated let executor = ThreadExecutor(name: "disk-writer")
  let layout: DiskLayout
  let fileSystem: any FileSystem
  let counters: DiskCounters
  private var access: IndexAccess?
  private var expiration: CacheExpiration = .never
  /// How the index was found when it was opened, until the first cleaning.
  private var lastUse: DiskIndex.LastUse?
  /// Entries of this writer that a failure left half done.
  private var unsettled: Set<Int64> = []

  init(layout: DiskLayout, fileSystem: any FileSystem, counters: DiskCounters) {
    self.layout = layout
    self.fileSystem = fileSystem
    self.counters = counters
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// What one write needs to know besides the entry.
  struct Terms {
    var configuration: DiskCacheConfiguration
    var now: Date
  }

  /// Writes an entry: promised space first, then the file under another name, then its move into place.
  func store(_ entry: StoredEntry, for key: CacheKey, on terms: Terms) throws(DiskCacheError) {
    let draft = BlobDraft(entry, key: key)
    expiration = terms.configuration.expiration
    let place: Place
    do throws(DiskCacheError) {
      place = try write(draft, entry.metadata, key, on: terms)
    } catch {
      guard error.isDiskFull else { throw error }
      try withIndex { index throws(DiskCacheError) in
        counters.countEvictions(try index.trim(to: index.totalSize() - 2 * draft.diskByteCount))
        // This needs some space itself, for which the evicted have made room.
        _ = try? index.shrinkLog()
      }
      place = try write(draft, entry.metadata, key, on: terms)
    }
    counters.countStore()
    if place.id.isMultiple(of: 1000) {
      // The entry is stored, whatever comes of this.
      do throws(DiskCacheError) {
        try sweep(shard: UInt8(truncatingIfNeeded: place.id / 1000), now: terms.now)
      } catch { counters.countError() }
    }
  }

  /// Changes what is known about an entry; `nil` when its file has too little room.
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey, on terms: Terms) throws(DiskCacheError) -> Bool? {
    let update: BlobFile.Update
    do throws(DiskCacheError) {
      update = try BlobFile.update(metadata: metadata, path: layout.entry(key.digest.bytes), key: key, in: fileSystem)
    } catch {
      if error.isMissing { return false }
      throw error
    }
    switch update {
    case .absent: return false
    case .tooLarge: return nil
    case .done(let id, let old):
      if old.expiration != metadata.expiration || old.tags != metadata.tags || old.url != metadata.url {
        let expiration = StoredExpiration(metadata.expiration ?? terms.configuration.expiration, at: terms.now)
        try withIndex { index throws(DiskCacheError) in
          try index.relabel(id: id, EntryLabels(key: key, metadata: metadata), expiration: expiration)
        }
      }
      return true
    }
  }

  func setPinned(_ isPinned: Bool, for key: CacheKey) throws(DiskCacheError) -> Bool {
    let digest = key.digest.bytes
    do throws(DiskCacheError) {
      let update = try BlobFile.update(isPinned: isPinned, path: layout.entry(digest), key: key, in: fileSystem)
      guard case .done = update else { return false }
    } catch {
      if error.isMissing { return false }
      throw error
    }
    try withIndex { index throws(DiskCacheError) in try index.setPinned(isPinned, digest: digest) }
    return true
  }

  func touch(_ uses: [(digest: [UInt8], date: Date)]) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try Self.touch(uses, in: index) }
  }

  /// Writes down which entries were used, on the calling thread, for a process that ends.
  nonisolated func touchNow(_ uses: [(digest: [UInt8], date: Date)]) throws(DiskCacheError) {
    let index = try DiskIndex(layout: layout, in: fileSystem)
    if try index.isCurrent() { try Self.touch(uses, in: index) }
  }

  @discardableResult
  func remove(_ selection: EntrySelection) throws(DiskCacheError) -> Int {
    try withIndex { index throws(DiskCacheError) in try index.remove(selection) }
  }

  func removeDamaged(_ key: CacheKey) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.removeDamaged(key.digest.bytes) }
  }

  func trim(to sizeLimit: Int) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in counters.countEvictions(try index.trim(to: sizeLimit)) }
  }

  /// Settles what dead writers left, and removes what has expired or is over the limit.
  func clean(on terms: Terms) throws(DiskCacheError) {
    expiration = terms.configuration.expiration
    try recover()
    try withIndex { index throws(DiskCacheError) in
      let current = try index.lastUse()
      let use = lastUse ?? current
      lastUse = nil
      if let limit = terms.configuration.wipesAfterIdle, let date = use.date,
        terms.now.timeIntervalSince(date) > limit.inSeconds
      {
        try index.remove(.used(upTo: use.sequence))
      }
      try index.remove(.expired(at: terms.now))
      counters.countEvictions(try index.trim(to: terms.configuration.sizeLimit))
    }
  }

  /// Settles what dead writers left half done.
  func recover() throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try recover(in: index) }
  }

  func sweep(shard: UInt8, now: Date) throws(DiskCacheError) {
    try withIndex { index throws(DiskCacheError) in try index.sweep(shard: shard, now: now) }
  }

  /// Runs `body` on the open index. A folder that was deleted, or an index that is damaged, is made anew, once.
  func withIndex<Result>(_ body: (DiskIndex) throws(DiskCacheError) -> Result) throws(DiskCacheError) -> Result {
    do throws(DiskCacheError) {
      return try withOpenIndex(body)
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
      return try withOpenIndex(body)
    }
  }

  private func withOpenIndex<Result>(
    _ body: (DiskIndex) throws(DiskCacheError) -> Result
  ) throws(DiskCacheError) -> Result {
    let access = try openAccess()
    defer { access.leave() }
    // Until this succeeds too much is counted, which does no harm; what needs more fails by itself.
    if !unsettled.isEmpty, (try? settleOwn(in: access.index)) != nil { unsettled = [] }
    return try body(access.index)
  }

  private func settleOwn(in index: DiskIndex) throws(DiskCacheError) {
    try index.settle { _, id in unsettled.contains(id) }
  }

  /// The open index, entered.
  private func openAccess() throws(DiskCacheError) -> IndexAccess {
    if let access, try access.enter() { return access }
    access = nil
    unsettled = []
    let access = try IndexAccess(layout: layout, expiration: expiration, in: fileSystem)
    guard try access.enter() else { throw .busy(path: layout.index) }
    do throws(DiskCacheError) {
      try recover(in: access.index)
      lastUse = try access.index.lastUse()
    } catch {
      access.leave()
      throw error
    }
    self.access = access
    return access
  }

  private func recover(in index: DiskIndex) throws(DiskCacheError) {
    try index.settle { owner, _ throws(DiskCacheError) in
      try OwnerLock.isDead(owner, layout: layout, in: fileSystem)
    }
    try OwnerLock.removeDead(layout: layout, in: fileSystem)
  }

  private static func touch(
    _ uses: [(digest: [UInt8], date: Date)], in index: DiskIndex
  ) throws(DiskCacheError) {
    try index.touch(uses)
    for use in uses {
      let time = timespec(use.date)
      // The file may be gone by now; then there is nothing to mark.
      _ = try? index.fileSystem.check(.setTimes, index.layout.root) { _ in
        Int(utimensat(AT_FDCWD, index.layout.entry(use.digest), [time, time], 0))
      }
    }
  }
}

extension DiskWriter {
  /// Where an entry was promised space.
  private struct Place {
    var id: Int64
    var isPinned: Bool
  }

  private func write(
    _ draft: BlobDraft, _ metadata: EntryMetadata, _ key: CacheKey, on terms: Terms
  ) throws(DiskCacheError) -> Place {
    let digest = key.digest.bytes
    return try withIndex { index throws(DiskCacheError) in
      let place = try reserve(draft, metadata, key, on: terms, in: index)
      let temporary = layout.temporary(place.id)
      do throws(DiskCacheError) {
        try draft.write(id: place.id, isPinned: place.isPinned, date: terms.now, to: temporary, in: fileSystem)
        try move(temporary, to: digest)
        try index.commit(id: place.id, digest: digest)
      } catch {
        settleLater(place.id, in: index)
        throw error
      }
      return place
    }
  }

  /// Waits for a writer that is at the same key; what a dead one promised itself is taken back first.
  private func reserve(
    _ draft: BlobDraft, _ metadata: EntryMetadata, _ key: CacheKey, on terms: Terms, in index: DiskIndex
  ) throws(DiskCacheError) -> Place {
    let request = DiskIndex.Request(
      digest: key.digest.bytes, byteCount: draft.diskByteCount,
      expiration: StoredExpiration(metadata.expiration ?? terms.configuration.expiration, at: terms.now),
      labels: EntryLabels(key: key, metadata: metadata), owner: access?.owner.name ?? "", date: terms.now)
    let end = ContinuousClock.now + .seconds(2)
    while true {
      switch try index.reserve(request, sizeLimit: terms.configuration.sizeLimit) {
      case .made(let id, let isPinned, let evictedCount):
        counters.countEvictions(evictedCount)
        return Place(id: id, isPinned: isPinned)
      case .taken(let owner):
        guard ContinuousClock.now < end else { throw .busy(path: layout.entry(request.digest)) }
        let isDead = try OwnerLock.isDead(owner, layout: layout, in: fileSystem)
        if isDead || owner == request.owner {
          try index.settle { other, _ in other == owner }
        } else {
          usleep(1000)
        }
      }
    }
  }

  private func move(_ temporary: String, to digest: [UInt8]) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try fileSystem.move(temporary, to: layout.entry(digest))
    } catch {
      guard error.isMissing, let first = digest.first else { throw error }
      try fileSystem.makeFolder(layout.shard(first))
      try fileSystem.move(temporary, to: layout.entry(digest))
    }
  }

  /// Gives back what was promised; what fails now is done before the next change.
  private func settleLater(_ id: Int64, in index: DiskIndex) {
    do throws(DiskCacheError) {
      try index.settle { _, other in other == id }
    } catch {
      unsettled.insert(id)
    }
  }
}
