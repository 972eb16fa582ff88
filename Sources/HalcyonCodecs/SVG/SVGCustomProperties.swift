#if SVG && !IMAGEIO
/// Custom properties such as `--accent`, which librsvg does not know, and their uses in `var()`.
///
/// Only properties with one value in the whole document, declared for the root element: others depend on the element.
struct SVGCustomProperties {
  /// The most bytes of a value after replacement.
  private static let byteLimit = 4096
  /// How deep properties can refer to each other.
  private static let depthLimit = 32

  /// The values by name; `nil` for properties that depend on the element.
  private var values: [String: String?] = [:]
  private var replacements: [String: String?] = [:]

  mutating func add(_ declarations: [SVGDeclaration], isForRoot: Bool) {
    for declaration in declarations where declaration.isCustom {
      let isOnlyValue = values[declaration.name].map { $0 == declaration.value } ?? true
      values.updateValue(isForRoot && isOnlyValue ? declaration.value : nil, forKey: declaration.name)
    }
  }

  /// The value with all uses replaced; `nil` if that depends on the element.
  mutating func replaced(in value: String, depth: Int = 0) -> String? {
    guard value.utf8.contains(UInt8(ascii: "(")) else { return value }
    var result: [UInt8] = []
    var rest = Array(value.utf8)[...]
    while let byte = rest.first {
      guard SVGFeatures.startsFunction("var", rest, after: result.last) else {
        let isQuote = byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
        let end = isQuote ? rest.dropFirst().firstIndex(of: byte) ?? rest.endIndex - 1 : rest.startIndex
        result += rest[...end]
        rest = rest[(end + 1)...]
        continue
      }
      rest = rest.dropFirst(4)
      guard let end = Self.end(of: rest), let replacement = replacement(of: rest[..<end], depth: depth) else {
        return nil
      }
      result += replacement.utf8
      rest = rest[(end + 1)...]
      guard result.count <= Self.byteLimit else { return nil }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// - Parameter arguments: The name of a property, which a comma and a fallback may follow.
  private mutating func replacement(of arguments: ArraySlice<UInt8>, depth: Int) -> String? {
    guard depth < Self.depthLimit else { return nil }
    let name = SVGStyleScanner.trimmed(arguments.prefix { $0 != UInt8(ascii: ",") })
    guard let value = values[name] else {
      guard let comma = arguments.firstIndex(of: UInt8(ascii: ",")) else { return nil }
      return replaced(in: SVGStyleScanner.trimmed(arguments[(comma + 1)...]), depth: depth + 1)
    }
    if let known = replacements[name] { return known }
    // A property that refers to itself has no value.
    replacements.updateValue(nil, forKey: name)
    let replacement = value.flatMap { replaced(in: $0, depth: depth + 1) }
    replacements.updateValue(replacement, forKey: name)
    return replacement
  }

  /// The index of the bracket that closes the one before `text`.
  private static func end(of text: ArraySlice<UInt8>) -> Int? {
    var depth = 1
    return text.indices.first { index in
      if text[index] == UInt8(ascii: "(") { depth += 1 }
      if text[index] == UInt8(ascii: ")") { depth -= 1 }
      return depth == 0
    }
  }
}
#endif
