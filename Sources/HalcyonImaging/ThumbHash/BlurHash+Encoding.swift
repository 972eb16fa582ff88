import Foundation

extension BlurHash {
  /// Creates the placeholder of an image, in about a millisecond regardless of its size.
  ///
  /// Transparent pixels have the mean colour of the image. An image with a longer side over 100 pixels is sampled at 32
  /// of them, so its text differs slightly from the text of encoders that read every pixel.
  ///
  /// - Parameters:
  ///   - bitmap: The image.
  ///   - columns: The coefficients along the width, clamped to 1...9. Default: 4, for 28 characters with 3 rows.
  ///   - rows: The coefficients along the height, clamped to 1...9. Default: 3.
  public init(_ bitmap: Bitmap, columns: Int = 4, rows: Int = 3) {
    let samples = PlaceholderSamples(bitmap)
    let (columns, rows) = (min(max(columns, 1), 9), min(max(rows, 1), 9))
    let coefficients = Self.coefficients(of: samples, columns: columns, rows: rows)
    let largest = coefficients.dropFirst().reduce(0) { max($0, $1.max(), -$1.min()) }
    let scale = coefficients.count > 1 ? Int(max(0, min(82, (largest * 166 - 0.5).rounded(.down)))) : 0
    var text = Self.text(columns - 1 + (rows - 1) * 9, digits: 1) + Self.text(scale, digits: 1)
    text += Self.text(Self.packed(coefficients[0]), digits: 4)
    for coefficient in coefficients.dropFirst() {
      text += Self.text(Self.quantized(coefficient, scale: Double(scale + 1) / 166), digits: 2)
    }
    self.init(encoded: text)
  }

  private static func coefficients(of samples: PlaceholderSamples, columns: Int, rows: Int) -> [SIMD3<Double>] {
    let (size, colors) = (samples.size, samples.linearColors())
    return (0..<rows * columns).map { index in
      let (column, row) = (index % columns, index / columns)
      var sum = SIMD3<Double>.zero
      for y in 0..<size.height {
        let vertical = cos(.pi * Double(row * y) / Double(size.height))
        for x in 0..<size.width {
          let wave = cos(.pi * Double(column * x) / Double(size.width)) * vertical
          sum += colors[y * size.width + x] * wave
        }
      }
      return sum * ((index == 0 ? 1 : 2) / Double(size.width * size.height))
    }
  }

  private static func text(_ value: Int, digits count: Int) -> String {
    var (rest, text) = (value, [UInt8]())
    for _ in 0..<count {
      text.append(digits[rest % 83])
      rest /= 83
    }
    return String(decoding: text.reversed(), as: UTF8.self)
  }

  private static func packed(_ color: SIMD3<Double>) -> Int {
    (0..<3).reduce(0) { $0 << 8 | Int(SRGBTransferFunction.level(color[$1])) }
  }

  /// A digit of base 19 for each channel.
  private static func quantized(_ color: SIMD3<Double>, scale: Double) -> Int {
    (0..<3).reduce(0) { sum, channel in
      let height = color[channel]
      let root = (abs(height) / scale).squareRoot() * (height < 0 ? -1 : 1)
      return sum * 19 + Int(max(0, min(18, (root * 9 + 9.5).rounded(.down))))
    }
  }
}

extension PlaceholderSamples {
  fileprivate func linearColors() -> [SIMD3<Double>] {
    compositedColors().map { color in SIMD3((0..<3).map { SRGBTransferFunction.light(color[$0]) }) }
  }
}
