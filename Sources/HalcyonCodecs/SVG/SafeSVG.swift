#if SVG && !IMAGEIO
package import Foundation
import HalcyonImaging

extension SVGDecoder: SanitizingDecoder {
  /// The document that browsers may show wherever it is, uncompressed and in UTF-8.
  package func sanitized(_ file: Data) throws -> Data { Data(try SafeSVG.text(of: file).utf8) }
}

extension IsolatedSVGDecoder: SanitizingDecoder {
  /// The document that browsers may show wherever it is, uncompressed and in UTF-8; in this process.
  package func sanitized(_ file: Data) throws -> Data { try SVGDecoder().sanitized(file) }
}

/// A document that browsers may show wherever it is: without scripts, and without references to anything outside of it.
///
/// Everything that is drawn stays: style sheets with animations and media queries, embedded images and fonts, links of
/// `<a>`.
enum SafeSVG {
  /// Elements that run code, load documents, or contain documents in other languages.
  private static let removedElements: Set = [
    "script", "foreignObject", "iframe", "embed", "object", "form", "handler", "listener", "audio", "video", "canvas",
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
    guard element.name == "set" || element.name.hasPrefix("animate") else { return false }
    // An animation could set what is removed.
    let name = element["attributeName"]?.lowercased() ?? ""
    return name == "href" || name.hasSuffix(":href") || name.hasPrefix("on")
  }

  /// The value that an attribute may have; `nil` removes it.
  private static func value(of attribute: (name: String, value: String), in element: SVGTree.Element) -> String? {
    let (name, value) = attribute
    if name.lowercased().hasPrefix("on") { return nil }
    switch name {
    case "href": return isAllowed(value, in: element) ? value : nil
    case "style": return SafeStyle.declarations(value)
    case "d", "points", "id", "class", "transform", "viewBox": return value
    default: return SafeStyle.isLocal(value) ? value : nil
    }
  }

  private static func isAllowed(_ link: String, in element: SVGTree.Element) -> Bool {
    let link = link.lowercased()
    if link.hasPrefix("#") { return true }
    switch element.name {
    case "image", "feImage": return link.hasPrefix("data:image/")
    case "a": return link.hasPrefix("https://") || link.hasPrefix("http://")
    default: return false
    }
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

  /// The text of a style sheet: as it is if it refers to nothing else, otherwise the rules without what does.
  static func sheet(of element: SVGTree.Element) -> String {
    let text = element.children.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    let plain = String(decoding: SVGStyleScanner.withoutComments(text), as: UTF8.self)
    if isSelfContained(plain) { return plain }
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
    let lowercase = value.lowercased()
    guard lowercase.contains("(") else { return true }
    return SVGDeclaration.references(in: value) != nil && !functions.contains(where: lowercase.contains)
  }

  /// Functions whose arguments are links without `url()`.
  private static let functions = ["image-set(", "image(", "src("]

  private static func isSelfContained(_ text: String) -> Bool {
    let text = text.lowercased()
    // An escape could hide a name.
    guard !(["\\", "@import", "@namespace"] + functions).contains(where: text.contains) else { return false }
    return text.components(separatedBy: "url(").dropFirst().allSatisfy { rest in
      let url = rest.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
      return ["#", "data:image/", "data:font/", "data:application/font"].contains { url.hasPrefix($0) }
    }
  }
}
#endif
