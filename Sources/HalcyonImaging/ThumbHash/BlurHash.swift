import Foundation

/// A blurred placeholder of an image as a short text that other services send, for example with a list of images.
///
/// The format is BlurHash by Wolt (blurha.sh): the first coefficients of a cosine transform of the colours in linear
/// light, as digits of base 83. It has neither transparency nor the aspect ratio of the image; ``ThumbHash``, which
/// Halcyon stores with images, has both.
public struct BlurHash: Hashable, Sendable {
  static let digits = Array(
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)
  private static let values = Dictionary(uniqueKeysWithValues: digits.enumerated().map { ($1, $0) })
  /// The longest text: 9 by 9 coefficients.
  private static let digitLimit = 4 + 2 * 81

  /// The encoded hash.
  public let text: String

  /// The number of coefficients in a row and in a column, 1 to 9 each.
  private let columns, rows: Int
  /// The coefficients in rows, in linear light.
  private let coefficients: [SIMD3<Double>]

  /// Creates a hash from its text; `nil` if it is invalid.
  public init?(_ text: String) {
    let digits = text.utf8.prefix(Self.digitLimit + 1).compactMap { Self.values[$0] }
    guard digits.count >= 6, digits.count == text.utf8.prefix(Self.digitLimit + 1).count else { return nil }
    (columns, rows) = (digits[0] % 9 + 1, digits[0] / 9 + 1)
    guard digits.count == 4 + 2 * columns * rows else { return nil }
    let mean = digits[2..<6].reduce(0) { $0 * 83 + $1 }
    guard mean <= 0xFF_FFFF else { return nil }
    let scale = Double(digits[1] + 1) / 166
    coefficients =
      [SIMD3([16, 8, 0].map { SRGBTransferFunction.light(Double(mean >> $0 & 255) / 255) })]
      + (1..<columns * rows).map { index in
        let value = digits[4 + 2 * index] * 83 + digits[5 + 2 * index]
        return SIMD3(Self.height(min(value / 361, 18)), Self.height(value / 19 % 19), Self.height(value % 19)) * scale
      }
    self.text = text
  }

  /// Creates a hash from the text of its encoder, which is always valid.
  init(encoded text: String) {
    guard let hash = BlurHash(text) else { preconditionFailure("“\(text)” is not a BlurHash") }
    self = hash
  }

  /// The average colour of the image, for example for a background.
  public var averageColor: PixelColor { Self.color(coefficients[0]) }

  /// The blurred image, with 32 pixels along its longer side.
  ///
  /// Takes about a millisecond.
  ///
  /// - Parameter aspectRatio: The width of the image divided by its height, above 0; the hash does not have it. Clamped to
  ///   1/32...32. Default: 1.
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public func bitmap(aspectRatio: Double = 1) throws -> Bitmap {
    let ratio = aspectRatio > 0 ? min(max(aspectRatio, 1 / 32), 32) : 1
    let size = PixelSize(
      width: Int((ratio > 1 ? 32 : 32 * ratio).rounded()), height: Int((ratio > 1 ? 32 / ratio : 32).rounded()))
    let (horizontal, vertical) = (waves(columns, length: size.width), waves(rows, length: size.height))
    return try Bitmap(size: size, isOpaque: true) { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let color = color(horizontal[x], vertical[y])
          let start = (y * size.width + x) * 4
          (pixels[start], pixels[start + 1], pixels[start + 2]) = (color.red, color.green, color.blue)
          pixels[start + 3] = 255
        }
      }
    }
  }

  /// The cosine waves of each frequency at each position.
  private func waves(_ count: Int, length: Int) -> [[Double]] {
    (0..<length).map { position in (0..<count).map { cos(.pi * Double(position * $0) / Double(length)) } }
  }

  private func color(_ horizontal: [Double], _ vertical: [Double]) -> PixelColor {
    var sum = SIMD3<Double>.zero
    for row in 0..<rows {
      for column in 0..<columns {
        sum += coefficients[row * columns + column] * (horizontal[column] * vertical[row])
      }
    }
    return Self.color(sum)
  }

  private static func color(_ light: SIMD3<Double>) -> PixelColor {
    PixelColor(
      red: SRGBTransferFunction.level(light.x), green: SRGBTransferFunction.level(light.y),
      blue: SRGBTransferFunction.level(light.z))
  }

  /// The height of a wave from its digit of base 19.
  private static func height(_ value: Int) -> Double {
    let value = Double(value - 9) / 9
    return value * abs(value)
  }
}
