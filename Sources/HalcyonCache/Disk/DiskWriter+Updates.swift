import Foundation
import HalcyonSupport

/// Changes to an entry in place: its metadata, and whether it is pinned.
extension DiskWriter {
  /// Updates the metadata of an entry in its file and in the index.
  func updateMetadata(
    _ metadata: EntryMetadata, for key: CacheKey, _ context: Context
  ) throws(DiskCacheError) -> EntryFile.Update {
    let path = layout.entry(key.digest.bytes)
    let update = try ignoring(
      \.isNoFile, try EntryFile.update(metadata: metadata, path: path, key: key, in: fileSystem))
    guard case .updated(let id, let old, let stored) = update else { return update ?? .noEntry }
    if old.expiration != metadata.expiration || old.tags != metadata.tags || old.url != metadata.url {
      let attributes = IndexedAttributes(key: key, metadata: metadata)
      let lastUse = context.configuration.expiration.isExtendedByUse ? context.now : stored
      let expiration = StoredExpiration(metadata.expiration, stored: stored, lastUse: lastUse)
      try withIndex { index throws(DiskCacheError) in
        try index.update(id: id, attributes: attributes, expiration: expiration)
      }
    }
    return .updated(id: id, old: old, stored: stored)
  }

  /// Writes an entry anew with other metadata, unless it was replaced or removed since it was read.
  func replace(_ content: EntryFile.Content, for key: CacheKey, _ context: Context) throws(DiskCacheError) -> Bool {
    let path = layout.entry(key.digest.bytes)
    let file = try ignoring(\.isMissing, try EntryFile.describe(path: path, in: fileSystem))
    guard file?.header.id == content.id else { return false }
    try store(content.entry, for: key, updating: file, context)
    return true
  }

  func setPinned(_ isPinned: Bool, for key: CacheKey) throws(DiskCacheError) -> Bool {
    let digest = key.digest.bytes
    let path = layout.entry(digest)
    let update = try ignoring(
      \.isNoFile, try EntryFile.update(isPinned: isPinned, path: path, key: key, in: fileSystem))
    guard case .updated = update else { return false }
    try withIndex { index throws(DiskCacheError) in try index.setPinned(isPinned, digest: digest) }
    return true
  }
}
