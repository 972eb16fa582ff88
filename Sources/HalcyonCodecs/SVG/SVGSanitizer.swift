#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// Removes links to other resources, and values that cannot be checked, from a document before librsvg gets it.
struct SVGSanitizer {
  /// Each new name occupies about a megabyte until the drawing ends.
  private static let fontLimit = 32
  private static let octaveLimit = 32
  /// librsvg 2.54 traps on kernels of over 400 numbers.
  private static let orderLimit = 15

  /// Attributes that are not read as CSS values.
  private static let plainAttributes: Set = [
    "id", "class", "d", "points", "href", "style", "xml:space", "xml:lang", "type", "in", "in2", "result", "values",
    "tableValues",
  ]

  private let drawing: SVGDrawing
  private var tree: SVGTree
  private var images: SVGEmbeddedImages
  private var properties = SVGCustomProperties()

  /// The checked elements and rules of a document.
  static func tree(
    of elements: [SVGTree.Element], drawing: SVGDrawing, _ budget: inout SVGBudget
  ) throws -> SVGTree {
    var sanitizer = SVGSanitizer(elements, drawing: drawing)
    sanitizer.readStyles(&budget)
    for index in elements.indices { try sanitizer.check(index, &budget) }
    for rule in sanitizer.tree.rules { budget.addFonts(of: rule.declarations) }
    guard budget.fonts.count <= fontLimit else { throw refused("over \(fontLimit) font families") }
    return sanitizer.tree
  }

  private init(_ elements: [SVGTree.Element], drawing: SVGDrawing) {
    self.drawing = drawing
    tree = SVGTree(elements: elements)
    images = SVGEmbeddedImages(limits: drawing.limits, canvas: drawing.layout.canvasSize)
  }

  /// Reads the style sheets and the attributes `style`, and replaces the custom properties in them.
  private mutating func readStyles(_ budget: inout SVGBudget) {
    for (index, element) in tree.elements.enumerated() {
      if let text = element["style"] {
        tree.elements[index].style = SVGDeclaration.list(SVGStyleScanner.withoutComments(text))
        properties.add(tree.elements[index].style, isForRoot: index == 0)
      }
      guard element.name == "style" else { continue }
      tree.rules += Self.rules(of: element, &budget)
      tree.elements[index].children = []
    }
    for rule in tree.rules { properties.add(rule.declarations, isForRoot: rule.selectors.allSatisfy(\.isRoot)) }
    for index in tree.elements.indices where !tree.elements[index].style.isEmpty {
      tree.elements[index].style = checked(tree.elements[index].style, &budget)
    }
    tree.rules = tree.rules.compactMap { rule in
      let declarations = checked(rule.declarations, &budget)
      if declarations.contains(where: { $0.name == "transform-origin" }) { budget.drop(.svgFeatures) }
      guard !declarations.isEmpty else { return nil }
      return SVGRule(prelude: rule.prelude, selectors: rule.selectors, declarations: declarations)
    }
  }

  private static func rules(of element: SVGTree.Element, _ budget: inout SVGBudget) -> [SVGRule] {
    if let type = element["type"], type.lowercased() != "text/css" { return [] }
    let text = element.children.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    var sheet = SVGStyleSheet()
    sheet.add(text, media: element["media"])
    budget.droppedContent.formUnion(sheet.droppedContent)
    return sheet.rules
  }

  /// The declarations that librsvg may see.
  private mutating func checked(_ declarations: [SVGDeclaration], _ budget: inout SVGBudget) -> [SVGDeclaration] {
    declarations.compactMap { declaration in
      guard !declaration.isCustom else { return nil }
      guard let value = properties.replaced(in: declaration.value) else {
        budget.drop(.svgFeatures)
        return nil
      }
      let declaration = SVGDeclaration(name: declaration.name, value: value)
      guard let content = SVGFeatures.content(dropped: declaration) else { return declaration.checked }
      budget.drop(content)
      // A transform that is not understood has no known enlargement.
      return declaration.name == "transform" ? nil : declaration.checked
    }
  }

