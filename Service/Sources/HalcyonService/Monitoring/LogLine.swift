import Foundation
import Synchronization

/// A line for standard error.
struct LogLine {
  private(set) var bytes: [UInt8] = []
  private let isJSON: Bool

  init(isJSON: Bool) {
    self.isJSON = isJSON
    bytes.reserveCapacity(512)
  }

  /// Appends the name of a field, after which its value follows.
  mutating func append(field name: String) {
    guard isJSON else {
      append(" ")
      append(name)
      return append("=")
    }
    append(",")
    append(quoted: name)
    append(":")
  }

  /// Appends a field with a text.
  mutating func append(field name: String, _ value: String) {
    append(field: name)
    append(value: value)
  }

  /// Appends a text, in quotes in a JSON object.
  mutating func append(value: String) { if isJSON { append(quoted: value) } else { append(value) } }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }

  /// Appends the digits of a number.
  mutating func append(_ number: Int) {
    guard number >= 10 else { return number < 0 ? append("\(number)") : bytes.append(UInt8(48 + number)) }
    append(number / 10)
    bytes.append(UInt8(48 + number % 10))
  }

  /// Appends a duration in milliseconds with two decimals.
  mutating func append(milliseconds duration: Duration) {
    let hundredths = Int((duration / .microseconds(10)).rounded())
    append(hundredths / 100)
    bytes += [UInt8(ascii: "."), UInt8(48 + hundredths / 10 % 10), UInt8(48 + hundredths % 10)]
  }

  /// Appends a text in quotes, escaped as in JSON.
  private mutating func append(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    var text = text
    text.withUTF8 { text in
      var start = 0
      for (index, byte) in text.enumerated() where Self.needsEscape(byte) {
        bytes.append(contentsOf: text[start..<index])
        append(escaped: byte)
        start = index + 1
      }
      bytes.append(contentsOf: text[start...])
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func needsEscape(_ byte: UInt8) -> Bool {
    byte < 32 || byte == 127 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private mutating func append(escaped byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
    case 10: append("\\n")
    default:
      append("\\u00")
      for digit in [byte >> 4, byte & 15] { bytes.append(digit + (digit < 10 ? 48 : 87)) }
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
