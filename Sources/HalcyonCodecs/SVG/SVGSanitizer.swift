#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// Leaves out of a document what librsvg must not see: links out of it, and values that cannot be checked.
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

  private let limits: ImageLimits
  private var tree: SVGTree
  private var fonts: Set<String> = []
  private var embeddedPixelCount = 0

  /// The checked elements and rules of a document.
  static func tree(
    of elements: [SVGTree.Element], limits: ImageLimits
  ) throws(ImageDecodingError) -> SVGTree {
    var sanitizer = SVGSanitizer(elements, limits: limits)
    for index in elements.indices { try sanitizer.check(index) }
    for rule in sanitizer.tree.rules { sanitizer.addFonts(of: rule.declarations) }
    guard sanitizer.fonts.count <= fontLimit else { throw refused("over \(fontLimit) font families") }
    return sanitizer.tree
  }

  private init(_ elements: [SVGTree.Element], limits: ImageLimits) {
    self.limits = limits
    tree = SVGTree(elements: elements)
  }

  private mutating func check(_ index: Int) throws(ImageDecodingError) {
    var element = tree.elements[index]
    if let text = element["style"] {
      element.style = SVGDeclaration.list(SVGStyleScanner.withoutComments(text))
      addFonts(of: element.style)
    }
    if let family = element["font-family"] { fonts.insert(family) }
    let attributes = element.attributes
    element.attributes = []
    for (name, value) in attributes where name != "style" {
      guard let value = try checked(value, of: name, in: tree.elements[index], at: index) else { continue }
      element.attributes.append((name, value))
    }
    if element.name == "style" {
      addRules(of: element)
      element.children = []
    }
    if element.name == "feConvolveMatrix" { try checkKernel(of: element) }
    tree.elements[index] = element
  }

  /// The value to draw with, or `nil` to leave the attribute out.
  private mutating func checked(
    _ value: String, of name: String, in element: SVGTree.Element, at index: Int
  ) throws(ImageDecodingError) -> String? {
    switch name {
    case "id": return claim(value, for: index) ? value : nil
    case "href":
      if element.name == "image" || (element.name == "feImage" && value.utf8.first != UInt8(ascii: "#")) {
        return try embeddedImage(value)
      }
      return value.utf8.first == UInt8(ascii: "#") && element.name != "a" ? value : nil
    // An old name of the link of feImage.
    case "path": return nil
    // Obsolete: browsers ignore it, and librsvg scales its surfaces by it.
    case "kernelUnitLength": return nil
    case "numOctaves":
      guard let count = Double(value) else { return nil }
      guard count <= Double(Self.octaveLimit) else {
        throw Self.refused("feTurbulence with \(value.prefix(20)) octaves, over \(Self.octaveLimit)")
      }
      return String(Int(max(0, count)))
    default:
      if Self.plainAttributes.contains(name) { return value }
      return SVGDeclaration(name: name, value: value).checked?.value
    }
  }

  /// Whether the element is the first with this identifier.
  private mutating func claim(_ identifier: String, for index: Int) -> Bool {
    guard tree.identifiers[identifier] == nil else { return false }
    tree.identifiers[identifier] = index
    return true
  }

  private mutating func addRules(of element: SVGTree.Element) {
    if let type = element["type"], type.lowercased() != "text/css" { return }
    let text = element.children.map { if case .text(let text) = $0 { text } else { "" } }.joined()
    tree.rules += SVGRule.list(text)
  }

  private mutating func addFonts(of declarations: [SVGDeclaration]) {
    for declaration in declarations where declaration.name == "font-family" || declaration.name == "font" {
      fonts.insert(declaration.value)
    }
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
  private static let decoders: [any ImageDecoder] = [PNGDecoder(), JPEGDecoder(), GIFDecoder(), WebPDecoder()]

  /// The URL of an image that is within the limits, written again from its bytes; `nil` if it is not in the document or
  /// not an image.
  private mutating func embeddedImage(_ url: String) throws(ImageDecodingError) -> String? {
    guard let bytes = Self.bytes(of: url), let format = ImageFormat(sniffing: bytes) else { return nil }
    guard let decoder = Self.decoders.first(where: { $0.formats.contains(format) }) else {
      throw Self.refused("an image in \(format.rawValue) inside it")
    }
    guard let info = try? decoder.probe(bytes, isComplete: true) else { return nil }
    try limits.check(info.storedSize, format: format)
    embeddedPixelCount += info.storedSize.pixelCount
    guard embeddedPixelCount <= limits.pixelCount else {
      throw Self.refused("images of over \(limits.pixelCount) pixels together inside it")
    }
    return "data:\(format.mediaType);base64,\(bytes.base64EncodedString())"
  }

  /// The data of a `data` URL (RFC 2397).
  private static func bytes(of url: String) -> Data? {
    let trimmed = Substring(SVGStyleScanner.trimmed(Array(url.utf8)[...])).utf8
    guard Substring(trimmed.prefix(5)).lowercased() == "data:", let comma = trimmed.firstIndex(of: UInt8(ascii: ","))
    else { return nil }
    let body = String(Substring(trimmed[trimmed.index(after: comma)...]))
    guard let decoded = body.removingPercentEncoding else { return nil }
    guard Substring(trimmed[..<comma].suffix(7)).lowercased() == ";base64" else { return Data(decoded.utf8) }
    return Data(base64Encoded: decoded, options: .ignoreUnknownCharacters)
  }
}
#endif
