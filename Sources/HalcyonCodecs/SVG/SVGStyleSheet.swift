#if SVG && !IMAGEIO
import HalcyonImaging

/// A declaration of a property, for example `fill: url(#a)`.
struct SVGDeclaration {
  /// In lower case, except for custom properties.
  let name: String
  let value: String

  var text: String { "\(name):\(value);" }

  /// Whether it is a custom property, whose name depends on case.
  var isCustom: Bool { name.hasPrefix("--") }

  /// The declarations of a style attribute or of the body of a rule, without comments; those that are not understood are
  /// left out.
  static func list(_ text: [UInt8]) -> [SVGDeclaration] {
    var result: [SVGDeclaration] = []
    var scanner = SVGStyleScanner(text)
    while let piece = scanner.declaration() {
      guard let colon = piece.firstIndex(of: UInt8(ascii: ":")) else { continue }
      var name = SVGStyleScanner.trimmed(piece[..<colon])
      if !name.hasPrefix("--") {
        name = name.lowercased()
        guard !name.isEmpty, name.utf8.allSatisfy({ $0 == 0x2D || (0x61...0x7A).contains($0) }) else { continue }
      }
      let value = SVGStyleScanner.trimmed(piece[(colon + 1)...])
      guard !value.utf8.contains(where: { "{}".utf8.contains($0) }) else { continue }
      result.append(SVGDeclaration(name: name, value: value))
    }
    return result
  }

  /// The declaration if its references can be checked and its brackets are not nested too deep; otherwise paint is none, as
  /// for a missing reference, and any other property is left out.
  var checked: SVGDeclaration? {
    if Self.references(in: value) != nil, !SVGStyleScanner.isTooDeep(value) { return self }
    return name == "fill" || name == "stroke" ? SVGDeclaration(name: name, value: "none") : nil
  }

  /// The identifiers in `url(#identifier)`; `nil` if a URL refers to anything but an element of the document, or if the
  /// value hides something in escapes or comments.
  static func references(in value: String) -> [String]? {
    let text = Array(value.utf8)
    guard !text.contains(0x5C), !text.indices.contains(where: { text[$0...].starts(with: "/*".utf8) }) else {
      return nil
    }
    guard text.contains(UInt8(ascii: "(")) else { return [] }
    var identifiers: [String] = []
    for index in text.indices where isURL(text[index...]) {
      guard let identifier = identifier(text[(index + 4)...]) else { return nil }
      identifiers.append(identifier)
    }
    return identifiers
  }

  private static func isURL(_ text: ArraySlice<UInt8>) -> Bool {
    text.count >= 4 && zip(text, "url(".utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
  }

  /// Reads `#identifier)`, with or without quotes.
  private static func identifier(_ text: ArraySlice<UInt8>) -> String? {
    var rest = text.drop { $0 <= 0x20 }
    let quote = rest.first.flatMap { $0 == 0x22 || $0 == 0x27 ? $0 : nil }
    if quote != nil { rest = rest.dropFirst() }
    guard rest.first == UInt8(ascii: "#") else { return nil }
    let word = rest.dropFirst().prefix { $0 > 0x20 && !"\"'()".utf8.contains($0) }
    rest = rest.dropFirst(word.count + 1)
    if let quote {
      guard rest.first == quote else { return nil }
      rest = rest.dropFirst()
    }
    rest = rest.drop { $0 <= 0x20 }
    return word.isEmpty || rest.first != UInt8(ascii: ")") ? nil : String(decoding: word, as: UTF8.self)
  }
}

/// A rule of a style sheet.
struct SVGRule {
  let prelude: String
  let selectors: [SVGSelector]
  let declarations: [SVGDeclaration]

  var text: String { "\(prelude){\(declarations.map(\.text).joined())}" }
}

/// The rules of style sheets, and their features that librsvg does not support.
struct SVGStyleSheet {
  /// How deep `@media` rules can be nested.
  private static let depthLimit = 4

  private(set) var rules: [SVGRule] = []
  private(set) var droppedContent: Set<DroppedContent> = []

  /// Adds the rules of a style sheet. At-rules other than `@media` are left out, since librsvg ignores them or loads
  /// other resources for them; so are rules that are not understood.
  mutating func add(_ text: String, media: String?) {
    add(SVGStyleScanner.withoutComments(text), media: media ?? "all", depth: 0)
  }

  private mutating func add(_ text: [UInt8], media: String, depth: Int) {
    guard let applies = SVGMediaQuery.applies(media), depth < Self.depthLimit else {
      droppedContent.insert(.svgFeatures)
      return
    }
    guard applies else { return }
    var scanner = SVGStyleScanner(text)
    while let (prelude, body) = scanner.block() {
      if prelude.utf8.first == UInt8(ascii: "@") {
        addRule(at: prelude, body, depth)
      } else if let body {
        addRule(prelude, body)
      }
    }
  }

