import Foundation
import HalcyonSupport

/// Reads the tags and texts of an XML document in UTF-8 (XML 1.0), one after the other, up to the first mistake.
///
/// For small documents in files, without a library: no document type is accepted, so that there are no entities but the
/// predefined ones, and nothing expands or refers to other resources.
struct XMLReader {
  struct Attribute {
    let name: Range<Int>
    /// Between the quotes, with its references.
    let value: Range<Int>
    /// From the name to the closing quote.
    var range: Range<Int> { name.lowerBound..<value.upperBound + 1 }
  }

  enum Token {
    case start(name: Range<Int>, attributes: [Attribute])
    /// Also follows the start of an empty element.
    case end
    /// Text with its references, or of a CDATA section, which has none.
    case text(Range<Int>, isLiteral: Bool)
  }

  /// The most elements inside each other.
  private static let depthLimit = 100

  let bytes: Bytes
  private var offset = 0
  /// The names of the open elements.
  private var open: [Range<Int>] = []
  /// Whether the last tag was that of an empty element.
  private var isEmpty = false
  /// The bytes of the last token; of the end of an empty element none.
  private(set) var range = 0..<0
  private var stepCount = 0

  init(_ bytes: Bytes) { self.bytes = bytes }

  var depth: Int { open.count }

  /// Whether the document has been read to its end, without a mistake.
  var isAtEnd: Bool { offset == bytes.count && open.isEmpty }

  /// The next tag or text; `nil` at the end, before what is not well-formed, and once the work that it is for has been
  /// cancelled.
  mutating func next() -> Token? {
    if isEmpty {
      (isEmpty, range) = (false, offset..<offset)
      open.removeLast()
      return .end
    }
    while offset < bytes.count {
      if isCancelled() { return nil }
      let start = offset
      defer { range = start..<offset }
      guard bytes[offset] == UInt8(ascii: "<") else { return text() }
      if starts(with: "<?") {
        guard skip(past: "?>") else { return nil }
      } else if starts(with: "<!--") {
        guard skip(past: "-->") else { return nil }
      } else if starts(with: "<![CDATA[") {
        guard skip(past: "]]>") else { return nil }
        return .text(start + 9..<offset - 3, isLiteral: true)
      } else if starts(with: "</") {
        return endTag()
      } else {
        return startTag()
      }
    }
    return nil
  }

  /// Whether the work has been cancelled, looked up at every 1,024th step.
  private mutating func isCancelled() -> Bool {
    stepCount += 1
    return stepCount & 0x3FF == 0 && CancellationFlag.isCurrentCancelled
  }

  private mutating func text() -> Token? {
    let start = offset
    offset = find(UInt8(ascii: "<"), from: start) ?? bytes.count
    return .text(start..<offset, isLiteral: false)
  }

  private mutating func endTag() -> Token? {
    offset += 2
    guard let name = name(), let start = open.last, bytes[name].buffer.elementsEqual(bytes[start].buffer) else {
      return nil
    }
    skipSpace()
    guard skip(">") else { return nil }
    open.removeLast()
    return .end
  }

  private mutating func startTag() -> Token? {
    offset += 1
    // A document type, too, begins with a mark.
    guard open.count < Self.depthLimit, bytes[offset] != UInt8(ascii: "!"), let name = name() else { return nil }
    var attributes: [Attribute] = []
    while true {
      let hasSpace = skipSpace()
      isEmpty = skip("/>")
      if isEmpty || skip(">") { break }
      guard hasSpace, !isCancelled(), let attribute = attribute() else { return nil }
      attributes.append(attribute)
    }
    open.append(name)
    return .start(name: name, attributes: attributes)
  }

  /// A name, an equals sign with or without spaces around it, and a value in quotes (XML 1.0, productions 25 and 41).
  private mutating func attribute() -> Attribute? {
    guard let name = name() else { return nil }
    skipSpace()
    guard skip("=") else { return nil }
    skipSpace()
    guard let quote = bytes[offset], quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      let end = find(quote, from: offset + 1)
    else { return nil }
    defer { offset = end + 1 }
    return Attribute(name: name, value: offset + 1..<end)
  }

  private mutating func name() -> Range<Int>? {
    let start = offset
    while let byte = bytes[offset], byte > 0x20, !"<>/='\"&".utf8.contains(byte) { offset += 1 }
    return start < offset ? start..<offset : nil
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let start = offset
    while let byte = bytes[offset], byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { offset += 1 }
    return start < offset
  }

  private func starts(with text: String) -> Bool { bytes[offset..<bytes.count].starts(with: text.utf8) }

  private mutating func skip(_ text: String) -> Bool {
    guard starts(with: text) else { return false }
    offset += text.utf8.count
    return true
  }

  private mutating func skip(past mark: String) -> Bool {
    guard let last = mark.utf8.last else { return false }
    while let found = find(last, from: offset) {
      offset = found + 1
      let start = offset - mark.utf8.count
      if start >= 0, bytes[start..<offset].buffer.elementsEqual(mark.utf8) { return true }
    }
    return false
  }

  private func find(_ byte: UInt8, from start: Int) -> Int? {
    guard let base = bytes.buffer.baseAddress, start < bytes.count,
      let found = memchr(base + start, Int32(byte), bytes.count - start)
    else { return nil }
    return UnsafeRawPointer(found) - base
  }
}

extension XMLReader {
  /// The text with its references replaced (XML 1.0, 4.1 and 4.6); `nil` if it is not UTF-8.
  static func unescaped(_ bytes: some Collection<UInt8>) -> String? {
    guard let text = String(validUTF8: bytes) else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).map(Substring.init)
    guard parts.count > 1 else { return text }
    return parts.dropFirst().reduce(into: String(parts[0])) { result, part in
      guard let end = part.utf8.firstIndex(of: UInt8(ascii: ";")), let character = character(part[..<end]) else {
        result += "&"
        result += part
        return
      }
      result.unicodeScalars.append(character)
      result += Substring(part.utf8[end...].dropFirst())
    }
  }

  private static let characters: [Substring: Unicode.Scalar] = [
    "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "amp": "&",
  ]

  private static func character(_ reference: Substring) -> Unicode.Scalar? {
    if let character = characters[reference] { return character }
    guard reference.utf8.first == UInt8(ascii: "#") else { return nil }
    let digits = reference.dropFirst()
    let number = digits.utf8.first == UInt8(ascii: "x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
    return number.flatMap(Unicode.Scalar.init)
  }
}
