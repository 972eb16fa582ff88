import HalcyonCache
import Foundation

/// Reads a file that the user names.
enum LocalFile {
  enum Failure: Error {
    case system(Int32)
    case tooLarge(byteLimit: Int)

    func imageError(path: String, url: URL) -> ImageError {
      switch self {
      case .system(let code): .unreadableFile(path: path, code: code)
      case .tooLarge(let byteLimit): .responseTooLarge(byteLimit: byteLimit, url: url)
      }
    }
  }

  /// The whole file. Blocks; pipes, devices and folders are refused.
  static func contents(path: String, byteLimit: Int) throws(Failure) -> Data {
    let content: Data?
    do throws(DiskCacheError) {
      // Opening a pipe would wait for a writer.
      let file = try FileDescriptor(path: path, flags: O_RDONLY | O_NONBLOCK)
      let status = try file.status()
      let kind = status.st_mode & S_IFMT
      guard kind == S_IFREG else {
        throw .system(call: "read", path: path, code: kind == S_IFDIR ? EISDIR : ESPIPE)
      }
      content = status.st_size <= byteLimit ? Data(try file.read(count: Int(status.st_size), at: 0)) : nil
    } catch {
      guard case .system(_, _, let code) = error else { throw .system(EIO) }
      throw .system(code)
    }
    guard let content else { throw .tooLarge(byteLimit: byteLimit) }
    return content
  }
}
