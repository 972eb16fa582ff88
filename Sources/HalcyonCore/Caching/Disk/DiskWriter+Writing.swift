import Foundation

extension DiskWriter {
  /// Writes an entry: promised space first, then the file under another name, then its move into place.
  func store(_ entry: StoredEntry, for key: CacheKey, on terms: Terms) throws(DiskCacheError) {
    let draft = BlobDraft(entry, key: key)
    let place: Place
    do throws(DiskCacheError) {
      place = try write(draft, entry.metadata, key, on: terms)
    } catch {
      guard error.isDiskFull else { throw error }
      try withIndex { index throws(DiskCacheError) in
        let sizeLimit = try index.totalSize() - 2 * draft.diskByteCount
        counters.countEvictions(try index.trim(to: DiskBudget(sizeLimit: sizeLimit)).count)
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
      update = try BlobFile.update(
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
        let isDurable = terms.configuration.durability == .durable
        try draft.write(
          id: place.id, isPinned: place.isPinned, date: terms.now, isDurable: isDurable, to: temporary, in: fileSystem)
        try move(temporary, to: digest)
        if isDurable { try fileSystem.syncFolders([layout.shard(of: digest), layout.entries]) }
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
      switch try index.reserve(request, budget: index.budget(sizeLimit: terms.configuration.sizeLimit)) {
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
      guard error.isMissing else { throw error }
      try fileSystem.makeFolder(layout.shard(of: digest))
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
