#if SVG && !IMAGEIO
import HalcyonImaging

/// Estimates the work and the memory of a drawing before librsvg draws it, and refuses one that takes too much.
///
/// Walks the elements in the order in which librsvg draws them, with references expanded, so a few lines that expand to
/// millions of elements are refused after the first 100,000. One unit is about a nanosecond, as measured with librsvg 2.54
/// on drawings of all kinds: estimates are a third to the sevenfold of the time of a drawing that takes noticeable time.
///
/// In one file, since shapes in another one would open all of its state to the module.
struct SVGCost {
  /// About ten seconds.
  static let unitLimit = 1e10
  /// The most pixels of temporary surfaces at once: 1 GiB.
  private static let livePixelLimit = 1 << 28

  /// What an element takes from its parents.
  struct Context {
    /// The values of inherited properties, and of others for `inherit`.
    var values: [String: [String]] = [:]
    /// How many pixels a unit of length covers at most.
    var scale: Double
    /// Whether each unit of length is one pixel, and begins with it.
    var isOnPixels = false
    /// The longer side of the viewport in user units.
    var viewport: Double
    var text = SVGTextSize()
    var depth = 0
  }

  private static let inherited = [
    "fill", "stroke", "marker", "marker-start", "marker-mid", "marker-end", "stroke-dasharray", "stroke-width",
    "stroke-linecap",
  ]
  private static let forced = ["filter", "mask", "clip-path"]
  /// Those that make an element a layer.
  private static let layering = ["opacity", "mix-blend-mode", "isolation"]
  /// Those that change the context of an element. Most have none.
  private static let properties = Set(inherited + forced + layering + SVGTextSize.properties + ["transform"])
  /// Drawn only where something refers to them.
  static let definitions: Set = [
    "defs", "symbol", "clipPath", "mask", "pattern", "marker", "linearGradient", "radialGradient", "filter", "style",
    "title", "desc", "metadata", "script",
  ]

  let tree: SVGTree
  private(set) var styles = SVGStyles()
  /// The size of the temporary surfaces.
  private let canvas: PixelSize
  private let livePixelLimit: Int
  private var units = 0.0
  private var elementCount = 0
  /// Those of the paths that were drawn: references can draw them often.
  private var extents: [Int: SVGPathExtent] = [:]
  /// The elements that values refer to.
  private var targets: [String: [Int]] = [:]
  var livePixelCount = 0.0
  /// Elements that are being drawn; librsvg does not draw them again inside themselves.
  var active: Set<Int> = []

  var pixelCount: Double { Double(canvas.pixelCount) }

  /// Adds the work of a drawing to what was used before.
  ///
  /// - Throws: `ImageDecodingError.unsupportedFeature` if a limit is exceeded.
  static func check(
    _ tree: SVGTree, drawing: SVGDrawing, _ budget: inout SVGBudget
  ) throws(ImageDecodingError) {
    let (size, canvas) = (drawing.size, drawing.layout.canvasSize)
    var cost = SVGCost(tree, canvas: canvas, limits: drawing.limits)
    cost.units = budget.units
    try cost.allocate(Double(budget.embeddedPixelCount))
    try cost.chargeText()
    try cost.chargeSelectors()
    cost.styles = SVGStyles(tree, properties: properties)
    let scale = max(Double(canvas.width) / size.width, Double(canvas.height) / size.height)
    var context = Context(scale: scale, viewport: max(size.width, size.height))
    context.isOnPixels = drawing.layout.isOnPixels(size) && tree.elements[0]["viewBox"] == nil
    try cost.draw(0, in: context)
    budget.units = cost.units
  }

  private init(_ tree: SVGTree, canvas: PixelSize, limits: ImageLimits) {
    self.tree = tree
    self.canvas = canvas
    livePixelLimit = min(Self.livePixelLimit / 4, limits.pixelCount) * 4
  }

  mutating func charge(_ units: Double) throws(ImageDecodingError) {
    self.units += units
    // Not a number is refused, too.
    guard self.units <= Self.unitLimit else {
      throw SVGSanitizer.refused(
        "paths, filters, masks, patterns or selectors that take too long to draw on \(canvas) pixels")
    }
  }

