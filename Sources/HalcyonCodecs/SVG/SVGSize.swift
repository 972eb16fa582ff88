#if SVG && !IMAGEIO
import HalcyonImaging

/// The size of a document in pixels, computed as in browsers; it can be fractional.
struct SVGSize: Hashable, Sendable, Codable {
  private static let defaultWidth = 300.0
  private static let defaultHeight = 150.0
  /// Larger than any limit accepts, and far from overflow.
  private static let largest = 1e9

  let width: Double
  let height: Double

  /// Rounded to whole pixels; a side above 0 is at least 1 pixel.
  var pixels: PixelSize {
    func whole(_ length: Double) -> Int { length > 0 ? Int(max(1, length.rounded())) : 0 }
    return PixelSize(width: whole(width), height: whole(height))
  }

  /// - Parameter attributes: The attributes of the root element.
  init(attributes: [String: String]) {
    let width = attributes["width"].flatMap(Self.length)
    let height = attributes["height"].flatMap(Self.length)
    let box = attributes["viewBox"].flatMap(Self.box)
    switch (width, height, box) {
    case (let width?, nil, let box?): self.init(width: width, height: width * box.height / box.width)
    case (nil, let height?, let box?): self.init(width: height * box.width / box.height, height: height)
    case (nil, nil, let box?): self.init(width: box.width, height: box.height)
    default: self.init(width: width ?? Self.defaultWidth, height: height ?? Self.defaultHeight)
    }
  }

  init(width: Double, height: Double) {
    (self.width, self.height) = (min(width, Self.largest), min(height, Self.largest))
  }

  /// A length in pixels; `nil` if it is relative to the viewport or invalid.
  private static func length(_ text: String) -> Double? {
    let (value, unit) = SVGNumbers.split(text)
    guard let value, value.isFinite, value >= 0, let factor = factors[unit] else { return nil }
    return value * factor
  }

  private static let factors: [String: Double] = [
    "": 1, "px": 1, "pt": 96 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "em": 16,
    "rem": 16, "ex": 8,
  ]

  private static func box(_ text: String) -> (width: Double, height: Double)? {
    guard let values = SVGNumbers.list(text), values.count == 4, values[2] > 0, values[3] > 0,
      values.allSatisfy(\.isFinite)
    else { return nil }
    return (values[2], values[3])
  }
}
#endif
