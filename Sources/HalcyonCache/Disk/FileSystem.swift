import Foundation
import CHalcyonSystemShim
import HalcyonSupport

/// Makes the system calls of a disk cache; tests substitute one that makes each call fail.
///
/// A conformer keeps these laws:
/// - It calls `body` once, with at most the requested byte count, and returns its result; or it fails as the system
///   would: `body` is not called, `errno` is set, and -1 is returned.
/// - It may be called from several threads at once.
package protocol FileSystem: Sendable {
  /// Makes one system call.
  ///
  /// - Parameters:
  ///   - call: The kind of call.
  ///   - byteCount: The bytes to read or write; 0 for all other calls.
  ///   - body: Makes the call for at most the given byte count, and returns the result of the system.
  func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int
}

/// The kinds of system calls that a disk cache makes.
package enum FileSystemCall: String, Hashable, Sendable, CaseIterable {
  /// Opens or creates a file.
  case open
  /// Reads bytes.
  case read
  /// Writes bytes.
  case write
  /// Queries the size, inode or times of a file, or the kind of file system that it is on.
  case status
  /// Sets the times of a file.
  case setTimes
  /// Renames a file.
  case rename
  /// Removes a file.
  case unlink
  /// Creates a folder.
  case makeFolder
  /// Lists a folder.
  case list
  /// Includes a folder in the backups of Apple's systems, or excludes it; has no effect elsewhere.
  case includeInBackup
  case excludeFromBackup
  /// Acquires or releases an advisory lock.
  case lock
  /// Begins a transaction of the index.
  case begin
  /// Commits a transaction of the index.
  case commit
}

/// The file system of the operating system.
package struct SystemFiles: FileSystem {
  /// Creates the file system.
  package init() {}

  /// Makes the call.
  package func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int {
    body(byteCount)
  }
}

extension FileSystem {
  /// Makes a system call and returns its result. Retries when a signal interrupts the call.
  ///
  /// - Throws: ``DiskCacheError/system(call:path:code:)`` with `errno` when the result is negative.
  @discardableResult
  func check(
    _ call: FileSystemCall, _ path: String, byteCount: Int = 0, _ body: (_ byteCount: Int) -> Int
  ) throws(DiskCacheError) -> Int {
    while true {
      let result = perform(call, byteCount: byteCount, body)
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw .system(call: call.rawValue, path: path, code: code) }
    }
  }

  /// Whether a path is on a network or FUSE file system.
  func isRemote(_ path: String) throws(DiskCacheError) -> Bool {
    #if canImport(Darwin)
    // Apps that call `statfs` have to declare a reason for it.
    let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.volumeIsLocalKey])
    return values?.volumeIsLocal == false
    #else
    try check(.status, path) { _ in Int(halcyon_is_remote(path)) } == 1
    #endif
  }

  /// The status of a file.
  ///
  /// - Parameter followsLink: Whether a symbolic link stands for its target.
  func status(of path: String, followsLink: Bool = true) throws(DiskCacheError) -> stat {
    var status = stat()
    try check(.status, path) { _ in Int(followsLink ? stat(path, &status) : lstat(path, &status)) }
    return status
  }

  /// Renames a file atomically, replacing the target.
  func move(_ path: String, to target: String) throws(DiskCacheError) {
    try check(.rename, target) { _ in Int(rename(path, target)) }
  }

  /// Removes a file. Idempotent: a missing file is not an error.
  func remove(_ path: String) throws(DiskCacheError) {
    try ignoring(\.isMissing, try check(.unlink, path) { _ in Int(unlink(path)) })
  }

  /// Makes a folder of this user writable by its owner only. Does nothing to a folder of another user, and to one with
  /// the sticky bit, in which others cannot replace files.
  func revokeWriting(in path: String, _ status: stat) {
    let others = S_IWGRP | S_IWOTH
    guard status.st_mode & others != 0, status.st_uid == geteuid(), status.st_mode & S_ISVTX == 0 else { return }
    // On file systems without permissions this fails.
    _ = chmod(path, status.st_mode & ~S_IFMT & ~others)
  }

  /// Creates a folder and its missing parents, readable and writable by the owner only. Idempotent.
  func makeFolder(_ path: String) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try check(.makeFolder, path) { _ in Int(mkdir(path, 0o700)) }
    } catch {
      switch error.systemCode {
      case EEXIST where try isFolderOrLink(path): return
      case ENOENT:
        guard let parent = Self.parent(of: path) else { throw error }
        try makeFolder(parent)
        // Not repeated: some file systems refuse folders with ENOENT although the parent exists, for example `/proc`.
        try check(.makeFolder, path) { _ in mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : -1 }
      default: throw error
      }
    }
  }

  private func isFolderOrLink(_ path: String) throws(DiskCacheError) -> Bool {
    let status = try status(of: path, followsLink: false)
    return status.isFolder || status.isLink
  }

  /// The folder that contains a path; `nil` for the root, and for a name alone.
  static func parent(of path: String) -> String? {
    // By bytes: a slash with a combining mark is another `Character`.
    let bytes = Array(path.utf8)
    let slash = UInt8(ascii: "/")
    guard let end = bytes.lastIndex(where: { $0 != slash }), let slashEnd = bytes[...end].lastIndex(of: slash),
      let parentEnd = bytes[..<slashEnd].lastIndex(where: { $0 != slash })
    else { return nil }
    return String(decoding: bytes[...parentEnd], as: UTF8.self)
  }

  /// The names in a folder; empty when the folder does not exist.
  ///
  /// - Parameter followsLink: Whether a symbolic link stands for its target; otherwise it is an error.
  func names(in path: String, followsLink: Bool = false) throws(DiskCacheError) -> [String] {
    do throws(DiskCacheError) {
      var names: [String] = []
      try check(.list, path) { _ in
        let file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW))
        guard file >= 0 else { return -1 }
        return list(file, into: &names)
      }
      return names
    } catch {
      guard error.isMissing else { throw error }
      return []
    }
  }

  /// Lists an open folder, and closes it.
  private func list(_ file: Int32, into names: inout [String]) -> Int {
    guard let folder = fdopendir(file) else {
      close(file)
      return -1
    }
    defer { closedir(folder) }
    errno = 0
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
      errno = 0
    }
    // An incomplete list is an error: files missing from it would be treated as removed.
    return errno == 0 ? 0 : -1
  }
}

extension timespec {
  init(_ date: Date) {
    // Clamped to dates that file systems can store; ext4 ends in 2446.
    let time = date.timeIntervalSince1970
    let seconds = time.isNaN ? 0 : min(max(time, -1e10), 1e12).rounded(.down)
    self.init(tv_sec: Int(clamping: seconds), tv_nsec: seconds + 1 > time ? Int((time - seconds) * 1e9) : 0)
  }
}

extension stat {
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }

  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }

  var isLink: Bool { st_mode & S_IFMT == S_IFLNK }

  /// Whether it belongs to the effective user or to root. Any other user could have prepared it, and could change it.
  var isTrusted: Bool { st_uid == geteuid() || st_uid == 0 }

  var modificationDate: Date {
    #if canImport(Darwin)
    let time = st_mtimespec
    #else
    let time = st_mtim
    #endif
    return Date(timeIntervalSince1970: Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9)
  }
}