  private mutating func check(_ index: Int, _ budget: inout SVGBudget) throws {
    var element = tree.elements[index]
    budget.addFonts(of: element.style)
    if let family = element["font-family"] { budget.fonts.insert(family) }
    if let content = SVGFeatures.content(dropped: element) { budget.drop(content) }
    let attributes = element.attributes
    element.attributes = []
    for (name, value) in attributes where name != "style" {
      guard let value = try checked(value, of: name, in: element, at: index, &budget) else { continue }
      element.attributes.append((name, value))
    }
    if !element.applyTransformOrigin() { budget.drop(.svgFeatures) }
    if let url = attributes.first(where: { $0.name == "href" })?.value, element.loadsImage(url) {
      try embed(url, in: &element, at: index, &budget)
    }
    if element.name == "feConvolveMatrix" { try checkKernel(of: element) }
    if element.name == "feTile" {
      // librsvg 2.54 ends the process where the input is outside the drawing; without tiles it is drawn once.
      element.name = "feOffset"
      budget.drop(.svgFeatures)
    }
    if element.isDisabled {
      // librsvg draws such an element at some size.
      element.attributes.removeAll { $0.name == "viewBox" }
      element.children = []
    }
    if index == 0 { element.setFontAndSize(drawing.size) }
    tree.elements[index] = element
  }

  /// The value to draw with, or `nil` to leave the attribute out.
  private mutating func checked(
    _ value: String, of name: String, in element: SVGTree.Element, at index: Int, _ budget: inout SVGBudget
  ) throws(ImageDecodingError) -> String? {
    switch name {
    case "id": return claim(value, for: index) ? value : nil
    case "href": return value.utf8.first == UInt8(ascii: "#") && !["a", "image"].contains(element.name) ? value : nil
    // An old name of the link of feImage.
    case "path": return nil
    // Obsolete: browsers ignore it, but librsvg scales its surfaces by it.
    case "kernelUnitLength": return nil
    case "numOctaves":
      guard let count = Double(value) else { return nil }
      guard count <= Double(Self.octaveLimit) else {
        throw Self.refused("feTurbulence with \(value.prefix(20)) octaves, over \(Self.octaveLimit)")
      }
      return String(Int(max(0, count)))
    case _ where name.utf8.suffix(5).elementsEqual("Units".utf8): return Self.units(value)
    default:
      if Self.plainAttributes.contains(name) { return value }
      return checked([SVGDeclaration(name: name, value: value)], &budget).first?.value
    }
  }

  /// The units that librsvg reads in a value: it ignores case, and what follows the word.
  private static func units(_ value: String) -> String? {
    let word = SVGStyleScanner.trimmed(Array(value.utf8)[...]).utf8.prefix { (0x61...0x7A).contains($0 | 0x20) }
    return ["userSpaceOnUse", "objectBoundingBox", "strokeWidth"].first {
      $0.lowercased().utf8.elementsEqual(word.map { $0 | 0x20 })
    }
  }

  /// Whether the element is the first with this identifier.
  private mutating func claim(_ identifier: String, for index: Int) -> Bool {
    guard tree.identifiers[identifier] == nil else { return false }
    tree.identifiers[identifier] = index
    return true
  }

  /// Checks that a kernel has as many numbers as its order says.
  private func checkKernel(of element: SVGTree.Element) throws(ImageDecodingError) {
    let order = SVGNumbers.list(element["order"] ?? "3")
    let (columns, rows) = (order?.first ?? 0, order?.last ?? 0)
    guard let order, order.count <= 2, (1...Double(Self.orderLimit)).contains(columns),
      (1...Double(Self.orderLimit)).contains(rows), columns == columns.rounded(), rows == rows.rounded()
    else {
      throw Self.refused(
        "feConvolveMatrix of order \((element["order"] ?? "").prefix(20)), not 1 to \(Self.orderLimit)")
    }
    guard let kernel = SVGNumbers.list(element["kernelMatrix"] ?? ""), kernel.count == Int(columns * rows) else {
      throw Self.refused("feConvolveMatrix with a kernel of another size than its order")
    }
  }

  static func refused(_ feature: String) -> ImageDecodingError { .unsupportedFeature(.svg, feature: feature) }
}

