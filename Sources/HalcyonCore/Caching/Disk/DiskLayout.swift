import Foundation

/// Where the files of a disk cache lie below its folder.
///
/// ```
/// v1/index.db    sizes and order          v1/d/00..ff/HASH   one file an entry
/// v1/lock        held while in use        v1/tmp/ID          entries being written
/// ```
struct DiskLayout: Sendable {
  let root: String

  var version: String { root + "/v1" }
  var index: String { version + "/index.db" }
  var lock: String { version + "/lock" }
  private var entries: String { version + "/d" }
  private var temporaries: String { version + "/tmp" }

  func entry(_ digest: [UInt8]) -> String {
    let name = digest.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }
    return "\(entries)/\(name[0])/\(name.joined())"
  }

  func temporary(_ id: Int64) -> String { "\(temporaries)/\(id)" }

  /// Makes the folders that are missing, for their owner only.
  func create() throws(DiskCacheError) {
    try makeFolder(root)
    for folder in [version, temporaries, entries] { try makeFolder(folder) }
    for number in 0...255 {
      let digits = String(number, radix: 16)
      try makeFolder("\(entries)/\(digits.count == 1 ? "0" : "")\(digits)")
    }
    try markAsCache()
  }

  /// Removes every entry and every file being written, and leaves the folders.
  func removeFiles() {
    for folder in [temporaries, entries] { removeFiles(below: folder) }
  }

  /// Removes what writers that were killed have left.
  func removeTemporaries() { removeFiles(below: temporaries) }

  /// Removes the index, so that the next start begins with none.
  func removeIndex() {
    for suffix in ["", "-wal", "-shm"] { unlink(index + suffix) }
  }

  private func removeFiles(below folder: String) {
    guard let names = FileManager.default.enumerator(atPath: folder) else { return }
    for case let name as String in names { unlink(folder + "/" + name) }
  }

  private func makeFolder(_ path: String) throws(DiskCacheError) {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue { return }
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .system(call: "mkdir", path: path, code: (error as NSError).posixCode ?? EIO)
    }
  }

  /// Tells backup programs that the folder can be left out (bford.info/cachedir).
  private func markAsCache() throws(DiskCacheError) {
    let path = root + "/CACHEDIR.TAG"
    guard access(path, F_OK) != 0 else { return }
    let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT)
    try file.write(Data("Signature: 8a477f597d28d172789f06886806bc55\n".utf8), at: 0)
  }
}

extension NSError {
  fileprivate var posixCode: Int32? {
    if domain == NSPOSIXErrorDomain { return Int32(code) }
    return (userInfo[NSUnderlyingErrorKey] as? NSError)?.posixCode
  }
}
