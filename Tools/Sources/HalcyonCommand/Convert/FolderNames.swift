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
    guard let folder = opendir(path) else { throw Failure(code: errno) }
    self.folder = folder
  }

  deinit { closedir(folder) }

  /// The next entry, without `.` and `..`; `nil` after the last.
  func next() -> Entry? {
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
          String(cString: $0)
        }
      }
      if name != ".", name != ".." { return Entry(name: name, type: entry.pointee.d_type) }
    }
    return nil
  }
}

/// What tells whether two paths are the same file.
struct FileIdentity: Equatable {
  private let device: dev_t
  private let inode: ino_t

  /// `nil` if there is no file, or it cannot be examined.
  init?(ofPath path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    (device, inode) = (status.st_dev, status.st_ino)
  }
}

extension stat {
  var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
  var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}
