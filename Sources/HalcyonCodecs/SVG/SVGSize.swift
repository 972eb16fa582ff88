#if SVG
import HalcyonImaging
import Foundation

/// The size that a drawing asks for, as browsers take it.
struct SVGSize {
  private static let defaultWidth = 300.0
  private static let defaultHeight = 150.0
  /// More than any limit accepts, and far from overflow.
  private static let largest = 1e9

  let pixels: PixelSize

  init(attributes: [String: String]) {
    let width = attributes["width"].flatMap(Self.length)
    let height = attributes["height"].flatMap(Self.length)
    let box = attributes["viewBox"].flatMap(Self.box)
    switch (width, height, box) {
    case (let width?, let height?, _): pixels = Self.size(width, height)
    case (let width?, nil, let box?): pixels = Self.size(width, width * box.height / box.width)
    case (nil, let height?, let box?): pixels = Self.size(height * box.width / box.height, height)
    case (nil, nil, let box?): pixels = Self.size(box.width, box.height)
    default: pixels = Self.size(width ?? Self.defaultWidth, height ?? Self.defaultHeight)
    }
  }

  /// Parts of a pixel count as a whole one where there is no other.
  private static func size(_ width: Double, _ height: Double) -> PixelSize {
    func whole(_ length: Double) -> Int { length > 0 ? Int(max(1, min(length, largest).rounded())) : 0 }
    return PixelSize(width: whole(width), height: whole(height))
  }

  /// A length in pixels; `nil` where it depends on the surroundings or makes no sense.
  static func length(_ text: String) -> Double? {
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    let number = trimmed.prefix { $0.isNumber || "+-.eE".contains($0) }
    // The e of em and ex is none of the number.
    let digits = number.last?.lowercased() == "e" ? number.dropLast() : number
    guard let value = Double(digits), value.isFinite, value >= 0,
      let factor = factors[trimmed.dropFirst(digits.count).lowercased()]
    else { return nil }
    return value * factor
  }

  private static let factors: [String: Double] = [
    "": 1, "px": 1, "pt": 96 / 72, "pc": 16, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "em": 16,
    "rem": 16, "ex": 8,
  ]

  private static func box(_ text: String) -> (width: Double, height: Double)? {
    let values = text.split { $0 == "," || $0.isWhitespace }.compactMap { Double($0) }
    guard values.count == 4, values[2] > 0, values[3] > 0, values.allSatisfy(\.isFinite) else { return nil }
    return (values[2], values[3])
  }
}
#endif
