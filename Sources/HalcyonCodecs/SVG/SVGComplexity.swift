#if SVG
import HalcyonImaging

/// Counts the elements of a document with all references expanded.
///
/// A few lines can refer to each other so that millions of elements have to be rendered, and librsvg stops only after
/// seconds.
struct SVGComplexity {
  /// About a second of rendering.
  private static let elementLimit = 100_000
  /// The maximum depth of nested elements and of references. libxml2 allows 256 nested elements.
  private static let depthLimit = 1024

  private struct Element {
    var children: [Int] = []
    var references: [ArraySlice<UInt8>] = []
    /// The number of elements with references expanded, once known; 0 while counting, so that cycles count nothing.
    var count: Int?
  }

  private var elements = [Element()]
  private var identifiers: [ArraySlice<UInt8>: Int] = [:]

  /// Checks the limits in time linear in the number of bytes.
  ///
  /// - Throws: `ImageDecodingError.unsupportedFeature` if a limit is exceeded.
  static func check(_ file: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    var complexity = SVGComplexity()
    try complexity.read(SVGText.bytes(of: file, byteLimit: file.count))
    guard try complexity.count(of: 0, depth: 0) <= elementLimit else {
      throw .unsupportedFeature(.svg, feature: "references that expand to over \(elementLimit) elements")
    }
  }

  private mutating func read(_ text: [UInt8]) throws(ImageDecodingError) {
    var open = [0]
    var scanner = SVGTagScanner(text: text)
    while let tag = scanner.next() {
      switch tag {
      case .end: if open.count > 1 { open.removeLast() }
      case .nestedEntity:
        // They can expand without bound, which libxml2 2.9 detects, but then leaks memory.
        throw .unsupportedFeature(.svg, feature: "nested entities")
      case .start(let identifier, let references, let isEmpty):
        let index = elements.count
        elements.append(Element(references: references))
        elements[open[open.count - 1]].children.append(index)
        if let identifier, identifiers[identifier] == nil { identifiers[identifier] = index }
        if !isEmpty { open.append(index) }
        guard open.count <= Self.depthLimit else { throw Self.tooDeep }
      }
    }
  }

  /// The number of elements that `index` expands to, including itself.
  private mutating func count(of index: Int, depth: Int) throws(ImageDecodingError) -> Int {
    if let count = elements[index].count { return count }
    guard depth <= Self.depthLimit * 2 else { throw Self.tooDeep }
    elements[index].count = 0
    var total = 1
    let parts = elements[index].children + elements[index].references.compactMap { identifiers[$0] }
    for part in parts {
      total = min(total + (try count(of: part, depth: depth + 1)), Self.elementLimit + 1)
    }
    elements[index].count = total
    return total
  }

  private static var tooDeep: ImageDecodingError {
    .unsupportedFeature(.svg, feature: "elements or references nested over \(depthLimit) levels deep")
  }
}

/// Finds the tags of a document, with only their identifiers and references.
private struct SVGTagScanner {
  enum Tag {
    case start(identifier: ArraySlice<UInt8>?, references: [ArraySlice<UInt8>], isEmpty: Bool)
    case end
    /// A declaration of an entity that refers to other entities.
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
        // The content of the declaration is scanned next.
        continue
      } else if starts(with: "/") {
        return skip(past: ">") ? .end : nil
      } else {
        return start()
      }
    }
    return nil
  }

  /// Whether an entity declaration contains an entity reference other than a character reference.
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

  /// Adds every fragment identifier in a value: links, and URLs of fills, masks and filters.
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

  /// Moves past the next `mark`.
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
