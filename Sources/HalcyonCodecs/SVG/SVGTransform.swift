#if SVG && !IMAGEIO
import Foundation

/// A list of transforms.
struct SVGTransform {
  /// The images of (1, 0), (0, 1) and (0, 0), the last as an offset.
  private(set) var (x, y, origin) = (SIMD2(1.0, 0.0), SIMD2(0.0, 1.0), SIMD2(0.0, 0.0))

  /// Reads a list in user units and degrees; `nil` if there is anything else.
  init?(_ text: String) {
    for (name, numbers) in Self.parts(of: text) {
      guard let part = SVGTransform(name: name, numbers) else { return nil }
      (x, y, origin) = (image(part.x), image(part.y), point(part.origin))
    }
  }

  private init?(name: String, _ numbers: [Double]) {
    func number(_ index: Int, _ other: Double) -> Double { index < numbers.count ? numbers[index] : other }
    guard let first = numbers.first else { return nil }
    switch name {
    case "translate": origin = SIMD2(first, number(1, 0))
    case "scale": (x.x, y.y) = (first, number(1, first))
    case "rotate":
      let (sine, cosine) = (sin(first * .pi / 180), cos(first * .pi / 180))
      (x, y) = (SIMD2(cosine, sine), SIMD2(-sine, cosine))
      let centre = SIMD2(number(1, 0), number(2, 0))
      origin = centre - image(centre)
    case "skewx": y.x = tan(first * .pi / 180)
    case "skewy": x.y = tan(first * .pi / 180)
    case "matrix" where numbers.count == 6:
      (x, y, origin) = (SIMD2(first, numbers[1]), SIMD2(numbers[2], numbers[3]), SIMD2(numbers[4], numbers[5]))
    default: return nil
    }
  }

  /// The image of a vector.
  private func image(_ vector: SIMD2<Double>) -> SIMD2<Double> { x * vector.x + y * vector.y }

  func point(_ point: SIMD2<Double>) -> SIMD2<Double> { image(point) + origin }

  /// The largest factor by which a list of transforms enlarges.
  static func enlargement(_ text: String) -> Double {
    var result = 1.0
    for (name, numbers) in parts(of: text) {
      switch name {
      case "rotate", "translate", "translatex", "translatey": continue
      case "scale", "scalex", "scaley": result *= numbers.map(abs).max() ?? .infinity
      case "matrix": result *= numbers.prefix(4).reduce(0) { $0 + $1 * $1 }.squareRoot()
      case "skewx", "skewy", "skew":
        // In degrees; other units can only be written in style sheets.
        if ["rad", "turn"].contains(where: text.lowercased().contains) { return .infinity }
        for angle in numbers { result *= 1 + abs(tan(angle * .pi / 180)) }
      default: return .infinity
      }
    }
    return result
  }

  private static func parts(of text: String) -> [(name: String, numbers: [Double])] {
    text.utf8.split(separator: UInt8(ascii: ")")).compactMap { part in
      guard let open = part.firstIndex(of: UInt8(ascii: "(")) else { return nil }
      let name = part[..<open].filter { (0x61...0x7A).contains($0 | 0x20) }
      return (String(decoding: name, as: UTF8.self).lowercased(), SVGNumbers.all(in: String(Substring(part[open...]))))
    }
  }
}
#endif
