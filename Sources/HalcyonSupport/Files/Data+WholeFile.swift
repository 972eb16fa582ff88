package import Foundation

extension Data {
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
