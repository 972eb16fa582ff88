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
  /// The largest font size, in user units and in pixels. FreeType refuses 65,536: then cairo's font face, which all
  /// threads share, is in an error state, and other drawings with that font fail.
  private static let fontLimit = 32_000.0

  /// The properties that it depends on.
  static let properties = ["font-size", "font", "letter-spacing"]

  /// librsvg's initial value is smaller: 12.
  private var font = 16.0
  /// The font size of the root element.
  private var root = 16.0
  private var letterSpacing = 0.0

  /// The largest width of a letter with its spacing, and about its height.
  var letter: Double { font + letterSpacing }

  init() {}

  /// - Parameter inherited: The text size of the parent.
  init(of index: Int, _ styles: SVGStyles, in inherited: SVGTextSize, viewport: Double) {
    let lengths =
      styles.values(of: "font-size", for: index) + Self.lengths(inFonts: styles.values(of: "font", for: index))
    // The size may be inherited: librsvg ignores values that it does not understand, and a rule that matches may not
    // apply.
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

  /// The largest size of a run of text in user units: letters as wide as high, and combining marks on top of each
  /// other.
  func box(of text: String, isHorizontal: Bool) -> (width: Double, height: Double) {
    let count = text.unicodeScalars.count + 1
    let marks = text.utf8.count { $0 >= 0xC0 }
    return (Double(count) * letter, Double(isHorizontal ? min(count, marks + 2) : count) * letter)
  }

  /// - Parameter scale: How many pixels a unit covers at most.
  /// - Throws: `ImageDecodingError.unsupportedFeature` if the text may be too long or too large.
  func check(_ text: String, scale: Double) throws(ImageDecodingError) {
    // Not a number is refused, too.
    guard Double(text.unicodeScalars.count) * (font + letterSpacing) <= Self.lengthLimit else {
      throw SVGSanitizer.refused("a line of text of over \(Int(Self.lengthLimit)) units")
    }
    guard font <= Self.fontLimit, font * scale <= Self.fontLimit else {
      throw SVGSanitizer.refused("letters of over \(Int(Self.fontLimit)) units or pixels")
    }
  }

  /// The parts of values of `font` that may be its size: all parts with digits, except the weight and the line height.
  private static func lengths(inFonts values: [String]) -> [String] {
    values.flatMap { value in
      var parts = value.utf8.split { $0 <= 0x20 }.map { Substring($0.prefix { $0 != UInt8(ascii: "/") }) }
        .filter { $0.utf8.contains { (0x30...0x39).contains($0) } }
      if parts.count > 1, let weight = parts.firstIndex(where: { Int($0).map { (1...1000).contains($0) } ?? false }) {
        parts.remove(at: weight)
      }
      return parts.map { String($0) }
    }
  }

  /// An upper bound for a length; infinity if it is not understood, or the inherited length if it is not a number.
  private static func length(
    _ text: String, inherited: Double, font: Double, root: Double, _ viewport: Double
  ) -> Double {
    let text = SVGStyleScanner.trimmed(Array(text.utf8)[...]).lowercased()
    guard text.utf8.contains(where: { (0x30...0x39).contains($0) }) else {
      return keywords[text] ?? max(inherited, font * 1.2)
    }
    for (unit, size) in [("rem", root), ("em", font), ("ex", font), ("ch", font), ("%", font / 100)]
    where text.utf8.suffix(unit.utf8.count).elementsEqual(unit.utf8) {
      let number = Array(text.utf8.dropLast(unit.utf8.count))
      guard let value = Double(SVGStyleScanner.trimmed(number[...])) else { return .infinity }
      return abs(value) * size
    }
    return SVGNumbers.length(text, viewport: viewport)
  }

  /// Keywords for sizes that are not relative.
  private static let keywords = Dictionary(
    uniqueKeysWithValues: ["xx-small", "x-small", "small", "medium", "large", "x-large", "xx-large"].map { ($0, 32.0) })
}
#endif
