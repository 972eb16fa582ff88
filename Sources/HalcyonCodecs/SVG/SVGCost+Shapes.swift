#if SVG && !IMAGEIO
import HalcyonImaging

/// Shapes and what they are painted with.
extension SVGCost {
  mutating func drawShape(_ index: Int, _ context: Context) throws(ImageDecodingError) {
    let extent = extent(of: index)
    let size = extent.map { ($0.box.width, $0.box.height) } ?? size(of: index, context)
    let area = size.0 * size.1 * context.scale * context.scale * (extent?.coverage ?? 1)
    // Every shape that is not a path is shorter than its rectangle.
    let length = extent?.length ?? 2 * (size.0 + size.1)
    let width = largestLength(of: "stroke-width", context) * context.scale
    let strokeArea = length * context.scale * (width + 1)
    try chargeOutline(extent, length: length, isLine: tree.elements[index].name == "line", context)
    if paints("fill", context) { try chargeArea("fill", context, size: size, area: area) }
    if paints("stroke", context) {
      try chargeArea(
        "stroke", context, size: size, area: width < (size.0 + size.1) * context.scale ? strokeArea : .infinity)
    }
    for property in ["marker", "marker-start", "marker-mid", "marker-end"] {
      for marker in targets(context.values[property]) {
        let (units, elements) = (self.units, elementCount)
        let scale = context.scale * markerScale(marker, context)
        try drawReferenced(marker, from: context) { $0.scale = scale }
        // Each vertex has at least one number.
        let repeats = property == "marker" || property == "marker-mid" ? max(0, extent?.numberCount ?? 0) : 1
        elementCount += (elementCount - elements) * repeats
        guard elementCount <= SVGParser.elementLimit else { throw SVGSanitizer.refused(SVGParser.tooManyElements) }
        try charge((self.units - units) * Double(repeats))
      }
    }
  }

  /// Whether a shape may be filled or stroked.
  private func paints(_ property: String, _ context: Context) -> Bool {
    // The initial values are black and none.
    context.values[property]?.contains { $0 != "none" } ?? (property == "fill")
  }

  /// Adds the work for the pixels of a fill or a stroke.
  ///
  /// - Parameter area: The most pixels that are drawn; NaN means the whole canvas.
  private mutating func chargeArea(
    _ property: String, _ context: Context, size: (width: Double, height: Double), area: Double
  ) throws(ImageDecodingError) {
    let pixels = area < pixelCount ? area : pixelCount
    try charge(pixels / 2)
    for server in targets(context.values[property]) {
      try chargePaint(server, context, size: size, pixels: pixels)
    }
  }

  /// Adds the work of filling and stroking a shape, without its pixels.
  ///
  /// cairo sorts the edges of a shape in each row of pixels that they touch, and splits them where they cross.
  private mutating func chargeOutline(
    _ extent: SVGPathExtent?, length: Double, isLine: Bool, _ context: Context
  ) throws(ImageDecodingError) {
    let count = Double(extent?.numberCount ?? 0)
    let crossings = extent?.crossingCount ?? 0
    let rows = min(length * context.scale, (count / 2 + 4) * Double(canvas.height))
    let fill = rows * 100 + min(rows, crossings) * 600 + crossings * 700
    try charge(2000 + count * 400)
    if !isLine, paints("fill", context) { try charge(fill) }
    guard paints("stroke", context) else { return }
    try charge(isLine ? fill : 2 * fill)
    let width = largestLength(of: "stroke-width", context) * context.scale
    let periods = (context.values["stroke-dasharray"] ?? []).compactMap { dashPeriod($0, context) }
    guard let period = periods.min() else { return }
    let isRound = context.values["stroke-linecap"]?.contains { $0.lowercased() != "butt" } ?? false
    let side = min(width, Double(canvas.width + canvas.height))
    let cap = isRound ? 1 + side.squareRoot() : 1
    try charge(length / period * cap * (2000 + 200 * side))
  }

  /// The largest factor by which the content of a marker is enlarged.
  private func markerScale(_ index: Int, _ context: Context) -> Double {
    let element = tree.elements[index]
    let unit = element["markerUnits"] == "userSpaceOnUse" ? 1 : largestLength(of: "stroke-width", context)
    guard element["viewBox"] != nil else { return unit }
    var inner = Context(scale: unit, viewport: context.viewport)
    let sides = ["markerWidth", "markerHeight"].map { name in
      element[name].map { SVGNumbers.length($0, viewport: context.viewport) } ?? 3
    }
    Self.fitViewBox(of: element, into: (sides[0], sides[1]), &inner)
    return inner.scale
  }

  /// The largest value of an inherited length; 1 if there is none.
  private func largestLength(of property: String, _ context: Context) -> Double {
    (context.values[property] ?? []).map { SVGNumbers.length($0, viewport: context.viewport) }.reduce(1, max)
  }