// Images inside the document.
extension SVGSanitizer {
  /// Replaces the image that an element shows by one that is checked.
  private mutating func embed(
    _ url: String, in element: inout SVGTree.Element, at index: Int, _ budget: inout SVGBudget
  ) throws {
    let (scale, viewport) = (scale(of: index), viewport)
    let width = element.length("width", viewport: viewport.width)
    let height = element.length("height", viewport: viewport.height)
    func shown(_ size: SVGSize, scale: Double = 1) -> SVGSize {
      let ratio = size.width / size.height
      return SVGSize(
        width: (width ?? height.map { $0 * ratio } ?? size.width) * scale,
        height: (height ?? width.map { $0 / ratio } ?? size.height) * scale)
    }
    guard let image = try images.image(url, shownSize: { shown($0, scale: scale) }, &budget) else { return }
    element.attributes.append(("href", image.url))
    guard element.name == "image" else { return }
    // For a side without a length, librsvg would take the pixels of the image; those of a drawing depend on the output.
    let size = shown(image.size)
    for (name, length, side) in [("width", width, size.width), ("height", height, size.height)] where length == nil {
      element.attributes.removeAll { $0.name == name }
      element.attributes.append((name, "\(side)"))
    }
  }

  /// The size of the root element in its user units.
  private var viewport: (width: Double, height: Double) {
    guard let box = tree.elements[0]["viewBox"].map(SVGNumbers.all), box.count == 4, box[2] > 0, box[3] > 0 else {
      return (drawing.size.width, drawing.size.height)
    }
    return (box[2], box[3])
  }

  /// About how many pixels a unit of length covers where an element stands.
  private func scale(of index: Int) -> Double {
    let (canvas, viewport) = (drawing.layout.canvasSize, viewport)
    var scale = max(Double(canvas.width) / viewport.width, Double(canvas.height) / viewport.height)
    var next: Int? = index
    while let current = next {
      if let transform = tree.elements[current]["transform"] { scale *= SVGTransform.enlargement(transform) }
      next = tree.elements[current].parent
    }
    return scale
  }
}

extension SVGTree.Element {
  /// Whether a link leads to an image rather than to another element.
  fileprivate func loadsImage(_ url: String) -> Bool {
    name == "image" || name == "feImage" && url.utf8.first != UInt8(ascii: "#")
  }

  /// A length in user units; `nil` for the natural length.
  fileprivate func length(_ attribute: String, viewport: Double) -> Double? {
    self[attribute].flatMap { $0 == "auto" ? nil : SVGNumbers.length($0, viewport: viewport) }
  }

  /// Sets the font size and the size of the root element in pixels as browsers compute them: librsvg takes 12 pixels
  /// for an `em`.
  fileprivate mutating func setFontAndSize(_ size: SVGSize) {
    if self["font-size"] == nil { attributes.append(("font-size", "\(SVGSize.initialFontSize)")) }
    for index in attributes.indices {
      let (name, value) = attributes[index]
      switch name {
      case "width" where SVGSize.isLength(value): attributes[index].value = "\(size.width)"
      case "height" where SVGSize.isLength(value): attributes[index].value = "\(size.height)"
      case "font-size": attributes[index].value = SVGSize.fontPixels(value).map { "\($0)" } ?? value
      default: break
      }
    }
    style = style.map { declaration in
      guard declaration.name == "font-size", let size = SVGSize.fontPixels(declaration.value) else {
        return declaration
      }
      return SVGDeclaration(name: declaration.name, value: "\(size)px")
    }
  }

  /// Whether a side of its view box is 0, so that it is not drawn (SVG 2, 8.6).
  fileprivate var isDisabled: Bool {
    guard let box = self["viewBox"].flatMap(SVGNumbers.list), box.count == 4 else { return false }
    return box[2] == 0 || box[3] == 0
  }

  /// Applies `transform-origin` to the transform, which librsvg does not; `false` if it is not a point in user units.
  fileprivate mutating func applyTransformOrigin() -> Bool {
    func value(_ property: String) -> String? { style.last { $0.name == property }?.value ?? self[property] }
    guard let transform = value("transform"), transform != "none", let origin = value("transform-origin") else {
      return true
    }
    let lengths = origin.utf8.split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }.map {
      SVGNumbers.split(String(Substring($0)))
    }
    guard lengths.count == 2, lengths.allSatisfy({ $0.unit.isEmpty || $0.unit == "px" }),
      let x = lengths[0].number, let y = lengths[1].number
    else { return false }
    if let index = style.lastIndex(where: { $0.name == "transform" }) {
      let text = "translate(\(x)px,\(y)px) \(transform) translate(\(-x)px,\(-y)px)"
      style[index] = SVGDeclaration(name: "transform", value: text)
    } else if let index = attributes.firstIndex(where: { $0.name == "transform" }) {
      attributes[index].value = "translate(\(x) \(y)) \(transform) translate(\(-x) \(-y))"
    }
    return true
  }
}
#endif
