import Foundation

/// Writes files so that they are complete or not there.
///
/// Only regular files are replaced. A device, a pipe and the target of a symbolic link are written to, and stay what they
/// are. A file that is replaced keeps its permissions and, as far as the system allows, its owner.
enum OutputFile {
  /// Writes a file.
  ///
  /// - Parameters:
  ///   - overwrites: Whether a file of the same name is replaced; otherwise it is an error.
  ///   - date: The modification date that a regular file gets. Default: now.
  static func write(
    _ data: Data, to path: String, overwrites: Bool, date: timespec? = nil
  ) throws(OutputError) {
    let content = Content(data: data, date: date)
    let code: Int32
    if let existing = stat(ofPath: path, followsLinks: false) {
      guard overwrites else { throw .exists(path) }
      if existing.isRegularFile {
        code = replace(path, with: content, existing)
      } else if existing.isLink, let target = target(ofLink: path), let status = stat(ofPath: target),
        status.isRegularFile
      {
        code = replace(target, with: content, status)
      } else {
        code = writeThrough(data, to: path)
      }
    } else {
      code = create(path, with: content)
      // The file has appeared since the first check.
      if code == EEXIST, !overwrites { throw .exists(path) }
    }
    guard code == 0 else { throw .unwritable(path: path, code: code) }
  }

  /// Writes the file that an option names, which is not an error where nothing is replaced: a device or a pipe.
  static func write(
    _ data: Data, toNamed path: String, overwrites: Bool, date: timespec? = nil
  ) throws(OutputError) {
    try write(data, to: path, overwrites: overwrites || isStream(path), date: date)
  }

  /// Throws before the work begins if the file that an option names already exists and may not be replaced.
  static func check(_ path: String, overwrites: Bool) throws(OutputError) {
    if !overwrites, !isStream(path), stat(ofPath: path, followsLinks: false) != nil { throw .exists(path) }
  }

  /// Whether the path is a device, a pipe or a socket, or a link to one.
  static func isStream(_ path: String) -> Bool {
    stat(ofPath: path).map { !$0.isRegularFile && !$0.isFolder } ?? false
  }

  static func isFolder(_ path: String) -> Bool { stat(ofPath: path)?.isFolder ?? false }

  /// Creates a folder and those that contain it, where they are missing.
  static func createFolder(_ path: String) throws(OutputError) {
    if isFolder(path) { return }
    // Another thread or process may create any of them at the same time.
    let parent = path.withoutEndSlashes.parentFolder
    if parent != path { try createFolder(parent) }
    if mkdir(path.cPath, 0o777) == 0 { return }
    let code = errno
    if !isFolder(path) { throw .unwritable(path: path, code: code) }
  }

  /// Writes all bytes; returns 0 or the `errno` value.
  static func write(_ data: Data, to descriptor: Int32) -> Int32 {
    data.withUnsafeBytes { bytes in
      var offset = 0
      while offset < bytes.count {
        guard let start = bytes.baseAddress else { return 0 }
        #if canImport(Darwin)
        let count = Darwin.write(descriptor, start + offset, bytes.count - offset)
        #else
        let count = Glibc.write(descriptor, start + offset, bytes.count - offset)
        #endif
        if count < 0, errno != EINTR { return errno }
        offset += max(0, count)
      }
      return 0
    }
  }

  /// What a regular file gets.
  private struct Content {
    let data: Data
    let date: timespec?

    /// Writes it; returns 0 or the `errno` value.
    func write(to file: Int32) -> Int32 {
      let code = OutputFile.write(data, to: file)
      guard code == 0, let date else { return code }
      let times = [date, date]
      return futimens(file, times) == 0 ? 0 : errno
    }
  }

  // The functions below return 0 or the `errno` value.

  private static func writeThrough(_ data: Data, to path: String) -> Int32 {
    let file = open(path.cPath, O_WRONLY | O_CREAT | O_TRUNC | O_NOCTTY | O_CLOEXEC, 0o666)
    guard file >= 0 else { return errno }
    let code = write(data, to: file)
    return close(file) != 0 && code == 0 ? errno : code
  }

  /// Creates a file that does not exist.
  private static func create(_ path: String, with content: Content) -> Int32 {
    withTemporaryFile(in: path.parentFolder) { file, temporary in
      let code = content.write(to: file)
      if code != 0 { return code }
      guard let temporary else { return name(file, as: path) }
      return link(temporary.cPath, path.cPath) == 0 ? 0 : errno
    }
  }

  /// Replaces a regular file.
  private static func replace(_ path: String, with content: Content, _ existing: stat) -> Int32 {
    withTemporaryFile(in: path.parentFolder) { file, temporary in
      var code = content.write(to: file)
      if code != 0 { return code }
      // Only root may keep another owner.
      _ = fchown(file, existing.st_uid, existing.st_gid)
      if fchmod(file, existing.st_mode & 0o777) != 0 { return errno }
      // Only a name can replace another one.
      let source = temporary ?? temporaryPath(in: path.parentFolder)
      if temporary == nil { code = name(file, as: source) }
      if code == 0, rename(source.cPath, path.cPath) != 0 { code = errno }
      if code != 0 { unlink(source.cPath) }
      return code
    }
  }

  /// Runs `body` with a new file.
  ///
  /// On Linux it has no name, so that even a killed process leaves none behind; on other systems, and on file systems that
  /// have no such files, it has a hidden one, which is removed.
  private static func withTemporaryFile(in folder: String, _ body: (Int32, String?) -> Int32) -> Int32 {
    let unnamed = openUnnamed(in: folder)
    let temporary = unnamed < 0 ? temporaryPath(in: folder) : nil
    let file = temporary.map { open($0.cPath, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o666) } ?? unnamed
    guard file >= 0 else { return errno }
    let code = body(file, temporary)
    if let temporary { unlink(temporary.cPath) }
    return close(file) != 0 && code == 0 ? errno : code
  }

  private static func temporaryPath(in folder: String) -> String {
    folder.appendingPath(".halcyon-\(getpid())-\(UInt32.random(in: 0 ... .max))")
  }

  /// A file without a name in a folder; negative where there are none.
  private static func openUnnamed(in folder: String) -> Int32 {
    #if os(Linux)
    // O_TMPFILE, which Glibc's module does not have.
    open(folder.cPath, 0o20_000_000 | O_DIRECTORY | O_WRONLY | O_CLOEXEC, 0o666)
    #else
    -1
    #endif
  }

  /// Gives a name to a file without one.
  private static func name(_ file: Int32, as path: String) -> Int32 {
    linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, path.cPath, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno
  }

  /// The file that a symbolic link leads to; `nil` if there is none.
  private static func target(ofLink path: String) -> String? {
    guard let target = realpath(path.cPath, nil) else { return nil }
    defer { free(target) }
    return String(fileName: UnsafePointer(target))
  }
}

/// Why an image was not written.
enum OutputError: Error, CustomStringConvertible {
  case unwritable(path: String, code: Int32)
  case exists(String)

  /// Whether no other file can be written either: the disk is full or read-only.
  var endsRun: Bool {
    if case .unwritable(_, let code) = self { [ENOSPC, EDQUOT, EROFS].contains(code) } else { false }
  }

  var description: String {
    switch self {
    case .unwritable(let path, let code):
      "\(path) cannot be written: \(String(cString: strerror(code))). "
        + ([ENOSPC, EDQUOT].contains(code)
          ? "Make space, or choose another path." : "Choose another path, or change its permissions.")
    case .exists(let path):
      "\(path) exists. Replace it with --overwrite, or choose another path with --output."
    }
  }
}
