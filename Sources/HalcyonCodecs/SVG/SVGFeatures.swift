#if SVG && !IMAGEIO
import HalcyonImaging

/// Features that browsers draw, but librsvg 2.54 does not, or draws in another way without an error. Newer versions
/// support more.
enum SVGFeatures {
  /// Properties and attributes, with values at which they have no effect.
  private static let properties: [String: Set<String>] = [
    "alignment-baseline": ["auto", "baseline", "alphabetic"],
    "background-image": ["none"],
    "d": [],
    "dominant-baseline": ["auto", "alphabetic", "baseline"],
    "font-variant": ["normal"], "font-variant-caps": ["normal"], "inline-size": ["auto", "0"],
    "mask-image": ["none"], "offset-path": ["none"],
    "rotate": ["none", "0", "auto", "auto-reverse"], "scale": ["none", "1"], "translate": ["none", "0"],
    "shape-inside": ["none", "auto"],
    "text-decoration-line": ["none"], "text-shadow": ["none"], "text-transform": ["none"],
    "textLength": [], "transform-box": ["view-box"], "vector-effect": ["none"],
    "word-spacing": ["normal", "0", "0px"],
  ]
  /// Elements that are not drawn.
  private static let elements: Set = ["foreignObject", "textPath"]
  private static let animations: Set = ["animate", "animateColor", "animateMotion", "animateTransform", "set"]
  /// Text whose letters are placed one by one.
  private static let lists: Set = ["x", "y", "dx", "dy", "rotate"]
  private static let functions: Set = [
    "url", "rgb", "rgba", "hsl", "hsla", "matrix", "translate", "translatex", "translatey", "scale", "scalex",
    "scaley", "rotate", "skew", "skewx", "skewy", "blur", "brightness", "contrast", "drop-shadow", "grayscale",
    "hue-rotate", "invert", "opacity", "saturate", "sepia",
  ]
  private static let units: Set = [
    "rem", "ch", "cap", "ic", "lh", "rlh", "vw", "vh", "vi", "vb", "vmin", "vmax", "turn",
  ]
  private static let keywords: Set = ["unset", "revert", "revert-layer", "plus-lighter"]
  private static let pseudoClasses = [":is(", ":where(", ":has(", ":matches(", ":-webkit-any(", "|", "&"]
  /// Rules without effect on a drawing that uses no other files.
  private static let harmlessRules: Set = ["@charset", "@namespace", "@page", "@property", "@import"]

  /// The content that a drawing drops because of a property, or of an attribute with the same values.
  static func content(dropped declaration: SVGDeclaration) -> DroppedContent? {
    let value = declaration.value.lowercased()
    if declaration.name == "animation" || declaration.name == "animation-name" {
      return value.contains("none") ? nil : .frames
    }
    if SVGStyleScanner.isTooDeep(value) { return .svgFeatures }
    if let harmless = properties[declaration.name], !harmless.contains(value) { return .svgFeatures }
    if keywords.contains(value) || declaration.name == "all" { return .svgFeatures }
    if declaration.name == "background", value.utf8.contains("url(".utf8) { return .svgFeatures }
    guard !declaration.name.hasPrefix("font"), hasUnknownParts(Array(value.utf8)) else { return nil }
    return .svgFeatures
  }

  static func content(dropped element: SVGTree.Element) -> DroppedContent? {
    if animations.contains(element.name) { return .frames }
    if elements.contains(element.name) { return .svgFeatures }
    if element["pathLength"] != nil, element["stroke-dasharray"] != nil { return .svgFeatures }
    guard element.name == "text" || element.name == "tspan" else { return nil }
    let isPlaced = element.attributes.contains { name, value in
      lists.contains(name) && SVGNumbers.all(in: value).count > 1
    }
    return isPlaced ? .svgFeatures : nil
  }

  /// The content that a drawing drops because of an at-rule, for example `@font-face`.
  static func content(droppedRule name: String) -> DroppedContent? {
    if name.hasSuffix("keyframes") { return .frames }
    return harmlessRules.contains(name) ? nil : .svgFeatures
  }

  /// Whether a selector has a pseudo-class that browsers know and librsvg does not.
  static func isUnknown(selector: String) -> Bool { pseudoClasses.contains { selector.contains($0) } }

  /// Whether the text begins with a call of this function; upper and lower case are equal.
  static func startsFunction(_ name: String, _ text: ArraySlice<UInt8>, after previous: UInt8?) -> Bool {
    if let previous, isWord(previous) { return false }
    let count = name.utf8.count
    return text.count > count && text[text.startIndex + count] == UInt8(ascii: "(")
      && zip(text, name.utf8).allSatisfy { $0 | 0x20 == $1 }
  }

  /// Whether a value in lower case has functions or units that librsvg does not know.
  private static func hasUnknownParts(_ value: [UInt8]) -> Bool {
    var index = 0
    while index < value.count {
      switch value[index] {
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        index = (value[(index + 1)...].firstIndex(of: value[index]) ?? value.count) + 1
      case let byte where isWord(byte) || byte == UInt8(ascii: "."):
        let word = value[index...].prefix { isWord($0) || $0 == UInt8(ascii: ".") }
        index = word.endIndex
        let isFunction = index < value.count && value[index] == UInt8(ascii: "(")
        if isFunction, !functions.contains(String(decoding: word, as: UTF8.self)) { return true }
        let unit = word.drop { !(0x61...0x7A).contains($0) }
        if !isFunction, let first = word.first(where: { $0 != UInt8(ascii: "-") }), first <= 0x39,
          units.contains(String(decoding: unit, as: UTF8.self))
        {
          return true
        }
      case UInt8(ascii: "#"):
        index += 1 + value[(index + 1)...].prefix(while: isWord).count
      default: index += 1
      }
    }
    return false
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "_") || byte >= 0x80
  }
}

/// The conditions of `@media` for a drawing on its own: on a screen, in the colours that are the default.
enum SVGMediaQuery {
  private static let terms: [String: Bool] = [
    "": true, "all": true, "screen": true, "onlyscreen": true, "onlyall": true, "print": false, "speech": false,
    "(prefers-color-scheme:light)": true, "(prefers-color-scheme:dark)": false,
    "(prefers-reduced-motion:no-preference)": true, "(prefers-reduced-motion:reduce)": false,
    "(prefers-reduced-motion)": false,
  ]

  /// Whether a rule with these conditions applies; `nil` if it is not known.
  static func applies(_ text: String) -> Bool? {
    let queries = text.lowercased().split(separator: ",", omittingEmptySubsequences: false).map { query -> Bool? in
      let results = query.split(separator: " and ").map { terms[$0.filter { !$0.isWhitespace }] }
      return results.contains(false) ? false : results.contains(nil) ? nil : true
    }
    return queries.contains(true) ? true : queries.contains(nil) ? nil : false
  }
}
#endif
