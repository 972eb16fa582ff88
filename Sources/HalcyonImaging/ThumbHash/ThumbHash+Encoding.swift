import Foundation

extension ThumbHash {
  /// Creates the placeholder of an image, in well under a millisecond regardless of its size.
  public init(_ bitmap: Bitmap) {
    self.init(PlaceholderSamples(bitmap))
  }

  init(_ samples: PlaceholderSamples) {
    let (width, height) = (samples.size.width, samples.size.height)
    let longer = Double(max(width, height))
    let limit = samples.hasAlpha ? 5.0 : 7.0
    let columns = max(1, Self.rounded(limit * Double(width) / longer))
    let rows = max(1, Self.rounded(limit * Double(height) / longer))
    let planes = samples.planes()
    let lightness = Transform(planes.lightness, samples.size, width: max(3, columns), height: max(3, rows))
    let yellowBlue = Transform(planes.yellowBlue, samples.size, width: 3, height: 3)
    let redGreen = Transform(planes.redGreen, samples.size, width: 3, height: 3)
    let alpha = samples.hasAlpha ? Transform(samples.alpha, samples.size, width: 5, height: 5) : nil

    let isLandscape = width > height
    var head = UInt64(Self.rounded(63 * lightness.mean))
    head |= UInt64(Self.rounded(31.5 + 31.5 * yellowBlue.mean)) << 6
    head |= UInt64(Self.rounded(31.5 + 31.5 * redGreen.mean)) << 12
    head |= UInt64(Self.rounded(31 * lightness.scale)) << 18
    head |= (samples.hasAlpha ? 1 : 0) << 23
    head |= UInt64(isLandscape ? rows : columns) << 24
    head |= UInt64(Self.rounded(63 * yellowBlue.scale)) << 27
    head |= UInt64(Self.rounded(63 * redGreen.scale)) << 33
    head |= UInt64(isLandscape ? 1 : 0) << 39
    var bytes = (0..<5).map { UInt8(truncatingIfNeeded: head >> (8 * $0)) }
    if let alpha { bytes.append(UInt8(Self.rounded(15 * alpha.mean) | Self.rounded(15 * alpha.scale) << 4)) }
    let nibbles = [lightness, yellowBlue, redGreen, alpha].flatMap { $0?.nibbles ?? [] }
    for start in stride(from: 0, to: nibbles.count, by: 2) {
      bytes.append(nibbles[start] | (start + 1 < nibbles.count ? nibbles[start + 1] << 4 : 0))
    }
    self.init(unchecked: bytes)
  }

  /// Rounds to nearest, halves up, as in the reference implementation.
  private static func rounded(_ value: Double) -> Int { Int((value + 0.5).rounded(.down)) }

  /// The low frequencies of one channel.
  private struct Transform {
    var mean = 0.0
    /// The largest magnitude of the stored coefficients.
    var scale = 0.0
    private var coefficients: [Double] = []

    init(_ plane: [Double], _ size: PixelSize, width: Int, height: Int) {
      let horizontal = Self.cosines(count: width, length: size.width)
      let vertical = Self.cosines(count: height, length: size.height)
      // Separable: horizontal frequencies of each row first, then vertical ones.
      var rows = [Double](repeating: 0, count: size.height * width)
      for y in 0..<size.height {
        for frequency in 0..<width {
          var sum = 0.0
          for x in 0..<size.width { sum += plane[y * size.width + x] * horizontal[frequency * size.width + x] }
          rows[y * width + frequency] = sum
        }
      }
      func coefficient(_ x: Int, _ y: Int) -> Double {
        (0..<size.height).reduce(0) { $0 + rows[$1 * width + x] * vertical[y * size.height + $1] }
          / Double(size.width * size.height)
      }
      mean = coefficient(0, 0)
      coefficients = ThumbHash.frequencies(width: width, height: height).map { coefficient($0.x, $0.y) }
      scale = coefficients.reduce(0) { max($0, abs($1)) }
    }

    /// The coefficients in 4 bits each, as fractions of the largest.
    var nibbles: [UInt8] {
      coefficients.map { UInt8(ThumbHash.rounded(15 * (scale > 0 ? 0.5 + 0.5 / scale * $0 : $0))) }
    }

    private static func cosines(count: Int, length: Int) -> [Double] {
      (0..<count).flatMap { frequency in
        let step = Double.pi / Double(length) * Double(frequency)
        return (0..<length).map { cos(step * (Double($0) + 0.5)) }
      }
    }
  }
}
