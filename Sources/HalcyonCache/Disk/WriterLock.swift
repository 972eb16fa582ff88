import Foundation

/// Shows other processes that a writer lives: a locked file of its own, which the system unlocks when the process dies.
/// In the file stands which entry the writer puts in its place.
final class WriterLock {
  /// What the writer's allotment in the index carries.
  let name: String
  /// Whether the file stays when the writer goes, for others to settle what it says.
  var outlivesWriter = false
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
    if !outlivesWriter { try? fileSystem.remove(path) }
  }

  /// Writes down what is about to be put in its place, over what was before it.
  func note(_ entry: WriteIntent, isDurable: Bool) throws(DiskCacheError) {
    try file.write(entry.encoded, at: 0)
    if isDurable { try file.sync() }
  }

  /// What a writer put in its place last, or was about to; `nil` when it put nothing.
  static func note(
    of name: String, layout: DiskLayout, in fileSystem: any FileSystem
  ) throws(DiskCacheError) -> WriteIntent? {
    do throws(DiskCacheError) {
      let file = try FileDescriptor(path: layout.owner(name), flags: O_RDONLY, in: fileSystem)
      return WriteIntent(decoding: try file.read(count: WriteIntent.byteCount, at: 0))
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
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

  /// The names of writers that have ended and left a file.
  static func dead(layout: DiskLayout, in fileSystem: any FileSystem) throws(DiskCacheError) -> Set<String> {
    var names: Set<String> = []
    for name in try fileSystem.names(in: layout.owners) where try isDead(name, layout: layout, in: fileSystem) {
      names.insert(name)
    }
    return names
  }

  /// Removes the files of writers that have ended and are settled.
  static func remove(
    _ names: Set<String>, layout: DiskLayout, in fileSystem: any FileSystem
  ) throws(DiskCacheError) {
    for name in names { try fileSystem.remove(layout.owner(name)) }
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
