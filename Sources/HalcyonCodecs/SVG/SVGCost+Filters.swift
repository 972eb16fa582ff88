#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// Filters: each primitive is priced by the pixels of the canvas and by its own parameters.
extension SVGCost {
  /// - Parameter size: The size of the element in user units; infinite if it is not known.
  mutating func chargeFilter(
    _ value: String, _ context: Context, size: (width: Double, height: Double)
  ) throws(ImageDecodingError) {
    // All but references are functions, such as blur(2px).
    let references = SVGDeclaration.references(in: value)?.count ?? 0
    let functions = value.utf8.count { $0 == UInt8(ascii: "(") } - references
    try charge(pixelCount * 120 * Double(functions))
    for filter in targets([value]) {
      guard active.insert(filter).inserted else { continue }
      defer { active.remove(filter) }
      try visit(filter, deeper(context))
      let primitives = tree.elements[filter].elements
      let live = livePixelCount
      defer { livePixelCount = live }
      let results = Set(primitives.compactMap { tree.elements[$0]["result"] }).count
      try allocate(pixelCount * Double(results + 3))
      let region = regionPixelCount(of: tree.elements[filter], context, size: size)
      for primitive in primitives { try chargePrimitive(primitive, context, region: region) }
    }
  }

  /// How many pixels of the canvas a filter changes at most.
  private func regionPixelCount(
    of filter: SVGTree.Element, _ context: Context, size: (width: Double, height: Double)
  ) -> Double {
    let isRelative = filter["filterUnits"] != "userSpaceOnUse"
    func side(_ name: String, _ whole: Double) -> Double {
      let length = SVGNumbers.length(filter[name] ?? "120%", viewport: isRelative ? 1 : context.viewport)
      return (isRelative ? length * whole : length) * context.scale
    }
    // NaN also means the whole canvas.
    let pixels = (side("width", size.width) + 2) * (side("height", size.height) + 2)
    return pixels < pixelCount ? pixels : pixelCount
  }

  /// - Parameter region: The number of pixels that change; each primitive has a surface of the whole canvas.
  private mutating func chargePrimitive(
    _ index: Int, _ context: Context, region: Double
  ) throws(ImageDecodingError) {
    let element = tree.elements[index]
    try visit(index, context)
    let isRelative = element.parent.map { tree.elements[$0]["primitiveUnits"] } == "objectBoundingBox"
    func number(_ name: String, default value: Double) -> Double {
      element[name].map { SVGNumbers.all(in: $0).max() ?? value } ?? value
    }
    let work: Double =
      switch element.name {
      case "feTurbulence": 130 + 60 * number("numOctaves", default: 1)
      case "feDisplacementMap": 800
      case "feGaussianBlur", "feDropShadow": 120
      case "feMorphology":
        // librsvg limits radii to 10 pixels.
        6 * pow2(2 * min(10, number("radius", default: 0) * (isRelative ? .infinity : context.scale)) + 2)
      case "feConvolveMatrix": 70 + 6 * pow2(number("order", default: 3))
      case "feDiffuseLighting", "feSpecularLighting": 80
      case "feMerge": 30 * Double(element.elements.count)
      case "feFlood", "feOffset", "feTile": 10
      default: 50
      }
    try charge(pixelCount * 10 + region * work)
    if element.name == "feImage", let target = target(element["href"]) {
      try allocate(pixelCount * 2)
      try draw(target, in: deeper(context))
    }
  }

  private func pow2(_ value: Double) -> Double { value * value }
}
#endif
