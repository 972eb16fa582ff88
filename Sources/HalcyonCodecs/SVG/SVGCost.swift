#if SVG && !IMAGEIO
import HalcyonImaging

/// Estimates the work and the memory of a drawing before librsvg draws it, and refuses one that takes too much.
///
/// Walks the elements in the order in which librsvg draws them, with references expanded, so a few lines that expand to
/// millions of elements are refused after the first 100,000. One unit is about a nanosecond, as measured with librsvg
/// 2.54 on drawings of all kinds: estimates are 0.3 to 7 times the measured time of drawings that take noticeable time.
struct SVGCost {
  /// About ten seconds.
  static let unitLimit = 1e10
  /// The most pixels of temporary surfaces at once: 1 GiB.
  private static let livePixelLimit = 1 << 28

  /// The values that an element inherits from its parents.
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

    /// An upper bound for the magnitude of a length in user units; infinite if it is not known.
    func length(_ text: String) -> Double {
      let (value, unit) = SVGNumbers.split(text)
      if let value, ["em", "ex", "ch"].contains(unit) { return abs(value) * self.text.letter }
      return SVGNumbers.length(text, viewport: viewport)
    }
  }

  private static let inherited = [
    "fill", "stroke", "marker", "marker-start", "marker-mid", "marker-end", "stroke-dasharray", "stroke-width",
    "stroke-linecap",
  ]
  private static let forced = ["filter", "mask", "clip-path"]
  /// Properties that make an element a layer.
  private static let layering = ["opacity", "mix-blend-mode", "isolation"]
  /// Properties that change the context of an element. Most elements have none.
  private static let properties = Set(inherited + forced + layering + SVGTextSize.properties + ["transform"])
  /// Elements that are drawn only where something refers to them.
  static let definitions: Set = [
    "defs", "symbol", "clipPath", "mask", "pattern", "marker", "linearGradient", "radialGradient", "filter", "style",
    "title", "desc", "metadata", "script",
  ]

  let tree: SVGTree
  private(set) var styles = SVGStyles()
  /// The size of the temporary surfaces.
  let canvas: PixelSize
  private let livePixelLimit: Int
  /// Whether no text runs from top to bottom.
  let isHorizontal: Bool
  var units = 0.0
  var elementCount = 0
  /// The extents of the paths that were drawn: references can draw them often.
  var extents: [Int: SVGPathExtent] = [:]
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
    cost.styles = try SVGStyles(tree, properties: properties)
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
    isHorizontal =
      !tree.elements.contains { $0["writing-mode"] != nil || $0.style.contains { $0.name == "writing-mode" } }
      && !tree.rules.contains { $0.declarations.contains { $0.name == "writing-mode" } }
  }

  mutating func charge(_ units: Double) throws(ImageDecodingError) {
    self.units += units
    // NaN is refused too.
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

  /// librsvg parses the whole document; `data:` URLs of images are decoded, not parsed.
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
      // A combinator tries all ancestors or all siblings; the ones before it do not start over for each of them.
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

  /// Multiplies the scale by the ratio of a viewport to its view box.
  func fitViewBox(of element: SVGTree.Element, _ context: inout Context) {
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

  static func fitViewBox(
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
      try drawReferenced(clip, from: context, on: index)
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
      try drawReferenced(mask, from: context, on: index)
      livePixelCount = live
    }
    guard !filters.isEmpty else { return }
    let size = try boxSize(of: index, context)
    for filter in filters { try chargeFilter(filter, context, size: size) }
  }

  /// The sides of the rectangle that an element covers at most; infinite if they are not known.
  private mutating func boxSize(
    of index: Int, _ context: Context
  ) throws(ImageDecodingError) -> (width: Double, height: Double) {
    // A mask on a mask is in units of the element that is masked.
    guard !Self.definitions.contains(tree.elements[index].name) else { return (.infinity, .infinity) }
    let box = try box(of: index, text: context.text)
    return box.map { ($0.width, $0.height) } ?? size(of: index, context)
  }

  /// Adds the work of the children of a mask, clip path, marker or pattern, which inherit from its own parents.
  ///
  /// - Parameter element: That with the mask or the clip path.
  mutating func drawReferenced(
    _ index: Int, from context: Context, on element: Int? = nil, adjust: (inout Context) -> Void = { _ in }
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
    if let element, isInBoxUnits(index) {
      let box = try boxSize(of: element, context)
      (inner.scale, inner.viewport) = (inner.scale * max(box.width, box.height), 1)
    }
    adjust(&inner)
    try chargeLayer(index, inner)
    try drawChildren(of: index, deeper(inner))
  }

  /// Whether the content of a mask or a clip path is in units of the rectangle of the element that has it.
  private func isInBoxUnits(_ index: Int) -> Bool {
    ["maskContentUnits", "clipPathUnits"].contains { tree.elements[index][$0] == "objectBoundingBox" }
  }
}
#endif
