import Foundation
import HalcyonSupport

/// Changes to an entry in place: its metadata, and whether it is pinned.
extension DiskWriter {
  /// Updates the metadata of an entry in its file and in the index.
  func updateMetadata(
    _ metadata: EntryMetadata, for key: CacheKey, _ context: Context
  ) throws(DiskCacheError) -> EntryFile.Update {
    let update: EntryFile.Update
    do throws(DiskCacheError) {
      update = try EntryFile.update(
        metadata: metadata, path: layout.entry(key.digest.bytes), key: key, in: fileSystem)
    } catch {
      if error.isMissing || error.isNotAFile { return .noEntry }
      throw error
    }
    guard case .updated(let id, let old, let stored) = update else { return update }
    if old.expiration != metadata.expiration || old.tags != metadata.tags || old.url != metadata.url {
      let attributes = IndexedAttributes(key: key, metadata: metadata)
      let lastUse = context.configuration.expiration.isExtendedByUse ? context.now : stored
      let expiration = StoredExpiration(metadata.expiration, stored: stored, lastUse: lastUse)
      try withIndex { index throws(DiskCacheError) in
        try index.update(id: id, attributes: attributes, expiration: expiration)
      }
    }
    return update
  }

  /// Writes an entry anew, unless it was replaced or removed since it was read.
  func replace(_ content: EntryFile.Content, for key: CacheKey, _ context: Context) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      let file = try EntryFile.describe(path: layout.entry(key.digest.bytes), in: fileSystem)
      guard let file, file.header.id == content.id else { return false }
    } catch {
      if error.isMissing { return false }
      throw error
    }
    try store(content.entry, for: key, context)
    return true
  }

  func setPinned(_ isPinned: Bool, for key: CacheKey) throws(DiskCacheError) -> Bool {
    let digest = key.digest.bytes
    do throws(DiskCacheError) {
      let update = try EntryFile.update(isPinned: isPinned, path: layout.entry(digest), key: key, in: fileSystem)
      guard case .updated = update else { return false }
    } catch {
      if error.isMissing || error.isNotAFile { return false }
      throw error
    }
    try withIndex { index throws(DiskCacheError) in try index.setPinned(isPinned, digest: digest) }
    return true
  }
}
