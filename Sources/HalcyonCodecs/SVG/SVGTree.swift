#if SVG && !IMAGEIO
/// The part of a document that can be drawn: SVG elements with checked attributes and rules.
///
/// librsvg receives ``text``, not the file, so that it draws exactly what was checked.
struct SVGTree {
  enum Child {
    case element(Int)
    case text(String)
  }

  struct Element {
    var name: String
    let parent: Int?
    /// Without a namespace prefix; links are named `href`.
    var attributes: [(name: String, value: String)] = []
    /// The declarations of the attribute `style`.
    var style: [SVGDeclaration] = []
    var children: [Child] = []

    subscript(name: String) -> String? { attributes.first { $0.name == name }?.value }

    /// The indices of the child elements.
    var elements: [Int] {
      children.compactMap { if case .element(let index) = $0 { index } else { nil } }
    }
  }

  /// In document order; the first is the root.
  var elements: [Element] = []
  /// The first element of each identifier.
  var identifiers: [String: Int] = [:]
  var rules: [SVGRule] = []

  /// A document with these elements and rules, without declarations, entities and comments.
  var text: String {
    var text = ""
    if !elements.isEmpty { write(0, to: &text) }
    return text
  }

  private func write(_ index: Int, to text: inout String) {
    let element = elements[index]
    text += "<\(element.name)"
    if index == 0 { text += " xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\"" }
    for (name, value) in element.attributes {
      text += " \(name == "href" ? "xlink:href" : name)=\"\(Self.escaped(value))\""
    }
    if !element.style.isEmpty { text += " style=\"\(Self.escaped(element.style.map(\.text).joined()))\"" }
    text += ">"
    // Rules apply wherever their style element is.
    if index == 0, !rules.isEmpty { text += "<style>\(Self.escaped(rules.map(\.text).joined()))</style>" }
    for child in element.children {
      switch child {
      case .element(let index): write(index, to: &text)
      case .text(let characters): text += Self.escaped(characters)
      }
    }
    text += "</\(element.name)>"
  }

  private static func escaped(_ value: String) -> String {
    guard value.utf8.contains(where: { "&<>\"".utf8.contains($0) }) else { return value }
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "\"": text += "&quot;"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
#endif
