#if SVG && !IMAGEIO
/// The background colour of the root element, which browsers paint behind a drawing and librsvg does not.
enum SVGBackground {
  /// A document with the background alone, so that librsvg decides which declaration applies; `nil` if there is none.
  static func tree(of tree: SVGTree) -> SVGTree? {
    guard let root = tree.elements.first else { return nil }
    let rules = tree.rules.compactMap { rule -> SVGRule? in
      let colors = colors(in: rule.declarations)
      return colors.isEmpty ? nil : SVGRule(prelude: rule.prelude, selectors: rule.selectors, declarations: colors)
    }
    var canvas = SVGTree.Element(name: "svg", parent: nil)
    canvas.style = colors(in: root.style)
    guard !rules.isEmpty || !canvas.style.isEmpty else { return nil }
    // The attributes that selectors may test.
    canvas.attributes = root.attributes.filter { $0.name == "id" || $0.name == "class" } + [("color", "transparent")]
    canvas.children = [.element(1)]
    var area = SVGTree.Element(name: "rect", parent: 0)
    area.attributes = [("width", "100%"), ("height", "100%"), ("fill", "currentColor")]
    // So that rules for rectangles have no effect.
    area.style = [SVGDeclaration(name: "color", value: "inherit")]
    return SVGTree(elements: [canvas, area], rules: rules)
  }

  /// Maps background declarations to `color`, which librsvg knows.
  private static func colors(in declarations: [SVGDeclaration]) -> [SVGDeclaration] {
    declarations.flatMap { declaration -> [String] in
      switch declaration.name {
      case "background-color": [declaration.value]
      case "background": layers(declaration.value)
      default: []
      }
    }.map { SVGDeclaration(name: "color", value: $0) }
  }

  /// Each word of the shorthand as a colour: librsvg ignores words that are not. Without a colour the background is
  /// transparent.
  private static func layers(_ value: String) -> [String] {
    let parts = value.utf8.split(separator: UInt8(ascii: "!"), omittingEmptySubsequences: false)
    let words = SVGStyleScanner.list(String(Substring(parts[0])), separators: Array(" \t\r\n,/".utf8))
    return (["transparent"] + words.filter { !$0.isEmpty }).map { parts.count > 1 ? $0 + " !important" : $0 }
  }
}
#endif