  private mutating func addRule(at prelude: String, _ body: [UInt8]?, _ depth: Int) {
    let name = Array(prelude.utf8.prefix { $0 > 0x20 && $0 != UInt8(ascii: "(") })
    let keyword = String(decoding: name, as: UTF8.self).lowercased()
    if keyword == "@media", let body {
      add(body, media: SVGStyleScanner.trimmed(Array(prelude.utf8)[name.count...]), depth: depth + 1)
    } else if let content = SVGFeatures.content(droppedRule: keyword) {
      droppedContent.insert(content)
    }
  }

  private mutating func addRule(_ prelude: String, _ body: [UInt8]) {
    let selectors = SVGStyleScanner.list(prelude).map { SVGSelector(Substring($0)) }
    // Rules inside others, and selectors that only browsers know.
    if body.contains(UInt8(ascii: "{")) || SVGFeatures.isUnknown(selector: prelude) {
      droppedContent.insert(.svgFeatures)
    }
    // librsvg 2.54 reads each `:not(` or `:host(` inside another one by recursion, and overflows its stack.
    guard selectors.allSatisfy({ $0 != nil }), !SVGStyleScanner.isTooDeep(prelude),
      SVGDeclaration.references(in: prelude) == []
    else {
      droppedContent.insert(.svgFeatures)
      return
    }
    let declarations = SVGDeclaration.list(body)
    guard !declarations.isEmpty else { return }
    rules.append(SVGRule(prelude: prelude, selectors: selectors.compactMap(\.self), declarations: declarations))
  }
}

/// The part of a selector that decides which elements it can match.
struct SVGSelector {
  /// The name, identifier and classes of the element; combinators, attributes and pseudo-classes narrow it further.
  private(set) var name: String?
  private(set) var identifier: String?
  private(set) var classes: [String] = []
  /// The exponents of the depth and of the sibling count in the number of elements that are tried for each element.
  private(set) var ancestorCount = 0
  private(set) var siblingCount = 0
  let byteCount: Int
  /// Whether it matches the root element, from which all others inherit.
  let isRoot: Bool

  private static let punctuation = Set("#.:*>+~-_[]=\"'|^$(), \t\r\n".utf8)

  /// Returns `nil` if it is empty or contains something unexpected.
  init?(_ text: Substring) {
    let bytes = Array(SVGStyleScanner.trimmed(Array(text.utf8)[...]).utf8)
    guard !bytes.isEmpty, bytes.allSatisfy({ Self.isName($0) || Self.punctuation.contains($0) }) else { return nil }
    byteCount = bytes.count
    isRoot = [":root", "svg", "*"].contains { bytes.elementsEqual($0.utf8) }
    var compound: [UInt8] = []
    var nesting = 0
    var combinator: UInt8?
    for byte in bytes {
      if "[(".utf8.contains(byte) { nesting += 1 }
      if nesting == 0, byte <= 0x20 || ">+~".utf8.contains(byte) {
        if combinator == nil || byte > 0x20 { combinator = byte }
        continue
      }
      if let seen = combinator {
        if "+~".utf8.contains(seen) { siblingCount += 1 } else { ancestorCount += 1 }
        (combinator, compound) = (nil, [])
      }
      compound.append(byte)
      if "])".utf8.contains(byte) { nesting -= 1 }
      guard nesting >= 0 else { return nil }
    }
    guard nesting == 0, combinator == nil else { return nil }
    read(compound)
  }

  private static func isName(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte >= 0x80
  }

  /// Reads a compound such as `path.a#b[c]:d`, up to the first attribute or pseudo-class.
  private mutating func read(_ compound: [UInt8]) {
    var rest = compound.prefix { !"[:|(".utf8.contains($0) }
    // A namespace prefix precedes the name.
    if rest.count < compound.count, compound[rest.count] == UInt8(ascii: "|") { return }
    while let kind = rest.first {
      let word = rest.drop { "#.".utf8.contains($0) }.prefix { !"#.".utf8.contains($0) }
      let text = String(decoding: word, as: UTF8.self)
      switch kind {
      case UInt8(ascii: "#"): identifier = text
      case UInt8(ascii: "."): classes.append(text)
      default: name = text == "*" ? nil : text.lowercased()
      }
      rest = rest[word.endIndex...]
    }
  }
}

/// Splits style sheets, respecting strings, brackets and escapes (CSS Syntax 3). After something unbalanced, the rest is
/// left out.
struct SVGStyleScanner {
  /// The most levels of brackets in a selector or a value.
  private static let depthLimit = 16

  private let text: [UInt8]
  private var offset = 0

