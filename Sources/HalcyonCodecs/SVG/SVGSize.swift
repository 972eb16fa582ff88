#if SVG && !IMAGEIO
import HalcyonImaging

/// The size of a document in pixels, computed as in browsers; it can be fractional.
struct SVGSize: Hashable, Sendable, Codable {
  private static let defaultWidth = 300.0
  private static let defaultHeight = 150.0
  /// The initial font size in pixels.
  static let initialFontSize = 16.0
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
    let font = Self.fontSize(attributes)
    let width = attributes["width"].flatMap { Self.length($0, font: font) }
    let height = attributes["height"].flatMap { Self.length($0, font: font) }
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

  /// Whether a side of the root element is a length, rather than relative to the viewport or invalid.
  static func isLength(_ text: String) -> Bool { length(text, font: initialFontSize) != nil }

  /// A length in pixels; `nil` if it is relative to the viewport or invalid.
  private static func length(_ text: String, font: Double) -> Double? {
    let (value, unit) = SVGNumbers.split(text)
    guard let value, value.isFinite, value >= 0 else { return nil }
    switch unit {
    case "em", "rem": return value * font
    case "ex": return value * font / 2
    default: return factors[unit].map { value * $0 }
    }
  }

  /// The font size of the root element in pixels, by its own attributes.
  private static func fontSize(_ attributes: [String: String]) -> Double {
    let style = SVGDeclaration.list(SVGStyleScanner.withoutComments(attributes["style"] ?? ""))
    let text = style.last { $0.name == "font-size" }?.value ?? attributes["font-size"]
    return text.flatMap(fontPixels) ?? initialFontSize
  }

  /// A font size of the root element in pixels; `nil` if it is a keyword or invalid.
  static func fontPixels(_ text: String) -> Double? {
    let (value, unit) = SVGNumbers.split(text)
    return unit == "%" ? value.map { $0 * initialFontSize / 100 } : length(text, font: initialFontSize)
  }

  private static let factors: [String: Double] = [
    "": 1, "px": 1, "pt": 96 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6,
  ]

  private static func box(_ text: String) -> (width: Double, height: Double)? {
    guard let values = SVGNumbers.list(text), values.count == 4, values[2] > 0, values[3] > 0,
      values.allSatisfy(\.isFinite)
    else { return nil }
    return (values[2], values[3])
  }
}
#endif
