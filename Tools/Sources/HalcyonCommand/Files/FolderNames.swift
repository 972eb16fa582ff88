import Foundation

/// The names in a folder, read one after another.
final class FolderNames {
  struct Entry {
    let name: String
    /// `DT_REG`, `DT_DIR`, `DT_LNK`, or another of these constants.
    let type: UInt8
  }

  struct Failure: Error {
    let code: Int32
  }

  #if canImport(Darwin)
  private let folder: UnsafeMutablePointer<DIR>
  #else
  private let folder: OpaquePointer
  #endif

  init(_ path: String) throws(Failure) {
    guard let folder = opendir(path.cPath) else { throw Failure(code: errno) }
    self.folder = folder
  }

  deinit { closedir(folder) }

  /// The entries that were not read before, in the order of the bytes of their names.
  func sorted() -> [Entry] {
    var entries: [Entry] = []
    while let entry = next() { entries.append(entry) }
    return entries.sorted { $0.name.fileNameBytes.lexicographicallyPrecedes($1.name.fileNameBytes) }
  }

  /// The next entry, without `.` and `..`; `nil` after the last.
  func next() -> Entry? {
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
          String(fileName: $0)
        }
      }
      if name != ".", name != ".." { return Entry(name: name, type: entry.pointee.d_type) }
    }
    return nil
  }
}

/// The identity of a file, equal for all paths of the same file.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t

  /// `nil` if there is no file, or it cannot be examined.
  init?(ofPath path: String) {
    guard let status = stat(ofPath: path) else { return nil }
    self.init(status)
  }

  init?(ofDescriptor descriptor: Int32) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) { (device, inode) = (status.st_dev, status.st_ino) }
}

extension stat {
  /// The status of a file; `nil` if there is none, or it cannot be examined, and then `errno` says why.
  init?(ofPath path: String, followsLinks: Bool = true) {
    self.init()
    guard fstatat(AT_FDCWD, path.cPath, &self, followsLinks ? 0 : AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
  }

  var modificationDate: timespec {
    #if canImport(Darwin)
    st_mtimespec
    #else
    st_mtim
    #endif
  }

  private var type: mode_t { st_mode & S_IFMT }
  var isFolder: Bool { type == S_IFDIR }
  var isRegularFile: Bool { type == S_IFREG }
  var isLink: Bool { type == S_IFLNK }

  /// The type in words.
  var kind: String {
    switch type {
    case S_IFDIR: "a folder"
    case S_IFREG: "a file"
    case S_IFIFO: "a pipe"
    case S_IFSOCK: "a socket"
    default: "a device"
    }
  }
}
