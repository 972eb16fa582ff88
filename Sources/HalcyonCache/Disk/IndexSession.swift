import Foundation

/// An open index, with the locks that coordinate it with other processes.
///
/// Each use of the index holds the index lock shared; a rebuild holds it exclusively. So no transaction is ever open in
/// an index that is being replaced.
final class IndexSession {
  /// The default time to wait for another process that rebuilds the index: it reads the header of every entry file.
  static let lockTimeout = Duration.seconds(30)

  let index: DiskIndex
  let writerLock: WriterLock
  /// Disk space and file numbers that this writer may use without another transaction.
  var reservation = Reservation()
  /// Whether a failed change of this writer has still to be recovered.
  private(set) var needsRecovery = false
  private let indexLock: FileDescriptor
  private let lockTimeout: Duration
  /// The inode of the open index file; another file may replace it.
  let inode: ino_t
  private var appliedConfiguration: DiskCacheConfiguration?

  /// Opens the index; rebuilds it from the entry files when it is missing or incomplete, if the cache is repairing.
  ///
  /// - Parameter lockTimeout: The time to wait for another process that rebuilds the index.
  init(
    layout: DiskLayout, configuration: DiskCacheConfiguration, lockTimeout: Duration = IndexSession.lockTimeout,
    in fileSystem: any FileSystem
  ) throws(DiskCacheError) {
    self.lockTimeout = lockTimeout
    if !configuration.isRepairing { _ = try fileSystem.status(of: layout.index) }
    try layout.create(isBackedUp: configuration.isBackedUp, in: fileSystem)
    let isOnNetwork: Bool
    if let configured = configuration.isOnNetwork {
      isOnNetwork = configured
    } else {
      isOnNetwork = try fileSystem.isRemote(layout.root)
    }
    writerLock = try WriterLock(layout: layout, in: fileSystem)
    indexLock = try FileDescriptor(path: layout.indexLock, flags: O_RDWR | O_CREAT, in: fileSystem)
    try indexLock.lock(LOCK_SH, timeout: lockTimeout)
    var index = try DiskIndex(layout: layout, isOnNetwork: isOnNetwork, in: fileSystem)
    if try !index.isCurrent() {
      guard configuration.isRepairing else { throw .damagedIndex(path: layout.index) }
      // Released first: where a failed upgrade keeps the shared lock, two processes would block each other.
      try indexLock.lock(LOCK_UN)
      try indexLock.lock(LOCK_EX, timeout: lockTimeout)
      index = try DiskIndex(layout: layout, isOnNetwork: isOnNetwork, in: fileSystem)
      if try !index.isCurrent() { index = try Self.rebuild(index) }
    }
    // Under the lock, so that the file is the one that is open.
    inode = try fileSystem.status(of: layout.index).st_ino
    try indexLock.lock(LOCK_UN)
    self.index = index
  }

  /// Applies a configuration to the connection, if it has changed.
  func apply(_ configuration: DiskCacheConfiguration) throws(DiskCacheError) {
    guard appliedConfiguration != configuration else { return }
    try index.apply(configuration)
    // Space reserved under the old limit may exceed the new one.
    if let appliedConfiguration, appliedConfiguration.sizeLimit != configuration.sizeLimit { try recoverOwnWrite() }
    appliedConfiguration = configuration
  }

  /// Completes or undoes a failed change of this writer, and releases its reservation.
  func recoverOwnWrite() throws(DiskCacheError) {
    (needsRecovery, writerLock.keepsFile) = (true, true)
    reservation = Reservation()
    if let error = try index.recoverWriters({ name in name == writerLock.name }).values.first { throw error }
    (needsRecovery, writerLock.keepsFile) = (false, false)
  }

  /// Completes or undoes the unfinished writes of this and of abandoned writers, and releases their reservations.
  func recover() throws(DiskCacheError) {
    try recoverOwnWrite()
    try recoverAbandonedWriters()
  }

  /// Completes or undoes the unfinished writes of abandoned writers, and releases their reservations. A writer whose
  /// files cannot be read or removed keeps its reservation.
  func recoverAbandonedWriters() throws(DiskCacheError) {
    let (layout, files) = (index.layout, index.fileSystem)
    // Listed before the index is read, so that only lock files of recovered writers are removed.
    let abandoned = try WriterLock.abandonedWriters(layout: layout, in: files)
    let failures = try index.recoverWriters { name throws(DiskCacheError) in
      abandoned.contains(name) ? true : try WriterLock.isAbandoned(name, layout: layout, in: files)
    }
    WriterLock.remove(abandoned.subtracting(failures.keys), layout: layout, in: files)
  }

  /// Acquires the shared index lock; `false`, without the lock, when the open index is no longer the one in the folder.
  func lockIndex() throws(DiskCacheError) -> Bool {
    try indexLock.lock(LOCK_SH, timeout: lockTimeout)
    do throws(DiskCacheError) {
      if try index.fileSystem.status(of: index.layout.index).st_ino == inode { return true }
    } catch {
      guard error.isMissing else {
        unlockIndex()
        throw error
      }
    }
    unlockIndex()
    return false
  }

  func unlockIndex() {
    // If this fails, the lock is released when the file is closed.
    _ = try? indexLock.lock(LOCK_UN)
  }
}
