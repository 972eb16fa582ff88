import HalcyonSupport
import Foundation

extension DiskWriter {
  /// Writes an entry: the file under another name, out of what this writer was allotted; then, in one change of the index,
  /// its move into place and its row.
  ///
  /// What is left where the writer is killed, and what becomes of it:
  /// ```
  /// while it is allotted space   files of the evicted gone, rows not  the rows go with their turn, or a sweep
  /// with an allotment            an allotment                         given back
  /// while it writes              and part of a file in tmp            removed
  /// with its note written        and a number that is not in place    as before
  /// with the file moved          and that number, which has no row    taken in where it is whole, else removed; the row
  ///                                                                   of the entry that it replaced goes
  /// with the change made         a row, the rest of the allotment     the rest given back
  /// ```
  func store(_ entry: StoredEntry, for key: CacheKey, on terms: Terms) throws(DiskCacheError) {
    let draft = try EntryFileWriter(entry, key: key)
    let id: Int64
    do throws(DiskCacheError) {
      id = try write(draft, entry.metadata, key, on: terms)
    } catch {
      guard error.isDiskFull else { throw error }
      try withIndex { index throws(DiskCacheError) in
        let sizeLimit = try index.total().byteCount - 2 * draft.diskByteCount
        counters.countEvictions(try index.trim(to: DiskBudget(sizeLimit: sizeLimit)).count)
        // This needs some space itself, for which the evicted have made room.
        _ = try? index.shrinkLog()
      }
      id = try write(draft, entry.metadata, key, on: terms)
    }
    counters.countStore()
    if id.isMultiple(of: 1000) {
      // The entry is stored, whatever comes of this.
      do throws(DiskCacheError) {
        try sweep(shard: UInt8(truncatingIfNeeded: id / 1000), now: terms.now)
      } catch { counters.countError() }
    }
  }

  /// Changes what is known about an entry; `nil` when its file has too little room.
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey, on terms: Terms) throws(DiskCacheError) -> Bool? {
    let update: EntryFile.Update
    do throws(DiskCacheError) {
      update = try EntryFile.update(
        metadata: metadata, isDurable: terms.configuration.durability == .durable,
        path: layout.entry(key.digest.bytes), key: key, in: fileSystem)
    } catch {
      if error.isMissing { return false }
      throw error
    }
    switch update {
    case .absent: return false
    case .tooLarge: return nil
    case .done(let id, let old):
      if old.expiration != metadata.expiration || old.tags != metadata.tags || old.url != metadata.url {
        let expiration = StoredExpiration(metadata.expiration, at: terms.now)
        try withIndex { index throws(DiskCacheError) in
          try index.relabel(id: id, IndexedAttributes(key: key, metadata: metadata), expiration: expiration)
        }
      }
      return true
    }
  }

  func setPinned(_ isPinned: Bool, for key: CacheKey) throws(DiskCacheError) -> Bool {
    let digest = key.digest.bytes
    do throws(DiskCacheError) {
      let update = try EntryFile.update(isPinned: isPinned, path: layout.entry(digest), key: key, in: fileSystem)
      guard case .done = update else { return false }
    } catch {
      if error.isMissing { return false }
      throw error
    }
    try withIndex { index throws(DiskCacheError) in try index.setPinned(isPinned, digest: digest) }
    return true
  }

  /// Writes the file of an entry and makes it the one of its key; returns the file's number.
  private func write(
    _ draft: EntryFileWriter, _ metadata: EntryMetadata, _ key: CacheKey, on terms: Terms
  ) throws(DiskCacheError) -> Int64 {
    let isDurable = terms.configuration.durability == .durable
    return try withAccess { access throws(DiskCacheError) in
      if access.isUnsettled { try access.settleOwn() }
      try allot(draft.diskByteCount, to: access, on: terms)
      let id = access.allotment.ids.removeFirst()
      let request = DiskIndex.Request(
        id: id, digest: key.digest.bytes, byteCount: draft.diskByteCount,
        expiration: StoredExpiration(metadata.expiration, at: terms.now),
        labels: IndexedAttributes(key: key, metadata: metadata), date: terms.now)
      do throws(DiskCacheError) {
        let path = layout.temporary(access.owner.name)
        try draft.write(id: id, date: terms.now, isDurable: isDurable, to: path, in: fileSystem)
        try access.index.add(request, by: access.owner.name) { isPinned throws(DiskCacheError) in
          if isPinned {
            _ = try EntryFile.update(isPinned: true, isDurable: isDurable, path: path, key: key, in: fileSystem)
          }
          try access.owner.note(WriteIntent(id: id, digest: request.digest), isDurable: isDurable)
          try move(path, to: request.digest)
          if isDurable { try fileSystem.syncFolders([layout.shard(of: request.digest), layout.entries]) }
        }
      } catch {
        // What fails now is done before the next change.
        _ = try? access.settleOwn()
        throw error
      }
      access.allotment.byteCount -= request.byteCount
      return id
    }
  }

  /// Sees to it that the writer has been given enough for an entry.
  private func allot(_ byteCount: Int, to access: IndexSession, on terms: Terms) throws(DiskCacheError) {
    guard !access.allotment.covers(byteCount) else { return }
    do throws(DiskCacheError) {
      try ask(for: byteCount, access, on: terms)
    } catch {
      guard case .noRoom = error else { throw error }
      // Dead writers may hold what is missing.
      try access.recover()
      try ask(for: byteCount, access, on: terms)
    }
  }

  private func ask(for byteCount: Int, _ access: IndexSession, on terms: Terms) throws(DiskCacheError) {
    let budget = try access.index.budget(sizeLimit: terms.configuration.sizeLimit)
    let grant = try access.index.allot(byteCount, to: access.owner.name, at: terms.now, budget: budget)
    counters.countEvictions(grant.evictedCount)
    access.allotment = grant.allotment
  }

  private func move(_ temporary: String, to digest: [UInt8]) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try fileSystem.move(temporary, to: layout.entry(digest))
    } catch {
      guard error.isMissing else { throw error }
      try fileSystem.makeFolder(layout.shard(of: digest))
      try fileSystem.move(temporary, to: layout.entry(digest))
    }
  }
}
