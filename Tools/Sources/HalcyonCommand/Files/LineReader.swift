import Foundation

/// The lines of a file, as names of files, read as they are asked for.
final class LineReader {
  /// Names the list in messages.
  private let title: String
  private let descriptor: Int32
  private let separator: UInt8
  private var buffer: [UInt8] = []
  private var isAtEnd = false

  /// - Parameters:
  ///   - path: A file or a pipe, or `-` for standard input.
  ///   - isNullSeparated: Whether null bytes end the lines, which may then contain line breaks.
  init(_ path: String, isNullSeparated: Bool = false) throws(InputError) {
    separator = isNullSeparated ? 0 : UInt8(ascii: "\n")
    if path == StandardInput.argument {
      (title, descriptor) = (StandardInput.title, STDIN_FILENO)
      return
    }
    let file = path.isEmpty ? -1 : open(path.cPath, O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard file >= 0 else { throw path.isEmpty ? .noName : .unreadable(path, code: errno) }
    (title, descriptor) = (path, file)
  }

  deinit { if descriptor != STDIN_FILENO { close(descriptor) } }

  /// The next line that is not empty, without its end; `nil` after the last. Blocks until it has been written to a pipe.
  func next() throws(InputError) -> String? {
    while true {
      if let end = buffer.firstIndex(of: separator) ?? (isAtEnd && !buffer.isEmpty ? buffer.endIndex : nil) {
        var line = Array(buffer[..<end])
        buffer.removeFirst(min(end + 1, buffer.count))
        // Lists from Windows.
        if separator != 0, line.last == UInt8(ascii: "\r") { line.removeLast() }
        if !line.isEmpty { return String(fileName: line) }
      } else if isAtEnd {
        return nil
      } else {
        try readMore()
      }
    }
  }

  private func readMore() throws(InputError) {
    var piece = [UInt8](repeating: 0, count: 1 << 12)
    let count = read(descriptor, &piece, piece.count)
    if count < 0, errno == EINTR { return }
    guard count >= 0 else {
      isAtEnd = true
      throw .unreadable(title, code: errno)
    }
    isAtEnd = count == 0
    buffer += piece.prefix(count)
  }
}
