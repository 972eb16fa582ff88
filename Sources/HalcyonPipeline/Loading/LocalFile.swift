import Foundation
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
    let name = url.decodedPath.map { CChar(bitPattern: $0) } + [0]
    // Opening a pipe would wait for a writer.
    let file = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadableFile(path: path, code: errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .unreadableFile(path: path, code: errno) }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG else { throw .unreadableFile(path: path, code: kind == S_IFDIR ? EISDIR : ESPIPE) }
    guard status.st_size <= byteLimit else { throw .responseTooLarge(byteLimit: byteLimit, url: url) }
    var data = Data(count: Int(status.st_size))
    var offset = 0
    while offset < data.count {
      let rest = data.count - offset
      let count = data.withUnsafeMutableBytes { bytes in
        pread(file, bytes.baseAddress.map { $0 + offset }, rest, off_t(offset))
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .unreadableFile(path: path, code: errno) }
      // The file was truncated meanwhile.
      if count == 0 { return data.prefix(offset) }
      offset += count
    }
    return data
  }
}
