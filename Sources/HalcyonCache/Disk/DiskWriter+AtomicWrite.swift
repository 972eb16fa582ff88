import HalcyonSupport
import Foundation

extension DiskWriter {
  /// Stores an entry: writes a temporary file within this writer's reservation; then, in one transaction, records the
  /// write intent, renames the file into place and adds its row.
  ///
  /// What a killed writer leaves at each step, and how it is recovered:
  /// ```
  /// while reserving space    files of evicted entries gone, rows not  rows are evicted in turn, or removed by a sweep
  /// space reserved           a reservation                            released
  /// writing                  and part of a temporary file             removed
  /// intent recorded          and an intent whose file is not moved    as before
  /// file moved               and that file in place, without a row    adopted if intact, otherwise removed; the row
  ///                                                                   of the replaced entry is deleted
  /// transaction committed    a row, the rest of the reservation       the rest is released
  /// ```
  ///
  /// - Parameter old: The file of the entry, if its metadata only is new.
  func store(
    _ entry: StoredEntry, for key: CacheKey, updating old: EntryFile.Description? = nil, _ context: Context
  ) throws(DiskCacheError) {
    let file = try EntryFileWriter(entry, key: key, updating: old)
    let id: Int64
    do throws(DiskCacheError) {
      id = try write(file, entry.metadata, key, context)
    } catch {
      guard error.isDiskFull else { throw error }
      try withIndex { index throws(DiskCacheError) in
        let sizeLimit = try index.total().byteCount - 2 * file.diskByteCount
        counters.countEvictions(try index.trim(to: DiskBudget(sizeLimit: sizeLimit)).count, .size)
        // A checkpoint needs disk space itself, which the eviction has freed.
        _ = try? index.checkpoint()
      }
      id = try write(file, entry.metadata, key, context)
    }
    counters.countStore()
    if id.isMultiple(of: 1000) {
      // A failed sweep does not fail the store.
      do throws(DiskCacheError) {
        try sweep(shard: UInt8(truncatingIfNeeded: id / 1000), now: context.now)
      } catch { counters.countError() }
    }
  }

  /// Writes the file of an entry and adds its row; returns the number of the file.
  private func write(
    _ file: EntryFileWriter, _ metadata: EntryMetadata, _ key: CacheKey, _ context: Context
  ) throws(DiskCacheError) -> Int64 {
    return try withSession { session throws(DiskCacheError) in
      if session.needsRecovery { try session.recoverOwnWrite() }
      try ensureReserved(file.diskByteCount, in: session, context)
      let id = session.reservation.ids.removeFirst()
      let stored = file.stored ?? context.now
      let lastUse = context.configuration.expiration.isExtendedByUse ? context.now : stored
      let row = DiskIndex.EntryRow(
        id: id, digest: key.digest.bytes, byteCount: file.diskByteCount,
        expiration: StoredExpiration(metadata.expiration, stored: stored, lastUse: lastUse),
        attributes: IndexedAttributes(key: key, metadata: metadata), date: context.now)
      do throws(DiskCacheError) {
        let path = layout.temporary(session.writerLock.name)
        try file.write(id: id, date: context.now, to: path, in: fileSystem)
        try session.index.add(row, by: session.writerLock.name) { isPinned throws(DiskCacheError) in
          if isPinned {
            _ = try EntryFile.update(isPinned: true, path: path, key: key, in: fileSystem)
          }
          try session.writerLock.record(WriteIntent(id: id, digest: row.digest))
          try move(path, to: row.digest)
        }
      } catch {
        // If this fails as well, it is repeated before the next change.
        _ = try? session.recoverOwnWrite()
        throw error
      }
      session.reservation.byteCount -= row.byteCount
      return id
    }
  }

  /// Reserves space for an entry unless the reservation covers it.
  private func ensureReserved(
    _ byteCount: Int, in session: IndexSession, _ context: Context
  ) throws(DiskCacheError) {
    guard !session.reservation.covers(byteCount) else { return }
    do throws(DiskCacheError) {
      try reserve(byteCount, in: session, context)
    } catch {
      guard case .insufficientSpace = error else { throw error }
      // Abandoned writers may hold reservations.
      try session.recover()
      try reserve(byteCount, in: session, context)
    }
  }

  private func reserve(_ byteCount: Int, in session: IndexSession, _ context: Context) throws(DiskCacheError) {
    let budget = try session.index.budget(sizeLimit: context.configuration.sizeLimit)
    let (reservation, evictedCount) = try session.index.reserve(
      byteCount, for: session.writerLock.name, at: context.now, budget: budget)
    counters.countEvictions(evictedCount, .size)
    session.reservation = reservation
  }

  private func move(_ temporary: String, to digest: [UInt8]) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try fileSystem.move(temporary, to: layout.entry(digest))
    } catch {
      switch error.systemCode {
      case ENOENT: break
      // A file in place of the folder.
      case ENOTDIR: try fileSystem.remove(layout.shard(of: digest))
      default: throw error
      }
      try fileSystem.makeFolder(layout.shard(of: digest))
      try fileSystem.move(temporary, to: layout.entry(digest))
    }
  }
}
