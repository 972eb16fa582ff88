/// A blurred stand-in for an image in up to 25 bytes, transparency and shape included: shown while the image is not there.
///
/// The bytes are those of ThumbHash by Evan Wallace (github.com/evanw/thumbhash), so other programs read and write them:
/// the first coefficients of a cosine transform of lightness, two differences of colour, and alpha. BlurHash, which is
/// older, has no alpha and does not know the shape.
public struct ThumbHash: Hashable, Sendable {
  /// The bytes, as they are stored and sent.
  public let bytes: [UInt8]

  /// Takes bytes that came from elsewhere; `nil` when they are no such hash.
  public init?(bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes.prefix(26))
    guard bytes.count >= 5 else { return nil }
    self.bytes = bytes
    let sides = 1...7
    guard sides.contains(Int(bytes[3] & 7)), bytes.count == Layout(self).byteCount else { return nil }
  }

  init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether some of the image is transparent.
  public var hasAlpha: Bool { bytes[2] & 0x80 != 0 }

  /// About the width of the image divided by its height, from 1/7 to 7.
  public var aspectRatio: Double {
    let (longer, shorter) = (hasAlpha ? 5.0 : 7.0, Double(bytes[3] & 7))
    return isLandscape ? longer / shorter : shorter / longer
  }

  var isLandscape: Bool { bytes[4] & 0x80 != 0 }

  /// How many coefficients there are of each kind, and where.
  struct Layout {
    /// Columns and rows of the coefficients of lightness.
    let lightness: (width: Int, height: Int)
    let hasAlpha: Bool
    /// Where the first of the coefficients of four bits lies.
    let start: Int

    init(_ hash: ThumbHash) {
      hasAlpha = hash.hasAlpha
      let (longer, shorter) = (hasAlpha ? 5 : 7, max(3, Int(hash.bytes[3] & 7)))
      lightness = hash.isLandscape ? (longer, shorter) : (shorter, longer)
      start = hasAlpha ? 6 : 5
    }

    var byteCount: Int {
      let count = ThumbHash.frequencies(width: lightness.width, height: lightness.height).count
      // Two differences of colour with five each, and alpha with fourteen.
      return start + (count + 2 * 5 + (hasAlpha ? 14 : 0) + 1) / 2
    }
  }

  /// The pairs of frequencies that are kept: a triangle in the corner of the low ones, the mean left out.
  static func frequencies(width: Int, height: Int) -> [(x: Int, y: Int)] {
    (0..<height).flatMap { y in
      (0..<width).compactMap { x in
        x + y > 0 && x * height < width * (height - y) ? (x, y) : nil
      }
    }
  }
}