  init(_ text: [UInt8]) { self.text = text }

  /// The bytes up to the next top-level semicolon, which is skipped; `nil` at the end.
  mutating func declaration() -> ArraySlice<UInt8>? {
    guard offset < text.count, let end = next(of: [0x3B], from: offset) else { return nil }
    defer { offset = end + 1 }
    return text[offset..<end]
  }

  /// The next prelude and its body in braces; the body is `nil` for an at-rule that ends in a semicolon.
  mutating func block() -> (prelude: String, body: [UInt8]?)? {
    while offset < text.count, text[offset] <= 0x20 { offset += 1 }
    guard offset < text.count else { return nil }
    let isAtRule = text[offset] == UInt8(ascii: "@")
    guard let open = next(of: isAtRule ? [0x3B, 0x7B] : [0x7B], from: offset) else { return nil }
    let prelude = Self.trimmed(text[offset..<open])
    offset = open + 1
    guard open < text.count, text[open] == 0x7B else { return (prelude, nil) }
    guard let close = next(of: [0x7D], from: open + 1) else { return nil }
    offset = close + 1
    return (prelude, Array(text[(open + 1)..<close]))
  }

  /// The index of the first of `ends` outside strings and brackets, or of the end; `nil` if a string or a bracket is not
  /// closed.
  private func next(of ends: [UInt8], from start: Int) -> Int? {
    var closing: [UInt8] = []
    var index = start
    while index < text.count {
      let byte = text[index]
      if closing.isEmpty, ends.contains(byte) { return index }
      switch byte {
      case 0x22, 0x27:
        guard let end = Self.endOfString(text, from: index) else { return nil }
        index = end
      case 0x28: closing.append(0x29)
      case 0x5B: closing.append(0x5D)
      case 0x7B: closing.append(0x7D)
      case 0x29, 0x5D, 0x7D:
        guard closing.popLast() == byte else { return nil }
      case 0x5C: index += 1
      default: break
      }
      index += 1
    }
    return closing.isEmpty ? text.count : nil
  }

  /// The index of the quote that ends the string at `start`.
  private static func endOfString(_ text: [UInt8], from start: Int) -> Int? {
    var index = start + 1
    while index < text.count, text[index] != 0x0A, text[index] != 0x0D {
      if text[index] == text[start] { return index }
      index += text[index] == 0x5C ? 2 : 1
    }
    return nil
  }

  /// Whether brackets are nested over 16 levels deep in a selector or a value without escapes and comments.
  ///
  /// It never counts too few: whether a quote begins or ends a string depends on all text before it, so after the first
  /// quote all brackets count as open.
  static func isTooDeep(_ text: String) -> Bool {
    var (depth, hasQuote) = (0, false)
    for byte in text.utf8 {
      switch byte {
      case 0x22, 0x27: hasQuote = true
      case 0x28, 0x5B, 0x7B: depth += 1
      case 0x29, 0x5D, 0x7D: depth -= hasQuote || depth == 0 ? 0 : 1
      default: break
      }
      if depth > depthLimit { return true }
    }
    return false
  }

  /// The parts between commas, or other separators, outside brackets.
  static func list(_ text: String, separators: [UInt8] = [UInt8(ascii: ",")]) -> [String] {
    var parts: [[UInt8]] = [[]]
    var depth = 0
    for byte in text.utf8 {
      if "([".utf8.contains(byte) { depth += 1 }
      if ")]".utf8.contains(byte) { depth -= 1 }
      if depth == 0, separators.contains(byte) { parts.append([]) } else { parts[parts.count - 1].append(byte) }
    }
    return parts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The text without comments, and without the marks that hide a style sheet from old HTML.
  static func withoutComments(_ text: String) -> [UInt8] {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      var end = index
      if rest.starts(with: "/*".utf8) {
        index += 2
        while index < bytes.count, !bytes[index...].starts(with: "*/".utf8) { index += 1 }
        index += 2
        result.append(0x20)
        continue
      } else if rest.starts(with: "<!--".utf8) || rest.starts(with: "-->".utf8) {
        index += bytes[index] == UInt8(ascii: "<") ? 4 : 3
        // A space in its place, so that `/<!--*` does not begin a comment.
        result.append(0x20)
        continue
      } else if bytes[index] == 0x22 || bytes[index] == 0x27 {
        end = endOfString(bytes, from: index) ?? index
      } else if bytes[index] == 0x5C {
        end = min(index + 1, bytes.count - 1)
      }
      result += bytes[index...end]
      index = end + 1
    }
    return result
  }

  static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let start = bytes.drop { $0 <= 0x20 }
    guard let last = start.lastIndex(where: { $0 > 0x20 }) else { return "" }
    return String(decoding: start[...last], as: UTF8.self)
  }
}
#endif
