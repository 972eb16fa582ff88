/// The beginning of an XML document, which is read before a parser runs.
package enum XMLText {
  /// The first bytes of a document as UTF-8, converted from UTF-16 if necessary.
  package static func utf8(of file: some Collection<UInt8>, byteLimit: Int) -> [UInt8] {
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

  /// The position of the name of the root element, after comments, processing instructions and the document type; `nil`
  /// if the text ends before, or is not XML.
  package static func rootOffset(in text: [UInt8]) -> Int? {
    var scanner = PrologScanner(text: text)
    return scanner.rootOffset()
  }

  /// Whether the name of an element is `svg`, with or without a namespace prefix.
  package static func isSVG(_ name: some Collection<UInt8>) -> Bool {
    name.elementsEqual("svg".utf8) || Array(name).suffix(4).elementsEqual(":svg".utf8)
  }
}

/// Skips what may precede the root element of a document (XML 1.0, 2.8).
private struct PrologScanner {
  let text: [UInt8]
  private var offset = 0

  init(text: [UInt8]) {
    self.text = text
    if starts(with: [0xEF, 0xBB, 0xBF]) { offset = 3 }
  }

  mutating func rootOffset() -> Int? {
    while true {
      skipSpace()
      guard byte == UInt8(ascii: "<") else { return nil }
      offset += 1
      if starts(with: "?".utf8) {
        guard skip(past: "?>") else { return nil }
      } else if starts(with: "!--".utf8) {
        guard skip(past: "-->") else { return nil }
      } else if starts(with: "!".utf8) {
        guard skipDeclaration() else { return nil }
      } else {
        return offset < text.count ? offset : nil
      }
    }
  }

  private var byte: UInt8? { offset < text.count ? text[offset] : nil }

  private func starts(with prefix: some Collection<UInt8>) -> Bool { text[offset...].starts(with: prefix) }

  private mutating func skipSpace() {
    while let byte, byte <= 0x20 { offset += 1 }
  }

  /// Skips a document type with its internal subset, whose comments and quoted text can contain any brackets.
  private mutating func skipDeclaration() -> Bool {
    var isInside = false
    while let byte {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        offset += 1
        guard skip(past: String(UnicodeScalar(byte))) else { return false }
        continue
      case UInt8(ascii: "<") where starts(with: "<!--".utf8):
        guard skip(past: "-->") else { return false }
        continue
      case UInt8(ascii: "["): isInside = true
      case UInt8(ascii: "]"): isInside = false
      case UInt8(ascii: ">") where !isInside:
        offset += 1
        return true
      default: break
      }
      offset += 1
    }
    return false
  }

  /// Moves past the next `mark`.
  private mutating func skip(past mark: String) -> Bool {
    let bytes = Array(mark.utf8)
    while let found = text[offset...].firstIndex(of: bytes[0]) {
      offset = found + 1
      if text[found...].starts(with: bytes) {
        offset = found + bytes.count
        return true
      }
    }
    return false
  }
}
