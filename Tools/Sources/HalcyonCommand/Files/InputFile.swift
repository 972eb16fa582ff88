import Foundation
import Halcyon
import Synchronization

/// A file that is read: its beginning first, the rest only if it is an image to convert.
struct InputFile: ~Copyable {
  private let path: String
  private let descriptor: Int32
  private let byteCount: Int
  /// When the file was changed; `nil` for standard input.
  let date: timespec?
  /// The bytes of standard input.
  private let piped: Data?

  init(_ path: String) throws(InputError) {
    // The status is read first, since opening has effects on some devices.
    _ = try Self.status(path)
    // Opening a pipe that has taken its place would wait for a writer.
    let file = open(path.cPath, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw .unreadable(path, code: errno) }
    var status = stat()
    guard fstat(file, &status) == 0, status.isRegularFile else {
      close(file)
      throw .notRegular(path, kind: status.kind)
    }
    (self.path, descriptor, byteCount) = (path, file, Int(status.st_size))
    (date, piped) = (status.modificationDate, nil)
  }

  /// What was read from standard input.
  init(piped: Data) {
    (path, descriptor, byteCount) = (StandardInput.title, -1, piped.count)
    (date, self.piped) = (nil, piped)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The status of a regular file; an error for all else.
  static func status(_ path: String) throws(InputError) -> stat {
    if path.isEmpty { throw .noName }
    guard let status = stat(ofPath: path) else { throw .unreadable(path, code: errno) }
    guard status.isRegularFile else { throw .notRegular(path, kind: status.kind) }
    return status
  }

  /// The bytes that show the format; see `ImageFormat.init(sniffing:)`.
  func prefix() throws(InputError) -> Data { try read(count: min(byteCount, 16 << 10)) }

  /// All bytes.
  func contents(byteLimit: Int) throws(InputError) -> Data {
    guard byteCount <= byteLimit else { throw .tooLarge(path, limit: byteLimit) }
    return try read(count: byteCount)
  }

  /// The first bytes; fewer if the file was truncated meanwhile.
  private func read(count: Int) throws(InputError) -> Data {
    if let piped { return piped.prefix(count) }
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

/// The image on standard input, which the argument `-` names.
enum StandardInput {
  static let argument = "-"
  static let title = "Standard input"

  /// All bytes up to the end; blocks until there is one, or `isCancelled` returns `true`.
  static func read(byteLimit: Int, isCancelled: () -> Bool) throws -> Data {
    var data = Data()
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      if isCancelled() { throw CancellationError() }
      var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      if poll(&input, 1, 100) <= 0 { continue }
      #if canImport(Darwin)
      let count = Darwin.read(STDIN_FILENO, &piece, piece.count)
      #else
      let count = Glibc.read(STDIN_FILENO, &piece, piece.count)
      #endif
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count >= 0 else { throw InputError.unreadable(title, code: errno) }
      if count == 0 { break }
      data += piece.prefix(count)
      if data.count > byteLimit { throw InputError.tooLarge(title, limit: byteLimit) }
    }
    if data.isEmpty { throw InputError.nothingPiped }
    return data
  }

  /// Like ``read(byteLimit:isCancelled:)``, without blocking a thread of the task.
  static func read(byteLimit: Int) async throws -> Data {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread {
          continuation.resume(
            with: Result { try read(byteLimit: byteLimit) { cancellation.isRequested.load(ordering: .relaxed) } })
        }
      }
    } onCancel: {
      cancellation.isRequested.store(true, ordering: .relaxed)
    }
  }

  private final class Cancellation: Sendable {
    let isRequested = Atomic(false)
  }
}

/// Why an argument or a file was not read.
enum InputError: Error, CustomStringConvertible {
  /// The argument is empty.
  case noName
  case unreadable(String, code: Int32)
  case notRegular(String, kind: String)
  case tooLarge(String, limit: Int)
  /// Standard input is empty.
  case nothingPiped
  /// A pattern without a file.
  case unmatched(String)

  var description: String {
    switch self {
    case .noName:
      "An argument is empty. Give a URL or a path; in a script, check that the variable is set."
    case .unreadable(let path, let code):
      "\(path) cannot be read: \(String(cString: strerror(code))). Check the path and the permissions."
    case .notRegular(let path, let kind):
      "\(path) is \(kind), not a file. Give the path of a file, or pipe the image in and give -."
    case .tooLarge(let path, let limit):
      "\(path) is over \(limit) bytes. Raise --max-bytes to accept it."
    case .nothingPiped:
      "Standard input is empty. Pipe an image into the command."
    case .unmatched(let pattern):
      "\(pattern) matches no file. Check the pattern; ** matches folders at any depth."
    }
  }
}
