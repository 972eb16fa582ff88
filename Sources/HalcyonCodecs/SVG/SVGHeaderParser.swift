#if SVG && !IMAGEIO
import HalcyonImaging
import Foundation

/// Finds the root element of a document, and reads the size from its start tag (SVG 2, 8.2 and CSS 2, 10.4).
struct SVGHeaderParser {
  private let text: [UInt8]
  private var offset = 0

  /// The size in pixels, or `nil` if the bytes end before the start tag does.
  ///
  /// - Throws: `ImageDecodingError.corrupt` if the root element is not a well-formed `svg` element.
  static func size(of file: UnsafeRawBufferPointer) throws(ImageDecodingError) -> PixelSize? {
    var parser = SVGHeaderParser(text: SVGText.bytes(of: file))
    return try parser.attributes().map { SVGSize(attributes: $0).pixels }
  }

  private init(text: [UInt8]) {
    self.text = text
  }

  /// The attributes of the root element.
  private mutating func attributes() throws(ImageDecodingError) -> [String: String]? {
    while skip(past: "<") {
      if starts(with: "?") {
        guard skip(past: "?>") else { return nil }
      } else if starts(with: "!--") {
        guard skip(past: "-->") else { return nil }
      } else if starts(with: "!") {
        guard skipDeclaration() else { return nil }
      } else {
        return try element()
      }
    }
    return nil
  }

  private mutating func element() throws(ImageDecodingError) -> [String: String]? {
    let name = word()
    guard offset < text.count else { return nil }
    guard name == "svg" || name.utf8.suffix(4).elementsEqual(":svg".utf8) else {
      throw .corrupt(.svg, reason: "its root element is <\(name.prefix(40))>, not <svg>")
    }
    var attributes: [String: String] = [:]
    while offset < text.count {
      skipSpace()
      if starts(with: ">") || starts(with: "/>") { return attributes }
      let name = word()
      skipSpace()
      guard !name.isEmpty, starts(with: "=") else {
        if offset >= text.count { return nil }
        throw .corrupt(.svg, reason: "its root element is not well-formed")
      }
      offset += 1
      skipSpace()
      guard let value = try quoted() else { return nil }
      attributes[name] = value
    }
    return nil
  }

  private mutating func quoted() throws(ImageDecodingError) -> String? {
    guard offset < text.count else { return nil }
    let quote = text[offset]
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw .corrupt(.svg, reason: "an attribute of its root element is not quoted")
    }
    guard let end = text[(offset + 1)...].firstIndex(of: quote) else { return nil }
    defer { offset = end + 1 }
    return String(decoding: text[(offset + 1)..<end], as: UTF8.self)
  }

  /// Reads a name, up to white space or a delimiter.
  private mutating func word() -> String {
    let end = text[offset...].firstIndex { $0 <= 0x20 || "=/><\"'".utf8.contains($0) } ?? text.count
    defer { offset = end }
    return String(decoding: text[offset..<end], as: UTF8.self)
  }

  /// Skips a document type declaration, which can have an internal subset in brackets.
  private mutating func skipDeclaration() -> Bool {
    guard let end = text[offset...].firstIndex(where: { "[>".utf8.contains($0) }) else { return false }
    offset = end + 1
    if text[end] == UInt8(ascii: "[") { return skip(past: "]>") || skipBracket() }
    return true
  }

  /// Skips the end of an internal subset with white space between the bracket and `>`.
  private mutating func skipBracket() -> Bool { skip(past: "]") && skip(past: ">") }

  private mutating func skipSpace() {
    while offset < text.count, text[offset] <= 0x20 { offset += 1 }
  }

  private func starts(with prefix: String) -> Bool { text[min(offset, text.count)...].starts(with: prefix.utf8) }

  /// Moves past the next `mark`.
  private mutating func skip(past mark: String) -> Bool {
    let bytes = Array(mark.utf8)
    var position = offset
    while let found = text[min(position, text.count)...].firstIndex(of: bytes[0]) {
      if text[found...].starts(with: bytes) {
        offset = found + bytes.count
        return true
      }
      position = found + 1
    }
    return false
  }
}

/// The size of a document, computed as in browsers.
private struct SVGSize {
  private static let defaultWidth = 300.0
  private static let defaultHeight = 150.0
  /// Larger than any limit accepts, and far from overflow.
  private static let largest = 1e9

  let pixels: PixelSize

  init(attributes: [String: String]) {
    let width = attributes["width"].flatMap(Self.length)
    let height = attributes["height"].flatMap(Self.length)
    let box = attributes["viewBox"].flatMap(Self.box)
    switch (width, height, box) {
    case (let width?, let height?, _): pixels = Self.size(width, height)
    case (let width?, nil, let box?): pixels = Self.size(width, width * box.height / box.width)
    case (nil, let height?, let box?): pixels = Self.size(height * box.width / box.height, height)
    case (nil, nil, let box?): pixels = Self.size(box.width, box.height)
    default: pixels = Self.size(width ?? Self.defaultWidth, height ?? Self.defaultHeight)
    }
  }

  /// Rounds to whole pixels; a side above 0 is at least 1 pixel.
  private static func size(_ width: Double, _ height: Double) -> PixelSize {
    func whole(_ length: Double) -> Int { length > 0 ? Int(max(1, min(length, largest).rounded())) : 0 }
    return PixelSize(width: whole(width), height: whole(height))
  }

  /// A length in pixels; `nil` if it is relative to the viewport or invalid.
  private static func length(_ text: String) -> Double? {
    let (value, unit) = SVGNumbers.split(text)
    guard let value, value.isFinite, value >= 0, let factor = factors[unit] else { return nil }
    return value * factor
  }

  private static let factors: [String: Double] = [
    "": 1, "px": 1, "pt": 96 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "em": 16,
    "rem": 16, "ex": 8,
  ]

  private static func box(_ text: String) -> (width: Double, height: Double)? {
    guard let values = SVGNumbers.list(text), values.count == 4, values[2] > 0, values[3] > 0,
      values.allSatisfy(\.isFinite)
    else { return nil }
    return (values[2], values[3])
  }
}

/// The beginning of a document as UTF-8, converted from UTF-16 if necessary.
enum SVGText {
  /// - Parameter byteLimit: The maximum number of bytes to convert. Default: 1 MiB, enough for the root start tag.
  static func bytes(of file: UnsafeRawBufferPointer, byteLimit: Int = 1 << 20) -> [UInt8] {
    let head = Array(file.prefix(byteLimit))
    switch (head.first, head.dropFirst().first) {
    case (0xFF, 0xFE), (0x3C, 0x00): return utf8(head) { UInt16($0) | UInt16($1) << 8 }
    case (0xFE, 0xFF), (0x00, 0x3C): return utf8(head) { UInt16($0) << 8 | UInt16($1) }
    default: return head
    }
  }

  private static func utf8(_ head: [UInt8], unit: (UInt8, UInt8) -> UInt16) -> [UInt8] {
    let units = stride(from: 0, to: head.count - 1, by: 2).map { unit(head[$0], head[$0 + 1]) }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }
}
#endif
