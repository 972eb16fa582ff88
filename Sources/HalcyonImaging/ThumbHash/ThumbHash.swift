import Foundation

/// A blurred placeholder of an image in up to 25 bytes, with transparency and aspect ratio.
///
/// The format is ThumbHash by Evan Wallace (github.com/evanw/thumbhash), which other programs read and write: the first
/// coefficients of a cosine transform of lightness, two chroma channels, and alpha. The older BlurHash contains neither
/// alpha nor the aspect ratio.
///
/// ```swift
/// let hash = ThumbHash(image.bitmap)
/// let placeholder = try hash.bitmap()
/// ```
public struct ThumbHash: Hashable, Sendable {
  /// The encoded hash, for storage and transmission.
  public let bytes: [UInt8]

  /// Creates a hash from its encoded bytes; `nil` if they are invalid.
  public init?(bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes.prefix(26))
    guard bytes.count >= 5 else { return nil }
    self.bytes = bytes
    let sides = 1...7
    guard sides.contains(Int(bytes[3] & 7)), bytes.count == Layout(self).byteCount else { return nil }
  }

  /// Creates a hash from its ``text``; `nil` if it is invalid.
  public init?(_ text: String) {
    guard let bytes = Data(base64Encoded: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// The hash in Base64, at most 36 characters: for JSON and databases.
  public var text: String { Data(bytes).base64EncodedString() }

  init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Whether parts of the image are transparent.
  package var hasAlpha: Bool { bytes[2] & 0x80 != 0 }

  /// The approximate width of the image divided by its height, from 1/7 to 7: for layouts before the image is loaded.
  public var aspectRatio: Double {
    let (longer, shorter) = (hasAlpha ? 5.0 : 7.0, Double(bytes[3] & 7))
    return isLandscape ? longer / shorter : shorter / longer
  }

  var isLandscape: Bool { bytes[4] & 0x80 != 0 }

  /// The number and the position of the coefficients.
  struct Layout {
    /// The columns and rows of lightness coefficients.
    let lightness: (width: Int, height: Int)
    let hasAlpha: Bool
    /// The offset in bytes of the first coefficient; each has 4 bits.
    let start: Int

    init(_ hash: ThumbHash) {
      hasAlpha = hash.hasAlpha
      let (longer, shorter) = (hasAlpha ? 5 : 7, max(3, Int(hash.bytes[3] & 7)))
      lightness = hash.isLandscape ? (longer, shorter) : (shorter, longer)
      start = hasAlpha ? 6 : 5
    }

    var byteCount: Int {
      let count = ThumbHash.frequencies(width: lightness.width, height: lightness.height).count
      // 5 coefficients for each of two chroma channels, and 14 for alpha.
      return start + (count + 2 * 5 + (hasAlpha ? 14 : 0) + 1) / 2
    }
  }

  /// The pairs of frequencies that are stored: a triangle of the lowest ones without the mean.
  static func frequencies(width: Int, height: Int) -> [(x: Int, y: Int)] {
    (0..<height).flatMap { y in
      (0..<width).compactMap { x in
        x + y > 0 && x * height < width * (height - y) ? (x, y) : nil
      }
    }
  }
}
