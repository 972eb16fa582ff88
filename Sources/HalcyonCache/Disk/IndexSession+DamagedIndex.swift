import Foundation

/// A damaged or missing index is replaced by one made from the entry files.
extension IndexSession {
  /// Moves a damaged index aside, so that the next session rebuilds it. The index must not be open in this process.
  ///
  /// - Parameter inode: The file of the damaged index; `nil` when it could not be opened.
  static func moveAside(_ inode: ino_t?, layout: DiskLayout, in fileSystem: any FileSystem) throws(DiskCacheError) {
    let indexLock = try FileDescriptor(path: layout.indexLock, flags: O_RDWR | O_CREAT, in: fileSystem)
    try indexLock.lock(LOCK_EX, timeout: lockTimeout)
    // Another process may have rebuilt it meanwhile.
    if let inode, let current = try? fileSystem.status(of: layout.index).st_ino, current != inode { return }
    if inode == nil, isIntact(layout: layout, in: fileSystem) { return }
    try ignoring(\.isMissing, try fileSystem.move(layout.index, to: layout.damagedIndex))
    for suffix in DiskLayout.indexSuffixes.dropFirst() { try fileSystem.remove(layout.index + suffix) }
  }

  static func rebuild(_ old: DiskIndex) throws(DiskCacheError) -> DiskIndex {
    for suffix in DiskLayout.indexSuffixes { try old.fileSystem.remove(old.layout.index + suffix) }
    let index = try DiskIndex(layout: old.layout, isOnNetwork: old.isOnNetwork, in: old.fileSystem)
    try index.createTables()
    try index.rebuild()
    try index.markCurrent()
    try index.checkpoint()
    return index
  }

  private static func isIntact(layout: DiskLayout, in fileSystem: any FileSystem) -> Bool {
    guard (try? layout.checkIndex(in: fileSystem)) != nil,
      let index = try? DiskIndex(layout: layout, in: fileSystem), (try? index.isCurrent()) == true
    else { return false }
    return (try? index.database.run("PRAGMA integrity_check(1)").first?.first?.text) == "ok"
  }
}
