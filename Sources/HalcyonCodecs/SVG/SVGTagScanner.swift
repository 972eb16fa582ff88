#if SVG
/// Finds the tags of a drawing, with no more of them than what names elements and refers to them.
struct SVGTagScanner {
  enum Tag {
    case start(identifier: ArraySlice<UInt8>?, references: [ArraySlice<UInt8>], isEmpty: Bool)
    case end
    /// A declaration of an entity that refers to others.
    case nestedEntity
  }

  private let text: [UInt8]
  private var offset = 0

  init(text: [UInt8]) {
    self.text = text
  }

  /// The next tag, or `nil` at the end.
  mutating func next() -> Tag? {
    while skip(past: "<") {
      if starts(with: "!--") {
        guard skip(past: "-->") else { return nil }
      } else if starts(with: "![CDATA[") {
        guard skip(past: "]]>") else { return nil }
      } else if starts(with: "!ENTITY") {
        if declaresNestedEntity() { return .nestedEntity }
      } else if starts(with: "!") || starts(with: "?") {
        // What a declaration holds is looked at in turn.
        continue
      } else if starts(with: "/") {
        return skip(past: ">") ? .end : nil
      } else {
        return start()
      }
    }
    return nil
  }

  /// Whether a declaration uses another entity, which is no number of a character.
  private func declaresNestedEntity() -> Bool {
    let declaration = text[offset...].prefix { $0 != UInt8(ascii: ">") }
    return declaration.indices.contains { index in
      switch text[index] {
      case UInt8(ascii: "%"): true
      case UInt8(ascii: "&"): index + 1 >= text.count || text[index + 1] != UInt8(ascii: "#")
      default: false
      }
    }
  }

  private mutating func start() -> Tag? {
    var identifier: ArraySlice<UInt8>?
    var references: [ArraySlice<UInt8>] = []
    var nameStart = offset
    while offset < text.count {
      let byte = text[offset]
      offset += 1
      switch byte {
      case UInt8(ascii: ">"):
        let isEmpty = text[offset - 2] == UInt8(ascii: "/")
        return .start(identifier: identifier, references: references, isEmpty: isEmpty)
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        guard let end = text[offset...].firstIndex(of: byte) else { return nil }
        let value = text[offset..<end]
        if text[nameStart...].starts(with: "id=".utf8) { identifier = value } else { Self.add(value, to: &references) }
        offset = end + 1
      case 0...0x20: nameStart = offset
      default: break
      }
    }
    return nil
  }

  /// Every name behind a number sign: links, and the addresses of fills, masks and filters.
  private static func add(_ value: ArraySlice<UInt8>, to references: inout [ArraySlice<UInt8>]) {
    var rest = value
    while let sign = rest.firstIndex(of: UInt8(ascii: "#")) {
      rest = rest[(sign + 1)...]
      references.append(rest.prefix { !") \"'".utf8.contains($0) })
    }
  }

  private func starts(with prefix: StaticString) -> Bool {
    guard text.count - offset >= prefix.utf8CodeUnitCount else { return false }
    return (0..<prefix.utf8CodeUnitCount).allSatisfy { text[offset + $0] == prefix.utf8Start[$0] }
  }

  /// Moves behind the next `mark`.
  private mutating func skip(past mark: StaticString) -> Bool {
    while let found = text[min(offset, text.count)...].firstIndex(of: mark.utf8Start[0]) {
      offset = found
      if starts(with: mark) {
        offset += mark.utf8CodeUnitCount
        return true
      }
      offset += 1
    }
    return false
  }
}
#endif
