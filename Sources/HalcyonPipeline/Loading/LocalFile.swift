import Foundation
import HalcyonCache
import HalcyonSupport

/// Reads a file that the caller names.
enum LocalFile {
  /// The whole file, read on a worker.
  static func read(
    path: String, url: URL, byteLimit: Int, on workers: WorkerPool
  ) async throws(ImageError) -> Data {
    do {
      return try await workers.run { _ in try contents(path: path, url: url, byteLimit: byteLimit) }
    } catch let error as ImageError {
      throw error
    } catch {
      throw .cancelled
    }
  }

  /// Blocks. Pipes, devices and folders are errors.
  private static func contents(path: String, url: URL, byteLimit: Int) throws(ImageError) -> Data {
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
      guard case .system(_, _, let code) = error else { throw .unreadableFile(path: path, code: EIO) }
      throw .unreadableFile(path: path, code: code)
    }
    guard let content else { throw .responseTooLarge(byteLimit: byteLimit, url: url) }
    return content
  }
}
