#if SVG && !IMAGEIO
package import Foundation
import HalcyonImaging

extension SVGDecoder: SanitizingDecoder {
  /// The document that browsers may show wherever it is, in UTF-8; compressed if the file is.
  package func sanitized(_ file: Data) throws -> Data {
    let document = Data(try SafeSVG.text(of: file).utf8)
    return InflatedContent.isGzip(file) ? InflatedContent.gzip(document) : document
  }
}

extension IsolatedSVGDecoder: SanitizingDecoder {
  /// The document that browsers may show wherever it is, in UTF-8, compressed if the file is; in this process.
  package func sanitized(_ file: Data) throws -> Data { try SVGDecoder().sanitized(file) }
}

/// A document that is safe in any place of a web page: without scripts, and without references to anything outside of
/// it.
///
/// Everything that is drawn stays: style sheets with animations and media queries, embedded images and fonts, links of
/// `<a>`.
enum SafeSVG {
  /// Elements that run code, load documents, or contain documents in other languages.
  private static let removedElements: Set = [
    "script", "foreignObject", "iframe", "embed", "object", "form", "handler", "listener", "audio", "video", "canvas",
  ]

  /// Attributes that load or send something when the element is followed or shown, and names them without `url()`.
  private static let requestAttributes = ["href", "ping", "src", "base"]
  /// The attributes that a link may have: browsers add new ones for requests, such as `ping` and `attributionsrc`.
  private static let linkAttributes: Set = [
    "id", "class", "style", "href", "target", "hreflang", "title", "role", "tabindex", "lang", "xml:lang", "xml:space",
    "transform", "transform-origin", "alignment-baseline", "baseline-shift", "clip-path", "clip-rule", "color",
    "color-interpolation", "cursor", "direction", "display", "dominant-baseline", "fill", "fill-opacity", "fill-rule",
    "filter", "font", "font-family", "font-size", "font-size-adjust", "font-stretch", "font-style", "font-variant",
    "font-weight", "image-rendering", "letter-spacing", "marker", "marker-end", "marker-mid", "marker-start", "mask",
    "opacity", "overflow", "paint-order", "pointer-events", "requiredExtensions", "requiredFeatures", "shape-rendering",
    "stroke", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit",
    "stroke-opacity", "stroke-width", "systemLanguage", "text-anchor", "text-decoration", "text-rendering",
    "unicode-bidi", "vector-effect", "visibility", "white-space", "word-spacing", "writing-mode",
  ]

  /// The document, uncompressed and in UTF-8.
  ///
  /// - Throws: Errors of a document that is not well-formed or exceeds the limits of drawings.
  static func text(of file: Data) throws(ImageDecodingError) -> String {
    let document = try SVGFile.document(in: file)
    var elements: [SVGTree.Element] = []
    do {
      elements = try document.withUnsafeBytes { try SVGParser.elements(of: $0) }
    } catch let error as ImageDecodingError {
      throw error
    } catch {
      throw .corrupt(.svg, reason: "\(error)")
    }
    for index in elements.indices {
      elements[index].attributes = elements[index].attributes.compactMap { attribute in
        value(of: attribute, in: elements[index]).map { (attribute.name, $0) }
      }
      if elements[index].name == "style" { elements[index].children = [.text(SafeStyle.sheet(of: elements[index]))] }
    }
    let isKept = elements.map { !isRemoved($0) }
    guard isKept.first == true else { throw .corrupt(.svg, reason: "its root element is not <svg>") }
    for index in elements.indices {
      elements[index].children.removeAll { child in
        if case .element(let child) = child { !isKept[child] } else { false }
      }
    }
    return SVGTree(elements: elements).text
  }

  private static func isRemoved(_ element: SVGTree.Element) -> Bool {
    if removedElements.contains(element.name) { return true }
    guard element.name == "set" || element.name.utf8.starts(with: "animate".utf8) else { return false }
    // An animation could set what is removed.
    let name = SVGStyleScanner.trimmed(Array((element["attributeName"] ?? "").utf8)[...]).lowercasedASCII
    let localName = name.split(separator: UInt8(ascii: ":")).last ?? []
    return isHandler(name) || requestAttributes.contains { localName.elementsEqual($0.utf8) }
  }

