#if SVG && !IMAGEIO
import Foundation

/// Numbers in attributes.
enum SVGNumbers {
  /// Numbers separated by white space and commas; `nil` if there is anything else.
  static func list(_ text: String) -> [Double]? {
    let words = text.utf8.split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
    let numbers = words.compactMap { Double(Substring($0)) }
    return numbers.count == words.count ? numbers : nil
  }

  /// All numbers in a text, whatever is between them.
  static func all(in text: some StringProtocol) -> [Double] {
    var scanner = SVGNumberScanner(text: Array(text.utf8))
    var numbers: [Double] = []
    while scanner.offset < scanner.text.count {
      if let number = scanner.number() { numbers.append(number) } else { scanner.offset += 1 }
    }
    return numbers
  }

  /// An upper bound for the magnitude of a length in user units; infinity if it is relative to text or not understood.
  static func length(_ text: String, viewport: Double) -> Double {
    let (value, unit) = split(text)
    guard let value, value.isFinite else { return .infinity }
    if unit == "%" { return abs(value) * viewport / 100 }
    return factors[unit].map { abs(value) * $0 } ?? .infinity
  }

  /// The number of a length, and its unit in lower case.
  static func split(_ text: String) -> (number: Double?, unit: String) {
    let bytes = Array(SVGStyleScanner.trimmed(Array(text.utf8)[...]).utf8)
    var number = bytes.prefix { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
    // In `em` and `ex`, the e is not an exponent.
    if let last = number.last, last | 0x20 == UInt8(ascii: "e") { number.removeLast() }
    let unit = String(decoding: bytes[number.endIndex...], as: UTF8.self).lowercased()
    return (Double(String(decoding: number, as: UTF8.self)), unit)
  }

  private static let factors: [String: Double] = [
    "": 1, "px": 1, "pt": 96 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6,
  ]
}

/// Reads numbers that may follow each other without a separator.
struct SVGNumberScanner {
  let text: [UInt8]
  var offset = 0

  /// The number at the offset; `nil` if there is none, and then the offset stays.
  mutating func number() -> Double? {
    let start = offset
    if byte == 0x2B || byte == 0x2D { offset += 1 }
    skipDigits()
    if byte == 0x2E {
      offset += 1
      skipDigits()
    }
    if let byte, byte | 0x20 == 0x65, offset > start {
      let end = offset
      offset += 1
      if self.byte == 0x2B || self.byte == 0x2D { offset += 1 }
      let digits = offset
      skipDigits()
      // In `em`, the e is not an exponent.
      if offset == digits { offset = end }
    }
    let number = Double(String(decoding: text[start..<offset], as: UTF8.self))
    if number == nil { offset = start }
    return number
  }

  var byte: UInt8? { offset < text.count ? text[offset] : nil }

  mutating func skipSeparators() {
    while let byte, byte <= 0x20 || byte == 0x2C { offset += 1 }
  }

  private mutating func skipDigits() {
    while let byte, (0x30...0x39).contains(byte) { offset += 1 }
  }
}
#endif