  /// The shortest length of a dash with its gap in user units; `nil` for solid lines.
  private func dashPeriod(_ value: String, _ context: Context) -> Double? {
    guard value.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return nil }
    let lengths = value.utf8.split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
      .map { SVGNumbers.length(String(Substring($0)), viewport: context.viewport) }
    // Lengths in units of the font are unknown. librsvg draws no dashes if the sum is 0.
    let sum = lengths.allSatisfy(\.isFinite) ? lengths.reduce(0, +) * 2 / Double(lengths.count) : .leastNonzeroMagnitude
    return sum > 0 ? sum : nil
  }

  mutating func extent(of index: Int) -> SVGPathExtent? {
    if let extent = extents[index] { return extent }
    let extent = SVGPathExtent(of: tree.elements[index])
    extents[index] = extent
    return extent
  }

  mutating func drawText(_ index: Int, _ context: Context) throws(ImageDecodingError) {
    for child in tree.elements[index].children {
      guard case .text(let text) = child else { continue }
      let letter = min(context.text.letter * context.scale, Double(canvas.height))
      let count = Double(text.utf8.count)
      // The time of Pango grows with the square of the length of a run.
      try charge(count * (15_000 + 500 * letter + 50 * count))
      try context.text.check(text, scale: context.scale)
      let area = count * letter * letter
      let box = context.text.box(of: text, isHorizontal: isHorizontal)
      for paint in ["fill", "stroke"] where paints(paint, context) {
        try chargeArea(paint, context, size: box, area: area)
      }
    }
    if let target = target(tree.elements[index]["href"]) {
      try draw(target, in: deeper(context))
    }
  }

  /// The size of a shape without a path, in user units; infinite for other elements.
  func size(of index: Int, _ context: Context) -> (Double, Double) {
    func length(_ name: String) -> Double {
      styles.values(of: name, for: index).map(context.length).max() ?? 0
    }
    switch tree.elements[index].name {
    case "rect": return (length("width"), length("height"))
    case "circle": return (2 * length("r"), 2 * length("r"))
    case "ellipse":
      let side = 2 * max(length("rx"), length("ry"))
      return (side, side)
    case "line":
      let side = ["x1", "x2", "y1", "y2"].reduce(0) { $0 + length($1) }
      return (side, side)
    default: return (.infinity, .infinity)
    }
  }

  /// Adds the work of a gradient, or of drawing the tile of a pattern.
  ///
  /// - Parameter painted: The number of pixels that are painted with it.
  private mutating func chargePaint(
    _ index: Int, _ context: Context, size: (width: Double, height: Double), pixels painted: Double
  ) throws(ImageDecodingError) {
    var chain = [index]
    while let next = target(tree.elements[chain[chain.count - 1]]["href"]), !chain.contains(next) {
      chain.append(next)
      guard context.depth + chain.count <= SVGParser.depthLimit else { throw SVGSanitizer.refused(SVGParser.tooDeep) }
    }
    for link in chain { try charge(500 + 50 * Double(tree.elements[link].children.count)) }
    guard tree.elements[index].name == "pattern" else {
      return try charge(painted * (tree.elements[index].name == "radialGradient" ? 13 : 7))
    }
    let elements = chain.map { tree.elements[$0] }
    func attribute(_ name: String) -> String? { elements.lazy.compactMap { $0[name] }.first }
    let isRelative = attribute("patternUnits") != "userSpaceOnUse"
    func side(_ name: String, _ whole: Double) -> Double {
      guard let text = attribute(name) else { return 0 }
      let length = SVGNumbers.length(text, viewport: isRelative ? 1 : context.viewport)
      return isRelative ? length * whole : length
    }
    let tile = (width: side("width", size.width), height: side("height", size.height))
    guard tile.width > 0, tile.height > 0 else { return }
    let transform = attribute("patternTransform")
    let scale = context.scale * (transform.map(SVGTransform.enlargement) ?? 1)
    let pixels = tile.width * scale * tile.height * scale
    let sides = [tile.width * scale, tile.height * scale]
    let corner = SIMD4(side("x", 1), side("y", 1), tile.width, tile.height)
    let isOnPixels = context.isOnPixels && !isRelative && transform == nil && corner == corner.rounded(.down)
    // cairo draws tiles that lie between pixels one by one in each row.
    try charge(painted * (isOnPixels ? 2 : 60 + 4500 / max(1, sides.reduce(.infinity, min))))
    let live = livePixelCount
    defer { livePixelCount = live }
    try allocate(pixels)
    try charge(pixels * 4)
    let box = elements.first { $0["viewBox"] != nil }
    for link in chain where !tree.elements[link].elements.isEmpty {
      try drawReferenced(link, from: context) { inner in
        inner.scale = scale
        if let box {
          Self.fitViewBox(of: box, into: tile, &inner)
        } else if attribute("patternContentUnits") == "objectBoundingBox" {
          inner.scale *= max(size.width, size.height)
          inner.viewport = 1
        }
      }
    }
  }
}

extension SVGPathExtent {
  /// The extent of a path or of a list of points; `nil` for other shapes.
  fileprivate init?(of element: SVGTree.Element) {
    switch element.name {
    case "path": self.init(path: element["d"] ?? "")
    case "polyline", "polygon": self.init(points: element["points"] ?? "")
    case "line":
      let lengths = ["x1", "y1", "x2", "y2"].map { SVGNumbers.split(element[$0] ?? "0") }
      let numbers = lengths.compactMap { $0.unit.isEmpty || $0.unit == "px" ? $0.number : nil }
      guard numbers.count == 4 else { return nil }
      self.init(points: numbers.map { "\($0)" }.joined(separator: " "))
    default: return nil
    }
  }
}
#endif
