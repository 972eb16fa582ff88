#if SVG && !IMAGEIO
import CHalcyonXMLShim
import Foundation
import HalcyonImaging

/// Parses a document with libxml2 into the elements that can be drawn.
///
/// librsvg uses the same parser, so the checked document is the one that it draws.
///
/// Elements and attributes of other namespaces, comments and processing instructions are left out. Entities are
/// expanded, within a limit for all references together; external ones are never loaded.
final class SVGParser {
  /// The maximum depth of nested elements, and of references while they are drawn.
  static let depthLimit = 100
  /// The maximum number of elements, with all references expanded.
  static let elementLimit = 100_000

  private static let svgNamespace = "http://www.w3.org/2000/svg"
  private static let xlinkNamespace = "http://www.w3.org/1999/xlink"
  private static let includeNamespace = "http://www.w3.org/2001/XInclude"
  private static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"
  /// The maximum number of attributes of an element: libxml2 and librsvg compare each with all others.
  private static let attributeLimit = 2000
  /// How deep libxml2 may be inside entities: it counts two levels for each of elements, one for each of text.
  private static let entityDepthLimit = 80
  /// Added to the bytes of each reference to an entity, for which libxml2 makes a parser.
  private static let referenceByteCount = 64

  private var elements: [SVGTree.Element] = []
  private var open: [Int] = []
  /// The depth inside an element that is left out.
  private var skippedDepth = 0
  private var depth = 0
  private var textByteCount = 0
  private let textByteLimit: Int
  private var failure: ImageDecodingError?

  /// Parses a complete document.
  ///
  /// - Throws: `ImageDecodingError.corrupt` if it is not well-formed; `.unsupportedFeature` if a limit is exceeded.
  static func elements(of file: UnsafeRawBufferPointer) throws(ImageDecodingError) -> [SVGTree.Element] {
    let parser = SVGParser(byteCount: file.count)
    try parser.parse(file)
    return parser.elements
  }

  private init(byteCount: Int) {
    // Entities can make the text longer than the file.
    textByteLimit = max(byteCount * 4, 1 << 20)
  }