  /// Whether an attribute with this name in lower case is code that runs at an event.
  private static func isHandler(_ name: [UInt8]) -> Bool { name.starts(with: "on".utf8) }

  /// The value that an attribute may have; `nil` removes it.
  private static func value(of attribute: (name: String, value: String), in element: SVGTree.Element) -> String? {
    let (name, value) = attribute
    if isHandler(name.lowercasedASCII) { return nil }
    if element.name == "a", !linkAttributes.contains(name), !name.utf8.starts(with: "aria-".utf8) { return nil }
    switch name {
    case "href": return isAllowed(value, in: element) ? value : nil
    case "style": return SafeStyle.declarations(value)
    case "d", "points", "id", "class", "transform", "viewBox": return value
    default: return SafeStyle.isLocal(value) ? value : nil
    }
  }

  private static func isAllowed(_ link: String, in element: SVGTree.Element) -> Bool {
    let link = link.lowercasedASCII
    if link.first == UInt8(ascii: "#") { return true }
    let schemes: [String] =
      switch element.name {
      case "image", "feImage": ["data:image/"]
      case "a": ["https://", "http://"]
      default: []
      }
    return schemes.contains { link.starts(with: $0.utf8) }
  }
}

/// Styles that refer to nothing outside of their document.
private enum SafeStyle {
  /// The declarations of an attribute `style`.
  static func declarations(_ text: String) -> String? {
    let declarations = SVGDeclaration.list(SVGStyleScanner.withoutComments(text)).filter {
      isLocal($0.value)
    }
    return declarations.isEmpty ? nil : declarations.map(\.text).joined()
  }

  /// The text of a style sheet, unchanged if it refers to nothing else; otherwise without the rules that do.
  static func sheet(of element: SVGTree.Element) -> String {
    let text = element.children.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    let plain = SVGStyleScanner.withoutComments(text)
    if isSelfContained(plain.lowercasedASCII) { return String(decoding: plain, as: UTF8.self) }
    var sheet = SVGStyleSheet()
    sheet.add(text, media: element["media"])
    let rules = sheet.rules.map { rule in
      SVGRule(
        prelude: rule.prelude, selectors: rule.selectors,
        declarations: rule.declarations.filter { isLocal($0.value) })
    }
    return rules.map(\.text).joined()
  }

  /// Whether a value refers to nothing but elements of the document.
  static func isLocal(_ value: String) -> Bool {
    let bytes = value.lowercasedASCII
    guard bytes.contains(UInt8(ascii: "(")) else { return true }
    return SVGDeclaration.references(in: value) != nil && !functions.contains { bytes.contains($0.utf8) }
  }

  /// Functions whose arguments are links without `url()`.
  private static let functions = ["image-set(", "image(", "src("]

  /// - Parameter text: In lower case.
  private static func isSelfContained(_ text: [UInt8]) -> Bool {
    // An escape could hide a name.
    guard !(["\\", "@import", "@namespace"] + functions).contains(where: { text.contains($0.utf8) }) else {
      return false
    }
    return text.ranges(of: "url(".utf8).allSatisfy { function in
      let url = text[function.upperBound...].drop { $0 <= 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
      return ["#", "data:image/", "data:font/", "data:application/font"].contains { url.starts(with: $0.utf8) }
    }
  }
}

// Names are compared by bytes, as in browsers: with a combining character, the letter or bracket before it is another
// `Character`.
extension StringProtocol {
  /// The bytes, with ASCII letters in lower case.
  fileprivate var lowercasedASCII: [UInt8] { Array(utf8).lowercasedASCII }
}

extension [UInt8] {
  /// With ASCII letters in lower case.
  fileprivate var lowercasedASCII: [UInt8] { map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
}
#endif
