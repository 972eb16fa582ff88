import Foundation
import Logging
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A line for standard error, written in one piece.
struct LogLine {
  private var bytes: [UInt8] = []

  init() { bytes.reserveCapacity(512) }

  mutating func append(_ text: String) { bytes += text.utf8 }

  /// Appends a text in quotes, escaped as in JSON.
  mutating func append(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case 10: append("\\n")
      case 0..<32, 127:
        append("\\u00")
        for digit in [byte >> 4, byte & 15] { bytes.append(digit + (digit < 10 ? 48 : 87)) }
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes the line; it is dropped where nothing reads it.
  consuming func write() {
    bytes.append(10)
    bytes.withUnsafeBytes { line in
      var rest = line[...]
      while !rest.isEmpty {
        let piece = UnsafeRawBufferPointer(rebasing: rest)
        let count = platformWrite(STDERR_FILENO, piece.baseAddress, piece.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
      }
    }
  }

  /// The time in UTC, as text that is made once a second.
  static var time: String {
    let second = Int(Date().timeIntervalSince1970)
    return lastTime.withLock { last in
      if last.second != second { last = (second, Date(timeIntervalSince1970: Double(second)).formatted(.iso8601)) }
      return last.text
    }
  }

  private static let lastTime = Mutex((second: Int.min, text: ""))
}

/// `write`, which is named like a method here.
private func platformWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, bytes, count)
}
