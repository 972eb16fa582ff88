import Foundation
import SystemShim

/// What makes the system calls of a disk cache, in one place, so that a test can make each of them fail.
///
/// A conformer keeps these laws:
/// - It calls `body` once with at most the bytes asked for and returns what that returns; or it fails as the system
///   would: `body` is not called, `errno` is set, and -1 is returned.
/// - It may be called from several threads at once.
public protocol FileSystem: Sendable {
  /// Makes one system call.
  ///
  /// - Parameters:
  ///   - call: Which one.
  ///   - byteCount: How many bytes it is to read or write; 0 for all other calls.
  ///   - body: Makes the call for at most the bytes it is given, and returns what the system returned.
  func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int
}

/// The kinds of system calls that a disk cache makes.
@nonexhaustive
public enum FileSystemCall: String, Hashable, Sendable, CaseIterable {
  /// A file is opened or created.
  case open
  /// Bytes are read.
  case read
  /// Bytes are written.
  case write
  /// The size, the number or the times of a file are asked for.
  case status
  /// The times of a file are set.
  case setTimes
  /// A file is moved into its place.
  case rename
  /// A file is removed.
  case unlink
  /// A folder is made.
  case makeFolder
  /// A folder is listed.
  case list
  /// What was written is waited for until it is on the disk.
  case sync
  /// An advisory lock is taken.
  case lock
  /// A change of the index begins.
  case begin
  /// A change of the index is made to last.
  case commit
}

/// The system's own files.
public struct SystemFiles: FileSystem {
  /// Creates the file system.
  public init() {}

  /// Makes the call.
  public func perform(_ call: FileSystemCall, byteCount: Int, _ body: (_ byteCount: Int) -> Int) -> Int {
    body(byteCount)
  }
}

extension FileSystem {
  /// The result of a call, or what `errno` says when it is negative. A call that a signal interrupts is made again.
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

  /// Whether a path lies on a file system that a network, or a process, stands behind.
  func isRemote(_ path: String) throws(DiskCacheError) -> Bool {
    try check(.status, path) { _ in Int(halcyon_is_remote(path)) } == 1
  }

  func status(of path: String) throws(DiskCacheError) -> stat {
    var status = stat()
    try check(.status, path) { _ in Int(stat(path, &status)) }
    return status
  }

  /// Waits until the names in folders are on the disk.
  func syncFolders(_ paths: [String]) throws(DiskCacheError) {
    for path in paths { try FileDescriptor(path: path, flags: O_RDONLY, in: self).sync() }
  }

  func move(_ path: String, to target: String) throws(DiskCacheError) {
    try check(.rename, target) { _ in Int(rename(path, target)) }
  }

  /// Removes a file; one that is not there is removed already.
  func remove(_ path: String) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try check(.unlink, path) { _ in Int(unlink(path)) }
    } catch {
      guard error.isMissing else { throw error }
    }
  }

  /// Makes a folder and those above it, for their owner only; does nothing when it is there.
  func makeFolder(_ path: String) throws(DiskCacheError) {
    do throws(DiskCacheError) {
      try check(.makeFolder, path) { _ in Int(mkdir(path, 0o700)) }
    } catch {
      switch error.systemCode {
      case EEXIST where try status(of: path).st_mode & S_IFMT == S_IFDIR: return
      case ENOENT:
        let parent = path.split(separator: "/").dropLast().joined(separator: "/")
        guard !parent.isEmpty else { throw error }
        try makeFolder(path.hasPrefix("/") ? "/" + parent : parent)
        try makeFolder(path)
      default: throw error
      }
    }
  }

  /// The names in a folder; none when it is not there.
  func names(in path: String) throws(DiskCacheError) -> [String] {
    var names: [String] = []
    do throws(DiskCacheError) {
      try check(.list, path) { _ in
        guard let folder = opendir(path) else { return -1 }
        defer { closedir(folder) }
        errno = 0
        while let entry = readdir(folder) {
          let name = withUnsafeBytes(of: &entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
          }
          if name != ".", name != ".." { names.append(name) }
          errno = 0
        }
        // What is missing from a list that breaks off would be taken for gone.
        return errno == 0 ? 0 : -1
      }
    } catch {
      guard error.isMissing else { throw error }
    }
    return names
  }
}
