#if SVG && !IMAGEIO
import Foundation
import HalcyonImaging

/// How large the letters of an element are at most, in user units.
///
/// Pango measures text in 1/1024 of a unit with 32 bits. librsvg 2.54 traps where that overflows.
struct SVGTextSize {
  /// The most units that a run of text may be long, if its letters are as wide as high. Pango's limit is 2,097,151; some
  /// letters are twelve times as wide.
  private static let lengthLimit = 160_000.0

  /// More than the initial value of librsvg, 12.
  private var font = 16.0
  /// The font size of the root element.
  private var root = 16.0
  private var letterSpacing = 0.0

  init() {}

  /// - Parameter inherited: That of the parent.
  init(of index: Int, _ styles: SVGStyles, in inherited: SVGTextSize, viewport: Double) {
    let lengths =
      styles.values(of: "font-size", for: index) + Self.lengths(inFonts: styles.values(of: "font", for: index))
    // librsvg ignores values that it does not understand, and a rule may match and not apply: then it is inherited.
    let least = styles.isNumber("font-size", for: index) ? 0 : inherited.font
    let (outer, outerRoot) = (inherited.font, inherited.root)
    let size = lengths.map { Self.length($0, inherited: outer, font: outer, root: outerRoot, viewport) }
      .reduce(least, max)
    font = size
    root = index == 0 ? size : outerRoot
    letterSpacing = styles.values(of: "letter-spacing", for: index)
      .map { Self.length($0, inherited: inherited.letterSpacing, font: size, root: outerRoot, viewport) }
      .reduce(inherited.letterSpacing, max)
  }

  /// - Throws: `ImageDecodingError.unsupportedFeature` if the text may be too long.
  func check(_ text: String) throws(ImageDecodingError) {
    // Not a number is refused, too.
    guard Double(text.unicodeScalars.count) * (font + letterSpacing) <= Self.lengthLimit else {
      throw SVGSanitizer.refused("a line of text of over \(Int(Self.lengthLimit)) units")
    }
  }

  /// The parts of values of `font` that may be its size: all with digits but the weight and the height of lines.
  private static func lengths(inFonts values: [String]) -> [String] {
    values.flatMap { value in
      var parts = value.split(whereSeparator: \.isWhitespace).map { $0.prefix { $0 != "/" } }
        .filter { $0.contains(where: \.isNumber) }
      if parts.count > 1, let weight = parts.firstIndex(where: { Int($0).map { (1...1000).contains($0) } ?? false }) {
        parts.remove(at: weight)
      }
      return parts.map { String($0) }
    }
  }

  /// An upper bound for a length. Not understood: infinity, or what is inherited if it is no number.
  private static func length(
    _ text: String, inherited: Double, font: Double, root: Double, _ viewport: Double
  ) -> Double {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
    guard text.contains(where: \.isNumber) else { return keywords[text] ?? max(inherited, font * 1.2) }
    for (unit, size) in [("rem", root), ("em", font), ("ex", font), ("ch", font), ("%", font / 100)]
    where text.hasSuffix(unit) {
      guard let value = Double(text.dropLast(unit.count).trimmingCharacters(in: .whitespaces)) else { return .infinity }
      return abs(value) * size
    }
    return SVGNumbers.length(text, viewport: viewport)
  }

  /// Keywords for sizes that are not relative.
  private static let keywords = Dictionary(
    uniqueKeysWithValues: ["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large"].map { ($0, 32.0) })
}
#endif