  mutating func allocate(_ pixels: Double) throws(ImageDecodingError) {
    livePixelCount += pixels
    guard livePixelCount <= Double(livePixelLimit) else {
      throw SVGSanitizer.refused("layers, masks or patterns of over \(livePixelLimit) pixels at once")
    }
  }

  /// librsvg parses the whole document, but images are decoded as such.
  private mutating func chargeText() throws(ImageDecodingError) {
    let count = tree.elements.reduce(0) { sum, element in
      let attributes = element.attributes.reduce(0) {
        $0 + $1.name.utf8.count + ($1.name == "href" ? $1.value.utf8.count / 16 : $1.value.utf8.count)
      }
      return sum + 20 + attributes + element.style.reduce(0) { $0 + $1.value.utf8.count + 20 }
    }
    try charge(250 * Double(count))
  }

  /// Every selector is tried on every element.
  private mutating func chargeSelectors() throws(ImageDecodingError) {
    let count = Double(tree.elements.count)
    var depths: [Double] = []
    for element in tree.elements { depths.append(element.parent.map { depths[$0] + 1 } ?? 1) }
    let depth = depths.max() ?? 1
    for selector in tree.rules.lazy.flatMap(\.selectors) {
      // A combinator tries all ancestors or all siblings, but those before it do not begin again for each.
      var steps = 1.0
      if selector.ancestorCount > 0 { steps *= depth * Double(min(selector.ancestorCount, 3)) }
      if selector.siblingCount > 0 { steps *= max(1, count / 4) * Double(min(selector.siblingCount, 3)) }
      try charge(count * (Double(selector.byteCount) * 5 + (steps > 1 ? steps * 60 : 0)))
    }
  }

  mutating func visit(_ index: Int, _ context: Context) throws(ImageDecodingError) {
    guard context.depth <= SVGParser.depthLimit else { throw SVGSanitizer.refused(SVGParser.tooDeep) }
    elementCount += 1
    guard elementCount <= SVGParser.elementLimit else { throw SVGSanitizer.refused(SVGParser.tooManyElements) }
    try charge(500 + 20 * Double(styles.byteCount(of: index)))
  }

  /// Adds the work of an element that is drawn where it stands, or where `use` refers to it.
  mutating func draw(_ index: Int, in outer: Context) throws(ImageDecodingError) {
    guard active.insert(index).inserted else { return }
    defer { active.remove(index) }
    try visit(index, outer)
    let element = tree.elements[index]
    let context = context(of: index, in: outer)
    let live = livePixelCount
    defer { livePixelCount = live }
    try chargeLayer(index, context)
    switch element.name {
    case "path", "line", "polyline", "polygon", "rect", "circle", "ellipse": try drawShape(index, context)
    case "text", "tspan", "tref", "a":
      try drawText(index, context)
    case "image":
      let box = try box(of: index, text: context.text)
      let pixels = (box?.width ?? .infinity) * (box?.height ?? .infinity) * context.scale * context.scale
      try charge(9 * (pixels < pixelCount ? pixels : pixelCount))
    case "use":
      var inner = deeper(context)
      enlargeViewport(of: element, &inner)
      if let target = target(element["href"]) { try draw(target, in: inner) }
    default: break
    }
    try drawChildren(of: index, deeper(context))
  }

  private mutating func drawChildren(of index: Int, _ context: Context) throws(ImageDecodingError) {
    for case .element(let child) in tree.elements[index].children
    where !Self.definitions.contains(tree.elements[child].name) {
      try draw(child, in: context)
    }
  }

  func deeper(_ context: Context) -> Context {
    var context = context
    context.depth += 1
    return context
  }

  func target(_ link: String?) -> Int? {
    guard let link, link.utf8.first == UInt8(ascii: "#") else { return nil }
    return tree.identifiers[String(Substring(link.utf8.dropFirst()))]
  }

  mutating func targets(_ values: [String]?) -> [Int] {
    guard let values, !values.isEmpty else { return [] }
    return values.flatMap { value in
      if let known = targets[value] { return known }
      let found = (SVGDeclaration.references(in: value) ?? []).compactMap { tree.identifiers[$0] }
      targets[value] = found
      return found
    }
  }