  private func parse(_ file: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    guard file.count <= Int(Int32.max) else { throw Self.malformed("it is too long") }
    let text = XMLText.utf8(of: file, byteLimit: file.count)
    guard xml_shim_most_values(text, Int32(clamping: text.count)) <= Self.attributeLimit else {
      throw SVGSanitizer.refused(Self.tooManyAttributes)
    }
    var handler = Self.handler
    handler.user = Unmanaged.passUnretained(self).toOpaque()
    var message = [CChar](repeating: 0, count: 256)
    let isWellFormed = xml_shim_parse(file.baseAddress, Int32(file.count), &handler, &message, message.count)
    if let failure { throw failure }
    guard isWellFormed, !elements.isEmpty else {
      throw Self.malformed(String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
  }

  private static func malformed(_ message: String) -> ImageDecodingError {
    let lines = message.split(whereSeparator: \.isNewline)
    return .corrupt(.svg, reason: lines.isEmpty ? "it is not an XML document" : lines.joined(separator: " "))
  }

  private func refuse(_ feature: String) -> Bool {
    failure = failure ?? .unsupportedFeature(.svg, feature: feature)
    return false
  }
}

// Callbacks of libxml2; each returns whether parsing goes on.
extension SVGParser {
  private static var handler: xml_shim_handler {
    xml_shim_handler(
      user: nil,
      start: { user, name, namespace, attributes, count in
        guard let user, let name else { return false }
        let attributes = UnsafeBufferPointer(start: attributes, count: Int(count))
        return SVGParser.of(user).start(
          String(cString: name), namespace: namespace.map { String(cString: $0) }, attributes)
      },
      end: { user in if let user { SVGParser.of(user).end() } },
      text: { user, text, count in
        guard let user, let text else { return false }
        let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
        return SVGParser.of(user).add(String(decoding: bytes, as: UTF8.self))
      },
      entity: { user, content in
        guard let user else { return false }
        return SVGParser.of(user).accept(entity: content)
      },
      reference: { user, byteCount, depth in
        guard let user else { return false }
        return SVGParser.of(user).expand(byteCount: Int(byteCount), depth: Int(depth))
      },
      refuse_encoding: { user, name in
        guard let user, let name else { return }
        _ = SVGParser.of(user).refuse("the encoding \(String(cString: name).prefix(40))")
      })
  }

  private static func of(_ user: UnsafeMutableRawPointer) -> SVGParser {
    Unmanaged<SVGParser>.fromOpaque(user).takeUnretainedValue()
  }

  /// Accepts the declaration of an entity whose elements do not have too many attributes.
  private func accept(entity content: UnsafePointer<CChar>?) -> Bool {
    guard let content else { return refuse("external entities or parameter entities") }
    guard xml_shim_most_values(content, Int32(clamping: strlen(content))) <= Self.attributeLimit else {
      return refuse(Self.tooManyAttributes)
    }
    return true
  }

  private func expand(byteCount: Int, depth: Int) -> Bool {
    guard failure == nil else { return false }
    guard depth <= Self.entityDepthLimit else { return refuse(Self.tooDeepEntities) }
    return spend(byteCount + Self.referenceByteCount)
  }

  private func start(
    _ name: String, namespace: String?, _ attributes: UnsafeBufferPointer<xml_shim_attribute>
  ) -> Bool {
    guard failure == nil else { return false }
    depth += 1
    guard depth <= Self.depthLimit else { return refuse(Self.tooDeep) }
    if namespace == Self.includeNamespace { return refuse("XInclude") }
    guard skippedDepth == 0, namespace == Self.svgNamespace else {
      if open.isEmpty, skippedDepth == 0 {
        // A sound document, which another request would bring again.
        return refuse("a root element <\(name.prefix(40))> without xmlns=\"\(Self.svgNamespace)\"")
      }
      skippedDepth += 1
      return true
    }
    guard elements.count < Self.elementLimit else { return refuse(Self.tooManyElements) }
    // A document type can add attributes to each element.
    guard attributes.count <= Self.attributeLimit else { return refuse(Self.tooManyAttributes) }
    let index = elements.count
    elements.append(SVGTree.Element(name: name, parent: open.last))
    if let parent = open.last { elements[parent].children.append(.element(index)) }
    open.append(index)
    elements[index].attributes = Self.read(attributes)
    return spend(elements[index].attributes.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count })
  }

  private static let tooManyAttributes = "elements with over \(attributeLimit) attributes"
  private static let tooDeepEntities = "entities inside each other over 40 levels deep"
  static let tooDeep = "elements or references nested over \(depthLimit) levels deep"
  static let tooManyLayers = "elements nested deeper than librsvg draws"
  static let tooManyElements = "references that expand to over \(elementLimit) elements"

  /// The attributes without a namespace, and the links.
  private static func read(
    _ attributes: UnsafeBufferPointer<xml_shim_attribute>
  ) -> [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    for attribute in attributes {
      var name = String(cString: attribute.name)
      switch attribute.namespace_uri.map({ String(cString: $0) }) {
      case nil: break
      case xlinkNamespace where name == "href":
        // A link without a namespace takes precedence.
        if result.contains(where: { $0.name == "href" }) { continue }
      case xmlNamespace where name == "space" || name == "lang": name = "xml:" + name
      default: continue
      }
      let bytes = UnsafeRawBufferPointer(start: attribute.value, count: attribute.value_length)
      // The parser has checked that all other names differ.
      if name == "href" { result.removeAll { $0.name == name } }
      result.append((name, String(decoding: bytes, as: UTF8.self)))
    }
    return result
  }

  private func end() {
    guard failure == nil else { return }
    depth -= 1
    if skippedDepth > 0 { skippedDepth -= 1 } else { open.removeLast() }
  }

  private func add(_ text: String) -> Bool {
    guard failure == nil else { return false }
    guard skippedDepth == 0, let parent = open.last else { return true }
    var joined = text
    if case .text(let start) = elements[parent].children.last {
      // Removed first, so that appending does not copy it.
      elements[parent].children.removeLast()
      joined = start
      joined += text
    }
    elements[parent].children.append(.text(joined))
    return spend(text.utf8.count)
  }

  private func spend(_ byteCount: Int) -> Bool {
    textByteCount += byteCount
    return textByteCount <= textByteLimit || refuse("entities that expand to over \(textByteLimit) bytes")
  }
}
#endif
