import Foundation
import HalcyonSupport

extension DiskIndex {
  /// Fills a new index from the entry files. No other process may be writing.
  func rebuild() throws(DiskCacheError) {
    for name in try fileSystem.names(in: layout.temporaries) where WriterLock.isName(name) {
      try removeFile(layout.temporaries + "/" + name)
    }
    for name in try fileSystem.names(in: layout.entries) {
      guard let shard = UInt8(name, radix: 16) else { continue }
      try rebuild(shard: shard)
    }
    try database.transaction { () throws(DiskCacheError) in
      // So far the sequence numbers are modification times, which later sequence numbers must not collide with.
      let ids = try database.run("SELECT id FROM entry ORDER BY sequence, id")
      for (position, row) in ids.enumerated() {
        try database.run("UPDATE entry SET sequence=? WHERE id=?", [.integer(Int64(position + 1)), row[0]])
      }
      try database.run("UPDATE total SET sequence=(SELECT max(coalesce(max(id), 0), count(*)) FROM entry)")
    }
  }

  private func rebuild(shard: UInt8) throws(DiskCacheError) {
    let folder = layout.shard(shard)
    guard let names = try ignoring(\.isUnreadable, try self.names(in: shard)), !names.isEmpty else { return }
    try database.transaction { () throws(DiskCacheError) in
      for name in names where DiskLayout.digest(name) != nil {
        let path = folder + "/" + name
        switch try inspect(path, name: name) {
        case .entry(let file):
          let lastUse = min(max(0, file.modified.timeIntervalSince1970 * 1000), Double(Self.largestNumber))
          try adopt(file, sequence: Int64(lastUse))
        case .notAnEntry: try removeFile(path)
        case .unreadable: break
        }
      }
    }
  }

  /// Adds the row of a file that is in place.
  func adopt(_ file: EntryFile.Description, sequence: Int64) throws(DiskCacheError) {
    let row = EntryRow(
      id: file.header.id, digest: file.key.digest.bytes, byteCount: file.diskByteCount,
      expiration: StoredExpiration(file.metadata.expiration, stored: file.stored, lastUse: file.modified),
      attributes: IndexedAttributes(key: file.key, metadata: file.metadata), date: file.modified)
    try insert(row, sequence: sequence, isPinned: file.slot.isPinned)
  }

  /// A file in a shard.
  private enum InspectedFile {
    case entry(EntryFile.Description)
    /// Missing, a folder, damaged, of another user, under the wrong name, or with the number of another entry.
    case notAnEntry
    /// A file without permission to read it, a symbolic link, or one in a bad block.
    case unreadable
  }

  private func inspect(_ path: String, name: String) throws(DiskCacheError) -> InspectedFile {
    let description: EntryFile.Description?
    do throws(DiskCacheError) {
      description = try self.description(path)
    } catch {
      guard error.isUnreadable else { throw error }
      return .unreadable
    }
    guard let file = description, let digest = DiskLayout.digest(name),
      path == layout.entry(digest), file.key.digest.bytes == digest,
      (1..<Self.largestNumber / 2).contains(file.header.id),
      try database.run("SELECT 1 FROM entry WHERE id=?", [.integer(file.header.id)]).isEmpty
    else { return .notAnEntry }
    return .entry(file)
  }

  /// The description of an entry file; `nil` when it is missing or damaged.
  func description(_ path: String) throws(DiskCacheError) -> EntryFile.Description? {
    try ignoring(\.isMissing, try EntryFile.describe(path: path, in: fileSystem))
  }
}