  /// The context inside an element.
  private func context(of index: Int, in outer: Context) -> Context {
    var context = outer
    let element = tree.elements[index]
    if styles.affects(index) {
      readStyles(of: index, in: outer, &context)
    } else {
      for property in Self.forced where context.values[property] != nil { context.values[property] = nil }
    }
    if element.name == "svg" || element.name == "symbol" { fitViewBox(of: element, &context) }
    if styles.affects(index) || index == 0 {
      context.text = SVGTextSize(of: index, styles, in: context.text, viewport: context.viewport)
    }
    return context
  }

  private func readStyles(of index: Int, in outer: Context, _ context: inout Context) {
    for property in Self.inherited {
      let values = styles.values(of: property, for: index)
      guard !values.isEmpty else { continue }
      if styles.isPlain(property, for: index) {
        context.values[property] = values
      } else {
        context.values[property] = Array(Set((outer.values[property] ?? []) + values))
      }
    }
    for property in Self.forced {
      let values = styles.values(of: property, for: index)
      guard !values.isEmpty else {
        context.values[property] = nil
        continue
      }
      let inherits = values.contains { $0.lowercased().utf8.contains("inherit".utf8) }
      context.values[property] = inherits ? Array(Set((outer.values[property] ?? []) + values)) : values
    }
    for transform in styles.values(of: "transform", for: index) {
      context.scale *= max(SVGTransform.enlargement(transform), .leastNonzeroMagnitude)
      context.isOnPixels = false
    }
  }

  /// Enlarges by the ratio of a viewport to its view box.
  private func fitViewBox(of element: SVGTree.Element, _ context: inout Context) {
    if element.parent == nil {
      guard element["viewBox"] != nil else { return }
      context.scale = 1
      return Self.fitViewBox(of: element, into: (Double(canvas.width), Double(canvas.height)), &context)
    }
    enlargeViewport(of: element, &context)
    Self.fitViewBox(of: element, into: (context.viewport, context.viewport), &context)
  }

  private func enlargeViewport(of element: SVGTree.Element, _ context: inout Context) {
    context.isOnPixels = false
    for text in ["width", "height"].compactMap({ element[$0] }) {
      context.viewport = max(context.viewport, SVGNumbers.length(text, viewport: context.viewport))
    }
  }

  private static func fitViewBox(
    of element: SVGTree.Element, into size: (width: Double, height: Double), _ context: inout Context
  ) {
    guard let text = element["viewBox"], case let box = SVGNumbers.all(in: text), box.count == 4, box[2] > 0, box[3] > 0
    else { return }
    context.scale *= max(size.width / box[2], size.height / box[3])
    context.isOnPixels = false
    context.viewport = max(box[2], box[3])
  }
}

// Layers: surfaces as large as the canvas.
extension SVGCost {
  private mutating func chargeLayer(_ index: Int, _ context: Context) throws(ImageDecodingError) {
    guard styles.affects(index) else { return }
    let filters = (context.values["filter"] ?? []).filter { $0 != "none" }
    let masks = targets(context.values["mask"])
    var isLayer = !filters.isEmpty || !masks.isEmpty
    for clip in targets(context.values["clip-path"]) {
      isLayer = isLayer || tree.elements[clip]["clipPathUnits"] == "objectBoundingBox"
      try drawReferenced(clip, from: context)
    }
    if styles.values(of: "opacity", for: index).contains(where: { Double($0) != 1 }) { isLayer = true }
    if Self.layering.dropFirst().contains(where: { !styles.values(of: $0, for: index).isEmpty }) { isLayer = true }
    guard isLayer else { return }
    try allocate(pixelCount)
    let isBlended = styles.values(of: "mix-blend-mode", for: index).contains { $0 != "normal" }
    try charge(pixelCount * (isBlended ? 12 : 1))
    for mask in masks {
      let live = livePixelCount
      try allocate(pixelCount * 3)
      try charge(pixelCount * 10)
      try drawReferenced(mask, from: context)
      livePixelCount = live
    }
    guard !filters.isEmpty else { return }
    let box = try box(of: index, text: context.text)
    let size = box.map { ($0.width, $0.height) } ?? size(of: index, context)
    for filter in filters { try chargeFilter(filter, context, size: size) }
  }

