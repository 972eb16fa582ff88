#if SVG && !IMAGEIO
import Foundation

/// Numbers in attributes.
enum SVGNumbers {
  /// Numbers separated by white space and commas; `nil` if there is anything else.
  static func list(_ text: String) -> [Double]? {
    let words = text.split { $0.isWhitespace || $0 == "," }
    let numbers = words.compactMap { Double($0) }
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

  /// An upper bound for the magnitude of a length in user units. Relative to text or not understood: infinity.
  static func length(_ text: String, viewport: Double) -> Double {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let number = trimmed.prefix { $0.isNumber || "+-.eE".contains($0) }
    let digits = number.last?.lowercased() == "e" ? number.dropLast() : number
    guard let value = Double(digits), value.isFinite else { return .infinity }
    let unit = trimmed.dropFirst(digits.count).lowercased()
    if unit == "%" { return abs(value) * viewport / 100 }
    return factors[unit].map { abs(value) * $0 } ?? .infinity
  }

  private static let factors: [String: Double] = [
    "": 1, "px": 1, "pt": 96 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6,
  ]
}

/// Reads numbers that may follow each other without a separator.
struct SVGNumberScanner {
  let text: [UInt8]
  var offset = 0

  /// The number at the offset; `nil` if there is none, which moves nothing.
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
      // The e of em is not part of the number.
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

/// How much a list of transforms enlarges at most.
enum SVGTransform {
  static func enlargement(_ text: String) -> Double {
    var result = 1.0
    for part in text.split(separator: ")") {
      guard let open = part.firstIndex(of: "(") else { continue }
      let numbers = SVGNumbers.all(in: part[open...])
      switch part[..<open].lowercased().filter(\.isLetter) {
      case "rotate", "translate", "translatex", "translatey": continue
      case "scale", "scalex", "scaley": result *= numbers.map(abs).max() ?? .infinity
      case "matrix": result *= numbers.prefix(4).reduce(0) { $0 + $1 * $1 }.squareRoot()
      case "skewx", "skewy", "skew":
        // In degrees; other units can only be written in style sheets.
        if part.contains("rad") || part.contains("turn") { return .infinity }
        for angle in numbers { result *= 1 + abs(tan(angle * .pi / 180)) }
      default: return .infinity
      }
    }
    return result
  }
}
#endif
