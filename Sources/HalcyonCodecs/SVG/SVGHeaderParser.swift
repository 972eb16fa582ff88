#if SVG
import HalcyonImaging

/// Finds the tag that opens a drawing, and reads the size from it (SVG 2, 8.2 and CSS 2, 10.4).
struct SVGHeaderParser {
  private let text: [UInt8]
  private var offset = 0

  /// The size in pixels, or `nil` when the tag does not end inside the bytes.
  ///
  /// - Throws: `ImageDecodingError.corrupt` when something else comes first.
  static func size(of file: UnsafeRawBufferPointer) throws(ImageDecodingError) -> PixelSize? {
    var parser = SVGHeaderParser(text: SVGText.bytes(of: file))
    return try parser.attributes().map { SVGSize(attributes: $0).pixels }
  }

  private init(text: [UInt8]) {
    self.text = text
  }

  /// The attributes of the first element.
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
    guard name == "svg" || name.hasSuffix(":svg") else {
      throw .corrupt(.svg, reason: "it opens with <\(name.prefix(40))> instead of <svg>")
    }
    var attributes: [String: String] = [:]
    while offset < text.count {
      skipSpace()
      if starts(with: ">") || starts(with: "/>") { return attributes }
      let name = word()
      skipSpace()
      guard !name.isEmpty, starts(with: "=") else {
        if offset >= text.count { return nil }
        throw .corrupt(.svg, reason: "its first tag is not well formed")
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
      throw .corrupt(.svg, reason: "an attribute of its first tag has no quotes")
    }
    guard let end = text[(offset + 1)...].firstIndex(of: quote) else { return nil }
    defer { offset = end + 1 }
    return String(decoding: text[(offset + 1)..<end], as: UTF8.self)
  }

  /// Up to white space or a mark that ends a name.
  private mutating func word() -> String {
    let end = text[offset...].firstIndex { $0 <= 0x20 || "=/><\"'".utf8.contains($0) } ?? text.count
    defer { offset = end }
    return String(decoding: text[offset..<end], as: UTF8.self)
  }

  /// A document type, which may hold declarations in brackets.
  private mutating func skipDeclaration() -> Bool {
    guard let end = text[offset...].firstIndex(where: { "[>".utf8.contains($0) }) else { return false }
    offset = end + 1
    if text[end] == UInt8(ascii: "[") { return skip(past: "]>") || skipBracket() }
    return true
  }

  /// As above, with space between the bracket and the end.
  private mutating func skipBracket() -> Bool { skip(past: "]") && skip(past: ">") }

  private mutating func skipSpace() {
    while offset < text.count, text[offset] <= 0x20 { offset += 1 }
  }

  private func starts(with prefix: String) -> Bool { text[min(offset, text.count)...].starts(with: prefix.utf8) }

  /// Moves behind the next `mark`.
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
#endif
