package import Foundation

/// Why a file was not read.
package enum FileReadingError: Error {
  case unreadable(code: Int32)
  case tooLarge(byteCount: Int)
}

extension Data {
  /// Reads a regular file; blocks. Pipes, devices and folders are errors.
  package init(wholeFile url: URL, byteLimit: Int) throws(FileReadingError) {
    let name = url.decodedPath.map { CChar(bitPattern: $0) } + [0]
    // Opening a pipe would wait for a writer.
    let file = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadable(code: errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .unreadable(code: errno) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else { throw .unreadable(code: kind == S_IFDIR ? EISDIR : ESPIPE) }
    let byteCount = Int(status.st_size)
    guard byteCount <= byteLimit else { throw .tooLarge(byteCount: byteCount) }
    var data = Data(count: byteCount)
    var offset = 0
    while offset < byteCount {
      let count = data.withUnsafeMutableBytes { bytes in
        pread(file, bytes.baseAddress.map { $0 + offset }, byteCount - offset, off_t(offset))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadable(code: errno) }
      // The file was truncated meanwhile.
      if count == 0 { break }
      offset += count
    }
    self = data.prefix(offset)
  }

  /// Writes a file that is complete or not there; blocks.
  ///
  /// Only a regular file is replaced, and its permissions stay. A device, a pipe and the target of a symbolic link are
  /// written to, and stay what they are: `Data.WritingOptions.atomic` would put a file in their place.
  ///
  /// - Throws: The error of the file system.
  package func writeWhole(to file: URL) throws {
    let target = file.resolvingSymlinksInPath()
    var status = stat()
    guard lstat(target.path(percentEncoded: false), &status) == 0 else {
      return try write(to: target, options: .atomic)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { return try write(to: target) }
    let temporary = target.deletingLastPathComponent().appending(path: ".halcyon-\(UUID().uuidString)")
    do {
      try write(to: temporary, options: .withoutOverwriting)
      let path = temporary.path(percentEncoded: false)
      guard chmod(path, status.st_mode & 0o777) == 0, rename(path, target.path(percentEncoded: false)) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
      }
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw error
    }
  }
}
