import Foundation

/// Shows other processes that a writer lives: a locked file of its own, which the system unlocks when the process dies.
final class OwnerLock {
  /// What the writer's rows in the index carry.
  let name: String
  private let path: String
  private let file: FileDescriptor
  private let fileSystem: any FileSystem

  init(layout: DiskLayout, in fileSystem: any FileSystem) throws(DiskCacheError) {
    name = "\(getpid())-\(String(UInt64.random(in: 0...UInt64.max), radix: 16)).lock"
    path = layout.owner(name)
    self.fileSystem = fileSystem
    file = try Self.lockedFile(path, in: fileSystem)
  }

  deinit {
    // A file that stays is removed by the next process that looks for dead writers.
    try? fileSystem.remove(path)
  }

  /// Whether the writer of this name has ended.
  static func isDead(_ name: String, layout: DiskLayout, in fileSystem: any FileSystem) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      let file = try FileDescriptor(path: layout.owner(name), flags: O_RDWR, in: fileSystem)
      return try file.lock(LOCK_SH | LOCK_NB)
    } catch {
      guard error.isMissing else { throw error }
      return true
    }
  }

  /// Removes the files of writers that have ended.
  static func removeDead(layout: DiskLayout, in fileSystem: any FileSystem) throws(DiskCacheError) {
    for name in try fileSystem.names(in: layout.owners) where try isDead(name, layout: layout, in: fileSystem) {
      try fileSystem.remove(layout.owner(name))
    }
  }

  /// A new file and its lock. Whoever looks for dead writers may remove the file before it is locked; then a new one is made.
  private static func lockedFile(_ path: String, in fileSystem: any FileSystem) throws(DiskCacheError) -> FileDescriptor
  {
    while true {
      let file = try FileDescriptor(path: path, flags: O_RDWR | O_CREAT, in: fileSystem)
      try file.lock(LOCK_EX)
      if try file.status().st_nlink > 0 { return file }
    }
  }
}
