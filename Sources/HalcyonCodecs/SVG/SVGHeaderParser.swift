#if SVG && !IMAGEIO
import HalcyonImaging
import Foundation

/// Finds the root element of a document, and reads the size from its start tag (SVG 2, 8.2 and CSS 2, 10.4).
struct SVGHeaderParser {
  let text: [UInt8]
  var offset: Int

  /// The size, or `nil` if the text ends before the start tag does.
  ///
  /// - Throws: `ImageDecodingError.corrupt` if the root element is not a well-formed `svg` element.
  static func size(of text: [UInt8]) throws(ImageDecodingError) -> SVGSize? {
    guard let start = XMLText.rootOffset(in: text) else { return nil }
    var parser = SVGHeaderParser(text: text, offset: start)
    return try parser.element().map { SVGSize(attributes: $0) }
  }

  /// The attributes of the root element.
  private mutating func element() throws(ImageDecodingError) -> [String: String]? {
    let name = word()
    guard offset < text.count else { return nil }
    guard XMLText.isSVG(name.utf8) else {
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

  private mutating func skipSpace() {
    while offset < text.count, text[offset] <= 0x20 { offset += 1 }
  }

  private func starts(with prefix: String) -> Bool { text[min(offset, text.count)...].starts(with: prefix.utf8) }
}
#endif
