public import Foundation
import HalcyonSupport

extension DiskCache {
  /// The format of the files that this version of the library reads and writes.
  public static let format = DiskLayout.currentFormat

  /// Whether a folder contains a disk cache of this ``format``, which ``init(directory:configuration:time:)`` would
  /// otherwise create.
  public static func exists(in directory: URL) -> Bool { formats(in: directory).contains(format) }

  /// The formats of the disk caches in a folder, the oldest first: one for each version of the library that has used it;
  /// empty if the folder has none, or cannot be listed.
  public static func formats(in directory: URL) -> [Int] {
    let root = directory.path(percentEncoded: false)
    let names = (try? SystemFiles().names(in: root, followsLink: true)) ?? []
    return names.compactMap(DiskLayout.format).sorted().filter { format in
      access(DiskLayout(root: root, format: format).index, F_OK) == 0
    }
  }

  /// Removes the caches of older formats that nothing uses any more; a failure is counted.
  func removeOldFormats() async {
    let (old, now) = (OldFormats(layout: layout, fileSystem: fileSystem), time.now())
    await countingErrors {
      // Not by the writer: the removal of many files would delay the stores of this cache.
      try await readers.run { _ in try old.removeUnused(now: now) }
    }
  }
}

/// The caches of older formats in the folder of a cache, left there by earlier versions of the library.
private struct OldFormats: Sendable {
  /// By then their entries have expired by default: ``DiskCacheConfiguration/expiration``.
  static let idleTime: TimeInterval = 7 * 86_400

  let layout: DiskLayout
  let fileSystem: any FileSystem

  /// Removes the caches that no process has open or has used for a week. Newer formats are not touched.
  func removeUnused(now: Date) throws(DiskCacheError) {
    let names = try fileSystem.names(in: layout.root, followsLink: true)
    // A removal that did not end.
    if names.contains(DiskLayout.removedName) { try fileSystem.removeTree(layout.removed) }
    for format in names.compactMap(DiskLayout.format).sorted() where format < layout.format {
      let old = DiskLayout(root: layout.root, format: format)
      if try moveAside(old, now: now) { try fileSystem.removeTree(layout.removed) }
    }
  }

  /// Renames the folder of an unused cache, so that a process that starts meanwhile makes a new one.
  private func moveAside(_ old: DiskLayout, now: Date) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      guard try old.checkFolders(in: fileSystem), now.timeIntervalSince(try lastUse(of: old)) > Self.idleTime else {
        return false
      }
      let indexLock = try FileDescriptor(path: old.indexLock, flags: O_RDWR, in: fileSystem)
      guard try indexLock.lock(LOCK_EX | LOCK_NB) else { return false }
      defer { _ = try? indexLock.lock(LOCK_UN) }
      for writer in try fileSystem.names(in: old.writerLocks) {
        guard try WriterLock.isAbandoned(writer, layout: old, in: fileSystem) else { return false }
      }
      try fileSystem.move(old.version, to: layout.removed)
      return true
    } catch {
      // Not a cache, prepared by another user, or removed by another process.
      if case .unsafeFolder = error { return false }
      guard error.isMissing else { throw error }
      return false
    }
  }

  /// When a process opened the cache last, or changed its index, to which it also writes the order of its reads.
  private func lastUse(of old: DiskLayout) throws(DiskCacheError) -> Date {
    var last = try fileSystem.status(of: old.writerLocks).modificationDate
    for path in [old.index, old.index + "-wal"] {
      do throws(DiskCacheError) {
        last = max(last, try fileSystem.status(of: path).modificationDate)
      } catch {
        guard error.isMissing else { throw error }
      }
    }
    return last
  }
}
