import Foundation

extension ThumbHash {
  /// The blurred image, with 32 pixels along its longer side and its approximate aspect ratio.
  ///
  /// Takes a fraction of a millisecond.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public func bitmap() throws -> Bitmap {
    let ratio = aspectRatio
    let size = PixelSize(
      width: Int((ratio > 1 ? 32 : 32 * ratio).rounded()), height: Int((ratio > 1 ? 32 / ratio : 32).rounded()))
    let planes = Planes(self)
    return try Bitmap(size: size, isOpaque: !hasAlpha) { pixels in
      for y in 0..<size.height {
        for x in 0..<size.width {
          let (lightness, yellowBlue, redGreen, alpha) = planes.values(x, y, size)
          let (red, green, blue) = Self.color(lightness, yellowBlue, redGreen)
          let opacity = min(1, max(0, alpha))
          let start = (y * size.width + x) * 4
          for (index, value) in [red, green, blue].enumerated() {
            pixels[start + index] = Self.byte(min(1, max(0, value)) * opacity)
          }
          pixels[start + 3] = Self.byte(opacity)
        }
      }
    }
  }

  private static func byte(_ value: Double) -> UInt8 { UInt8((255 * min(1, max(0, value))).rounded()) }

  private static func color(
    _ lightness: Double, _ yellowBlue: Double, _ redGreen: Double
  ) -> (red: Double, green: Double, blue: Double) {
    let blue = lightness - 2 / 3 * yellowBlue
    let red = (3 * lightness - blue + redGreen) / 2
    return (red, red - redGreen, blue)
  }

  /// The means of the channels.
  private struct Head {
    let lightness, yellowBlue, redGreen, alpha: Double

    init(_ hash: ThumbHash) {
      let bits = hash.bytes[0..<3].reversed().reduce(0) { $0 << 8 | Int($1) }
      lightness = Double(bits & 63) / 63
      yellowBlue = Double(bits >> 6 & 63) / 31.5 - 1
      redGreen = Double(bits >> 12 & 63) / 31.5 - 1
      alpha = hash.hasAlpha ? Double(hash.bytes[5] & 15) / 15 : 1
    }
  }

  /// A coefficient and its frequencies.
  private typealias Wave = (x: Int, y: Int, height: Double)

  /// All channels as sums of cosine waves.
  private struct Planes {
    private let head: Head
    private let lightness, yellowBlue, redGreen, alpha: [Wave]

    init(_ hash: ThumbHash) {
      head = Head(hash)
      let layout = Layout(hash)
      let bytes = hash.bytes
      var index = 2 * layout.start
      func waves(_ width: Int, _ height: Int, scale: Double) -> [Wave] {
        ThumbHash.frequencies(width: width, height: height).map { frequency in
          defer { index += 1 }
          let nibble = bytes[index / 2] >> (index % 2 * 4) & 15
          return (frequency.x, frequency.y, (Double(nibble) / 7.5 - 1) * scale)
        }
      }
      let scales = Int(bytes[3]) | Int(bytes[4]) << 8
      lightness = waves(layout.lightness.width, layout.lightness.height, scale: Double(bytes[2] >> 2 & 31) / 31)
      // Chroma is amplified to compensate for quantisation.
      yellowBlue = waves(3, 3, scale: Double(scales >> 3 & 63) / 63 * 1.25)
      redGreen = waves(3, 3, scale: Double(scales >> 9 & 63) / 63 * 1.25)
      alpha = layout.hasAlpha ? waves(5, 5, scale: Double(bytes[5] >> 4) / 15) : []
    }

    func values(_ x: Int, _ y: Int, _ size: PixelSize) -> (Double, Double, Double, Double) {
      let columns = (0..<7).map { cos(.pi / Double(size.width) * (Double(x) + 0.5) * Double($0)) }
      let rows = (0..<7).map { 2 * cos(.pi / Double(size.height) * (Double(y) + 0.5) * Double($0)) }
      func sum(_ mean: Double, _ waves: [Wave]) -> Double {
        waves.reduce(mean) { $0 + $1.height * columns[$1.x] * rows[$1.y] }
      }
      return (
        sum(head.lightness, lightness), sum(head.yellowBlue, yellowBlue), sum(head.redGreen, redGreen),
        sum(head.alpha, alpha)
      )
    }
  }
}
