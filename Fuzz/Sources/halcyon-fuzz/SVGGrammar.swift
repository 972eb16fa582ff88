import Foundation

/// Makes SVG documents from arbitrary bytes, each of which chooses among the alternatives of a grammar.
///
/// Mutated bytes are then other well-formed documents, which reach the checks and librsvg; mutated text is mostly refused
/// by the parser.
struct SVGGrammar {
  /// The beginning of inputs that are choices.
  static let signature = Data("SVG:".utf8)

  private static let depthLimit = 12
  private static let containers = [
    "g", "svg", "symbol", "defs", "mask", "pattern", "marker", "clipPath", "a", "switch", "text", "tspan",
  ]
  private static let shapes = [
    "rect", "circle", "ellipse", "line", "path", "polygon", "polyline", "use", "image", "text", "style",
  ]
  private static let primitives = [
    "feBlend", "feColorMatrix", "feComponentTransfer", "feComposite", "feConvolveMatrix", "feDiffuseLighting",
    "feDisplacementMap", "feDropShadow", "feFlood", "feGaussianBlur", "feImage", "feMerge", "feMorphology", "feOffset",
    "feSpecularLighting", "feTile", "feTurbulence",
  ]
  private static let attributes = [
    "width", "height", "x", "y", "r", "rx", "d", "points", "viewBox", "transform", "patternTransform", "fill", "stroke",
    "stroke-width", "stroke-dasharray", "opacity", "mask", "filter", "clip-path", "marker", "marker-mid", "href",
    "xlink:href", "font-family", "font-size", "class", "style", "in", "in2", "result", "stdDeviation", "radius",
    "order",
    "kernelMatrix", "baseFrequency", "numOctaves", "primitiveUnits", "patternUnits", "preserveAspectRatio", "overflow",
    "transform-origin", "dx", "pathLength",
  ]
  private static let values = [
    "0", "1", "9", "-1", "1e9", "1e-9", ".5", "50%", "2em", "nan", "red", "none", "inherit", "url(#a)", "url(#b)",
    "url(#c)", "#a", "#b", "#c", "a", "b", "0 0 9 9", "M0 0h9v9a1 1 0 01 2 2z", "M1e9 0Q1 2 3 4", "1,1 2,2 3,0",
    "scale(3)", "rotate(45)", "matrix(1 0 0 -1 0 0)", "blur(2px) url(#b)", "1 1 1 1 1 1 1 1 1", "3",
    "objectBoundingBox",
    "userSpaceOnUse", "fill:url(#a);mask:url(#b)",
    "data:image/gif;base64,R0lGODdhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBADs=",
    "visible", "sans", "SourceGraphic", "&#35;a", "xMidYMid slice", "0 0 0 0", "var(--a)", "var(--b,red)",
    "--a:var(--b);--b:3;transform:scale(var(--b));transform-origin:1px 2px", "calc(1px + 1px)", "auto",
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 .3 .2'%3E%3Crect width='9'/%3E%3C/svg%3E",
    "data:image/bmp,BM",
  ]

  private var choices: Data.Iterator
  private var text = "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink'"

  /// The document that the choices lead to.
  static func document(_ choices: Data) -> Data {
    var grammar = SVGGrammar(choices: choices.makeIterator())
    grammar.addAttributes()
    grammar.text += ">"
    while grammar.addElement(depth: 0) {}
    return Data((grammar.text + "</svg>").utf8)
  }

  private init(choices: Data.Iterator) {
    self.choices = choices
  }

  /// Adds an element; `false` at the end of the choices, and at the end of a parent's content.
  private mutating func addElement(depth: Int) -> Bool {
    guard let choice = choices.next(), choice < 250 || depth == 0 else { return false }
    let names = [Self.containers, Self.shapes, ["filter"]][Int(choice) % 3]
    let name = names[Int(choice) / 3 % names.count]
    text += "<\(name)"
    addAttributes()
    text += ">"
    if name == "style" { text += ".a{\(pick(Self.attributes)):\(pick(Self.values))}#b > *{fill:\(pick(Self.values))}" }
    if name == "style" { text += "@media \(pick(["screen", "print", "(x)"])){:root{--a:\(pick(Self.values))}}" }
    if name == "text" { text += "ab" }
    if name == "filter" {
      while let choice = choices.next(), choice < 200 {
        text += "<\(Self.primitives[Int(choice) % Self.primitives.count])"
        addAttributes()
        text += "/>"
      }
    } else if names == Self.containers, depth < Self.depthLimit {
      while addElement(depth: depth + 1) {}
    }
    text += "</\(name)>"
    return true
  }

  /// Adds attributes with different names, as XML requires.
  private mutating func addAttributes() {
    var used: Set<String> = []
    if let id = choices.next(), id < 128 { text += " id='\(["a", "b", "c", "d"][Int(id) % 4])'" }
    while let choice = choices.next(), choice < 180 {
      let name = Self.attributes[Int(choice) % Self.attributes.count]
      let value = pick(Self.values)
      if used.insert(name).inserted { text += " \(name)=\"\(value)\"" }
    }
  }

  private mutating func pick(_ alternatives: [String]) -> String {
    alternatives[Int(choices.next() ?? 0) % alternatives.count]
  }
}
