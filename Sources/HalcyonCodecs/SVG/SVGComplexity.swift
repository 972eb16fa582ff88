#if SVG
import HalcyonImaging

/// Counts what a drawing comes to when everything that it refers to is drawn in place.
///
/// A few lines can refer to each other so that millions of elements have to be drawn, and librsvg gives up only after
/// seconds.
struct SVGComplexity {
  /// About a second of drawing.
  static let elementLimit = 100_000
  /// Elements inside each other, and references to references. libxml2 reads 256 of the former.
  static let depthLimit = 1024

  private struct Element {
    var children: [Int] = []
    var references: [ArraySlice<UInt8>] = []
    /// Once it is known; 0 while it is being found, so that references in a circle count nothing.
    var count: Int?
  }

  private var elements = [Element()]
  private var identifiers: [ArraySlice<UInt8>: Int] = [:]

  /// Throws `ImageDecodingError.unsupportedFeature` over a limit. Takes time in proportion to the bytes.
  static func check(_ file: UnsafeRawBufferPointer) throws(ImageDecodingError) {
    var complexity = SVGComplexity()
    try complexity.read(SVGText.bytes(of: file, byteLimit: file.count))
    guard try complexity.count(of: 0, depth: 0) <= elementLimit else {
      throw .unsupportedFeature(.svg, feature: "references that come to over \(elementLimit) elements")
    }
  }

  private mutating func read(_ text: [UInt8]) throws(ImageDecodingError) {
    var open = [0]
    var scanner = SVGTagScanner(text: text)
    while let tag = scanner.next() {
      switch tag {
      case .end: if open.count > 1 { open.removeLast() }
      case .nestedEntity:
        // They unfold without end in the worst case, which libxml2 2.9 notices, but then leaks memory.
        throw .unsupportedFeature(.svg, feature: "entities made of other entities")
      case .start(let identifier, let references, let isEmpty):
        let index = elements.count
        elements.append(Element(references: references))
        elements[open[open.count - 1]].children.append(index)
        if let identifier, identifiers[identifier] == nil { identifiers[identifier] = index }
        if !isEmpty { open.append(index) }
        guard open.count <= Self.depthLimit else { throw Self.tooDeep }
      }
    }
  }

  /// The elements that `index` comes to, itself included.
  private mutating func count(of index: Int, depth: Int) throws(ImageDecodingError) -> Int {
    if let count = elements[index].count { return count }
    guard depth <= Self.depthLimit * 2 else { throw Self.tooDeep }
    elements[index].count = 0
    var total = 1
    let parts = elements[index].children + elements[index].references.compactMap { identifiers[$0] }
    for part in parts {
      total = min(total + (try count(of: part, depth: depth + 1)), Self.elementLimit + 1)
    }
    elements[index].count = total
    return total
  }

  private static var tooDeep: ImageDecodingError {
    .unsupportedFeature(.svg, feature: "elements or references over \(depthLimit) levels deep")
  }
}
#endif
