import Foundation
import Halcyon

/// A file that is read: its beginning first, the rest only if it is an image to convert.
struct InputFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private let byteCount: Int

  init(_ path: String) throws(ConversionError) {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path, code: errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      let code = errno
      close(descriptor)
      throw .unreadable(path, code: code)
    }
    byteCount = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// The bytes that show the format.
  func prefix() throws(ConversionError) -> Data { try read(count: min(byteCount, ImageFormat.sniffByteCount)) }

  /// All bytes.
  func contents(byteLimit: Int) throws(ConversionError) -> Data {
    guard byteCount <= byteLimit else { throw .tooLarge(path, byteCount: byteCount, limit: byteLimit) }
    return try read(count: byteCount)
  }

  /// The first bytes; fewer if the file was truncated meanwhile.
  private func read(count: Int) throws(ConversionError) -> Data {
    var data = Data(count: count)
    var offset = 0
    while offset < count {
      let result = data.withUnsafeMutableBytes { bytes in
        pread(descriptor, bytes.baseAddress.map { $0 + offset }, count - offset, off_t(offset))
      }
      if result < 0, errno == EINTR { continue }
      guard result >= 0 else { throw .unreadable(path, code: errno) }
      if result == 0 { return data.prefix(offset) }
      offset += result
    }
    return data
  }
}
