#if SVG && !IMAGEIO
import HalcyonImaging

/// A rectangle in user units; empty if its sides are negative.
struct SVGBox {
  private(set) var start = SIMD2(repeating: Double.infinity)
  private(set) var end = SIMD2(repeating: -Double.infinity)

  var width: Double { max(0, end.x - start.x) }
  var height: Double { max(0, end.y - start.y) }

  mutating func add(_ point: SIMD2<Double>) {
    start = pointwiseMin(start, point)
    end = pointwiseMax(end, point)
  }

  mutating func add(_ box: SVGBox, _ transform: SVGTransform) {
    guard box.start.x <= box.end.x else { return }
    for x in [box.start.x, box.end.x] { for y in [box.start.y, box.end.y] { add(transform.point(SIMD2(x, y))) } }
  }
}

/// The rectangles that elements cover, where plain numbers give them.
extension SVGCost {
  /// The rectangle that an element covers at most, in its own user units; `nil` if it is not known.
  mutating func box(of index: Int, text: SVGTextSize, depth: Int = 0) throws(ImageDecodingError) -> SVGBox? {
    guard depth < SVGParser.depthLimit else { return nil }
    try charge(1000)
    let element = tree.elements[index]
    var box = SVGBox()
    switch element.name {
    case "path", "polyline", "polygon", "line":
      guard let extent = extent(of: index) else { return nil }
      return extent.box
    case "rect", "image", "circle", "ellipse":
      guard let (start, size) = rectangle(of: index) else { return nil }
      box.add(start)
      box.add(start + size)
    case "text", "tspan":
      return textBox(of: index, text)
    case "use":
      guard let target = target(element["href"]), let x = number("x", of: index), let y = number("y", of: index) else {
        return nil
      }
      guard !["svg", "symbol"].contains(tree.elements[target].name) else { return nil }
      return try add([target], to: box, text, depth, SVGTransform("translate(\(x) \(y))"))
    case "g", "a", "switch":
      return try add(element.elements, to: box, text, depth, SVGTransform(""))
    default:
      return Self.definitions.contains(element.name) ? box : nil
    }
    return box
  }

  private mutating func add(
    _ elements: [Int], to box: SVGBox, _ text: SVGTextSize, _ depth: Int, _ offset: SVGTransform?
  ) throws(ImageDecodingError) -> SVGBox? {
    var (inside, box) = (box, box)
    for index in elements {
      let transforms = styles.values(of: "transform", for: index)
      let size = SVGTextSize(of: index, styles, in: text, viewport: .infinity)
      guard transforms.count <= 1, let transform = SVGTransform(transforms.first ?? ""),
        let inner = try self.box(of: index, text: size, depth: depth + 1)
      else { return nil }
      inside.add(inner, transform)
    }
    if let offset { box.add(inside, offset) }
    return offset == nil ? nil : box
  }

  private func rectangle(of index: Int) -> (start: SIMD2<Double>, size: SIMD2<Double>)? {
    func numbers(_ names: String...) -> [Double]? {
      let numbers = names.compactMap { number($0, of: index) }
      return numbers.count == names.count ? numbers : nil
    }
    switch tree.elements[index].name {
    case "circle":
      return numbers("cx", "cy", "r").map { (SIMD2($0[0] - $0[2], $0[1] - $0[2]), SIMD2(repeating: 2 * $0[2])) }
    case "ellipse":
      return numbers("cx", "cy", "rx", "ry").map { numbers in
        let radius = max(numbers[2], numbers[3])
        return (SIMD2(numbers[0] - radius, numbers[1] - radius), SIMD2(repeating: 2 * radius))
      }
    case "image" where ["width", "height"].contains { styles.values(of: $0, for: index).isEmpty }: return nil
    default: return numbers("x", "y", "width", "height").map { (SIMD2($0[0], $0[1]), SIMD2($0[2], $0[3])) }
    }
  }

  /// The number of a property in user units, 0 without one; `nil` for any other value, and for several.
  private func number(_ property: String, of index: Int) -> Double? {
    let values = styles.values(of: property, for: index)
    guard let value = values.first else { return 0 }
    let (number, unit) = SVGNumbers.split(value)
    return values.count == 1 && (unit.isEmpty || unit == "px") ? number : nil
  }

  /// Each part of a text can have a position of its own, and extend to both sides of it.
  private func textBox(of index: Int, _ size: SVGTextSize) -> SVGBox? {
    var (box, count, parts) = (SVGBox(), 0, [(index, size)])
    var starts: [SIMD2<Double>] = []
    var font = 0.0
    while let (part, size) = parts.popLast() {
      let element = tree.elements[part]
      guard ["text", "tspan"].contains(element.name), element["dx"] == nil, element["dy"] == nil,
        styles.values(of: "transform", for: part).isEmpty || part == index,
        let x = number("x", of: part), let y = number("y", of: part)
      else { return nil }
      starts.append(SIMD2(x, y))
      font = max(font, size.letter)
      for child in element.children {
        switch child {
        case .text(let text): count += text.unicodeScalars.count
        case .element(let child):
          parts.append((child, SVGTextSize(of: child, styles, in: size, viewport: .infinity)))
        }
      }
    }
    let length = Double(count) * font
    for start in starts {
      // A part with only one coordinate takes the other one from the text.
      box.add(SIMD2(start.x - length, start.y - 2 * font))
      box.add(SIMD2(start.x + length, start.y + font))
    }
    return box
  }
}
#endif