  /// Adds the work of the children of a mask, clip path, marker or pattern, which inherit from its own parents.
  private mutating func drawReferenced(
    _ index: Int, from context: Context, adjust: (inout Context) -> Void = { _ in }
  ) throws(ImageDecodingError) {
    guard active.insert(index).inserted else { return }
    defer { active.remove(index) }
    var inner = context
    inner.values = [:]
    inner.text = SVGTextSize()
    let scale = inner.scale
    var parents: [Int] = []
    var parent = tree.elements[index].parent
    while let current = parent {
      parents.append(current)
      parent = tree.elements[current].parent
    }
    for parent in parents.reversed() { inner = self.context(of: parent, in: inner) }
    (inner.scale, inner.viewport, inner.isOnPixels) = (scale, context.viewport, false)
    inner.depth = context.depth + 1
    try visit(index, inner)
    let live = livePixelCount
    defer { livePixelCount = live }
    inner = self.context(of: index, in: inner)
    // Content in units of a bounding box can be enlarged by any factor.
    let element = tree.elements[index]
    if [element["maskContentUnits"], element["clipPathUnits"]].contains("objectBoundingBox") {
      inner.scale = .infinity
    }
    adjust(&inner)
    try chargeLayer(index, inner)
    try drawChildren(of: index, deeper(inner))
  }
}

// Shapes and what they are painted with.
extension SVGCost {
  private mutating func drawShape(_ index: Int, _ context: Context) throws(ImageDecodingError) {
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
      try chargeArea("stroke", context, size: size, area: width < size.0 + size.1 ? strokeArea : .infinity)
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
  /// - Parameter area: In pixels, at most; not a number is that of the whole canvas.
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

  /// How much the content of a marker is enlarged at most.
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

  /// The largest value of a length that is inherited, 1 if there is none.
  private func largestLength(of property: String, _ context: Context) -> Double {
    (context.values[property] ?? []).map { SVGNumbers.length($0, viewport: context.viewport) }.reduce(1, max)
  }

  /// The shortest length of a dash with its gap in user units; `nil` for solid lines.
  private func dashPeriod(_ value: String, _ context: Context) -> Double? {
    guard value.utf8.contains(where: { (0x30...0x39).contains($0) }) else { return nil }
    let lengths = value.utf8.split { $0 <= 0x20 || $0 == UInt8(ascii: ",") }
      .map { SVGNumbers.length(String(Substring($0)), viewport: context.viewport) }
    // Lengths in units of the font may be any; librsvg draws no dashes if the sum is 0.
    let sum = lengths.allSatisfy(\.isFinite) ? lengths.reduce(0, +) * 2 / Double(lengths.count) : .leastNonzeroMagnitude
    return sum > 0 ? sum : nil
  }

  mutating func extent(of index: Int) -> SVGPathExtent? {
    if let extent = extents[index] { return extent }
    let extent = SVGPathExtent(of: tree.elements[index])
    extents[index] = extent
    return extent
  }

  private mutating func drawText(_ index: Int, _ context: Context) throws(ImageDecodingError) {
    for child in tree.elements[index].children {
      guard case .text(let text) = child else { continue }
      let letter = min(context.text.letter * context.scale, Double(canvas.height))
      try charge(Double(text.utf8.count) * (15_000 + 500 * letter))
      try context.text.check(text, scale: context.scale)
      let area = Double(text.utf8.count) * letter * letter
      for paint in ["fill", "stroke"] where paints(paint, context) {
        try chargeArea(paint, context, size: (.infinity, .infinity), area: area)
      }
    }
    if let target = target(tree.elements[index]["href"]) {
      try draw(target, in: deeper(context))
    }
  }

  /// The size of a shape without a path, in user units; infinite for other elements.
  private func size(of index: Int, _ context: Context) -> (Double, Double) {
    func length(_ name: String) -> Double {
      styles.values(of: name, for: index).map { SVGNumbers.length($0, viewport: context.viewport) }.max() ?? 0
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
