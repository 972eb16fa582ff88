import HalcyonSupport
import Foundation

/// The paths of the files below the folder of a disk cache.
///
/// ```
/// v1/index.db    index (SQLite)                     v1/d/00..ff/HASH   one file per entry, in 256 shards
/// v1/gate        lock of the index                  v1/tmp/NAME        the entry that a writer is writing
/// v1/own/NAME    lock and write intent of a writer
/// ```
/// 1 is the format: each version of the library uses the folder of its own format only, and leaves all others as they are.
struct DiskLayout: Sendable {
  /// Incremented with every change of the schema of the index or of the entry files.
  static let currentFormat = 1

  let root: String
  let format: Int
  /// The folder of the format.
  let version: String
  /// The folder of the shards; each read makes a path below it.
  let entries: String

  init(root: String, format: Int = Self.currentFormat) {
    self.root = root
    self.format = format
    version = "\(root)/v\(format)"
    entries = version + "/d"
  }

  var index: String { version + "/index.db" }
  /// The suffixes of SQLite's files.
  static let indexSuffixes = ["", "-wal", "-shm", "-journal"]
  /// A damaged index that was moved aside.
  var damagedIndex: String { version + "/index.damaged" }
  var indexLock: String { version + "/gate" }
  var temporaries: String { version + "/tmp" }
  var writerLocks: String { version + "/own" }
  private var tag: String { root + "/CACHEDIR.TAG" }

  func entry(_ digest: [UInt8]) -> String {
    let name = digest.hexadecimal
    return "\(entries)/\(name.prefix(2))/\(name)"
  }

  /// The folder of the entry with this digest.
  func shard(of digest: [UInt8]) -> String { digest.first.map(shard) ?? entries }

  func shard(_ number: UInt8) -> String { entries + "/" + [number].hexadecimal }

  func temporary(_ writer: String) -> String { "\(temporaries)/\(writer)" }

  func writerLock(_ writer: String) -> String { "\(writerLocks)/\(writer)" }

  /// The digest in the name of an entry file; `nil` when it is not such a name.
  static func digest(_ name: String) -> [UInt8]? {
    let digits = Array(name.utf8)
    guard digits.count == 32 else { return nil }
    let bytes = stride(from: 0, to: 32, by: 2).compactMap { start in
      UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16)
    }
    return bytes.count == 16 && bytes.hexadecimal == name ? bytes : nil
  }

  /// The format in the name of a folder; `nil` when it is not such a name.
  static func format(_ name: String) -> Int? {
    guard let number = Int(name.dropFirst()), number > 0, "v\(number)".utf8.elementsEqual(name.utf8) else { return nil }
    return number
  }

  /// Creates the missing folders, accessible to the owner only, and makes existing ones writable by the owner only. Shards are created with their first entry.
  ///
  /// - Throws: ``DiskCacheError/unsafeFolder(path:)`` when another user could have prepared the files.
  func create(isBackedUp: Bool, in fileSystem: any FileSystem) throws(DiskCacheError) {
    try fileSystem.makeFolder(root)
    // The parents first: no other user can replace a folder that is checked after its parent.
    fileSystem.revokeWriting(in: root, try checkOwner(of: root, in: fileSystem))
    for folder in [version, writerLocks, temporaries, entries] {
      try fileSystem.makeFolder(folder)
      fileSystem.revokeWriting(in: folder, try checkOwner(of: folder, in: fileSystem))
    }
    try checkShards(in: fileSystem)
    try checkIndex(in: fileSystem)
    try setBackup(isBackedUp, in: fileSystem)
  }

  /// Tells backups to include the folder, or to skip it, wherever it is.
  private func setBackup(_ isBackedUp: Bool, in fileSystem: any FileSystem) throws(DiskCacheError) {
    // Its failure has no effect on the cache.
    _ = fileSystem.perform(isBackedUp ? .includeInBackup : .excludeFromBackup, byteCount: 0) { _ in
      var values = URLResourceValues()
      values.isExcludedFromBackup = !isBackedUp
      var folder = URL(filePath: root, directoryHint: .isDirectory)
      return (try? folder.setResourceValues(values)) == nil ? -1 : 0
    }
    if isBackedUp { return try fileSystem.remove(tag) }
    // Tells backup programs to skip the folder (bford.info/cachedir).
    guard access(tag, F_OK) != 0 else { return }
    do throws(DiskCacheError) {
      // Exclusive: a symbolic link is not followed.
      let file = try FileDescriptor(path: tag, flags: O_WRONLY | O_CREAT | O_EXCL, in: fileSystem)
      try file.write(Data("Signature: 8a477f597d28d172789f06886806bc55\n".utf8), at: 0)
    } catch {
      guard error.systemCode == EEXIST else { throw error }
    }
  }

  /// Checks the owners of the folders with the entries.
  ///
  /// - Returns: Whether the folders exist.
  /// - Throws: ``DiskCacheError/unsafeFolder(path:)`` when another user could have prepared the files.
  func checkFolders(in fileSystem: any FileSystem) throws(DiskCacheError) -> Bool {
    do throws(DiskCacheError) {
      for folder in [root, version, entries] { try checkOwner(of: folder, in: fileSystem) }
      try checkShards(in: fileSystem)
      return true
    } catch {
      guard error.isMissing else { throw error }
      return false
    }
  }

  private func checkShards(in fileSystem: any FileSystem) throws(DiskCacheError) {
    for name in try fileSystem.names(in: entries) where UInt8(name, radix: 16) != nil {
      try checkOwner(of: entries + "/" + name, in: fileSystem)
    }
  }

  /// Checks the files of the index, which SQLite opens by their names.
  ///
  /// - Throws: ``DiskCacheError/unsafeFolder(path:)`` when one is a symbolic link or belongs to another user;
  ///   ``DiskCacheError/damagedIndex(path:)`` when one has a second name, under which it may be a file of something else.
  func checkIndex(in fileSystem: any FileSystem) throws(DiskCacheError) {
    for path in [indexLock, damagedIndex] + Self.indexSuffixes.map({ index + $0 }) {
      let status = try ignoring(\.isMissing, try checkOwner(of: path, in: fileSystem))
      if let status, status.isRegularFile, status.st_nlink > 1, path != damagedIndex {
        throw .damagedIndex(path: index)
      }
    }
  }

  /// Checks that a file or folder belongs to this user or to root, and that it is no symbolic link. Only the folder of
  /// the cache itself may be a link, which also belongs to one of them.
  @discardableResult
  private func checkOwner(of path: String, in fileSystem: any FileSystem) throws(DiskCacheError) -> stat {
    // With a slash at the end the target would be seen, not the link.
    let name = path.utf8.lastIndex { $0 != UInt8(ascii: "/") }.map { String(path.utf8[...$0]) ?? path } ?? path
    var status = try fileSystem.status(of: name, followsLink: false)
    if path == root, status.isLink, status.isTrusted { status = try fileSystem.status(of: path) }
    guard !status.isLink, status.isTrusted else { throw .unsafeFolder(path: path) }
    return status
  }
}
