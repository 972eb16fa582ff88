import Foundation

/// An open index with what keeps other processes from taking it away.
///
/// Every use of the index holds the gate together with all other users; whoever makes the index anew holds it alone.
/// So no change is ever under way in an index that is thrown away.
final class IndexSession {
  /// How long a process that makes the index anew is waited for: it reads the head of each file.
  private static let patience = Duration.seconds(30)

  let index: DiskIndex
  let owner: WriterLock
  /// What this writer may put on the disk before it asks the index again.
  var allotment = Reservation()
  /// Whether a failure left something of this writer to settle.
  private(set) var isUnsettled = false
  private let gate: FileDescriptor
  private let patience: Duration
  /// The file of the index, which another one may take the place of.
  let node: ino_t
  private var applied: DiskCacheConfiguration?

  /// Opens the index; makes it from the entries that are there when it is missing, or of another format.
  ///
  /// - Parameter patience: How long another process that makes it anew is waited for.
  init(
    layout: DiskLayout, configuration: DiskCacheConfiguration, patience: Duration = IndexSession.patience,
    in fileSystem: any FileSystem
  ) throws(DiskCacheError) {
    self.patience = patience
    try layout.create(in: fileSystem)
    let isOnNetwork: Bool
    if let known = configuration.isOnNetwork {
      isOnNetwork = known
    } else {
      isOnNetwork = try fileSystem.isRemote(layout.root)
    }
    owner = try WriterLock(layout: layout, in: fileSystem)
    gate = try FileDescriptor(path: layout.gate, flags: O_RDWR | O_CREAT, in: fileSystem)
    try gate.lock(LOCK_SH, for: patience)
    var index = try DiskIndex(layout: layout, isOnNetwork: isOnNetwork, in: fileSystem)
    if try !index.isCurrent() {
      try gate.lock(LOCK_EX, for: patience)
      index = try DiskIndex(layout: layout, isOnNetwork: isOnNetwork, in: fileSystem)
      if try !index.isCurrent() { index = try Self.make(index) }
    }
    // As long as nobody may replace it.
    node = try fileSystem.status(of: layout.index).st_ino
    try gate.lock(LOCK_UN)
    self.index = index
  }

  /// Brings the open index in line with the configuration.
  func apply(_ configuration: DiskCacheConfiguration) throws(DiskCacheError) {
    guard applied != configuration else { return }
    try index.apply(configuration)
    // What was given under another limit may be too much for this one.
    if let applied, applied.sizeLimit != configuration.sizeLimit { try settleOwn() }
    applied = configuration
  }

  /// Settles what a failure of this writer left half done, and gives back what it was allotted.
  func settleOwn() throws(DiskCacheError) {
    (isUnsettled, owner.outlivesWriter) = (true, true)
    allotment = Reservation()
    try index.settle { name in name == owner.name }
    (isUnsettled, owner.outlivesWriter) = (false, false)
  }

  /// Settles what dead writers left half done, and gives back what this one and they were allotted.
  func recover() throws(DiskCacheError) {
    try settleOwn()
    try settleDead()
  }

  /// Settles what dead writers left half done, and gives back what they were allotted.
  func settleDead() throws(DiskCacheError) {
    let (layout, files) = (index.layout, index.fileSystem)
    // Known before the index is asked, so that no file goes whose writer is not settled.
    let dead = try WriterLock.dead(layout: layout, in: files)
    try index.settle { name throws(DiskCacheError) in
      dead.contains(name) ? true : try WriterLock.isDead(name, layout: layout, in: files)
    }
    try WriterLock.remove(dead, layout: layout, in: files)
  }

  /// Sets a damaged index aside, so that the next access makes a new one. The damaged one must not be open here.
  ///
  /// - Parameter node: The file of the damaged index; `nil` where it could not even be opened.
  static func setAside(_ node: ino_t?, layout: DiskLayout, in fileSystem: any FileSystem) throws(DiskCacheError) {
    let gate = try FileDescriptor(path: layout.gate, flags: O_RDWR | O_CREAT, in: fileSystem)
    try gate.lock(LOCK_EX, for: patience)
    // Somebody else may have made a new one meanwhile.
    if let node, let current = try? fileSystem.status(of: layout.index).st_ino, current != node { return }
    if node == nil, isSound(layout: layout, in: fileSystem) { return }
    do throws(DiskCacheError) {
      try fileSystem.move(layout.index, to: layout.damagedIndex)
    } catch {
      guard error.isMissing else { throw error }
    }
    for suffix in ["-wal", "-shm", "-journal"] { try fileSystem.remove(layout.index + suffix) }
  }

  /// Takes part in the use of the index; `false` when it is not the one in the folder any more, which was deleted.
  func enter() throws(DiskCacheError) -> Bool {
    try gate.lock(LOCK_SH, for: patience)
    do throws(DiskCacheError) {
      if try index.fileSystem.status(of: index.layout.index).st_ino == node { return true }
    } catch {
      guard error.isMissing else {
        leave()
        throw error
      }
    }
    leave()
    return false
  }

  func leave() {
    // A lock that cannot be given back goes with the process.
    _ = try? gate.lock(LOCK_UN)
  }

  private static func make(_ old: DiskIndex) throws(DiskCacheError) -> DiskIndex {
    for suffix in ["", "-wal", "-shm", "-journal"] { try old.fileSystem.remove(old.layout.index + suffix) }
    let index = try DiskIndex(layout: old.layout, isOnNetwork: old.isOnNetwork, in: old.fileSystem)
    try index.createTables()
    try index.rebuild()
    try index.markCurrent()
    try index.shrinkLog()
    return index
  }

  private static func isSound(layout: DiskLayout, in fileSystem: any FileSystem) -> Bool {
    guard let index = try? DiskIndex(layout: layout, in: fileSystem), (try? index.isCurrent()) == true else {
      return false
    }
    return (try? index.database.run("PRAGMA integrity_check(1)").first?.first?.text) == "ok"
  }
}
