import Foundation

/// Sharpens the lightness of an image as libvips does, with its default limits: differences to the blurred lightness up to 2
/// are noise, larger ones are tripled, and the result is at most 10 lighter or 20 darker.
package struct SharpenLightnessProcessor: ImageProcessor {
  /// The standard deviation of the blur in pixels, above 0.
  private let sigma: Double

  package init(sigma: Double) { self.sigma = sigma }

  package var identifier: String { ProcessorIdentity("sharpen lightness").adding(sigma).text }

  /// Half of the blur's mask, from its middle to where the Gaussian curve falls to a tenth of its height, in whole
  /// numbers.
  private var mask: [Float] {
    var values: [Float] = []
    for distance in 0...1000 {
      let value = exp(-Double(distance * distance) / (2 * sigma * sigma))
      guard value >= 0.1 else { break }
      values.append(Float((20 * value).rounded()))
    }
    return values
  }

  package func process(_ bitmap: Bitmap) throws -> Bitmap {
    try (0...1000).check(sigma, "sharpening radius")
    let mask = mask
    // A mask of one pixel sharpens nothing.
    guard mask.count > 1 else { return bitmap }
    let (width, height) = (bitmap.size.width, bitmap.size.height)
    let lightness = Self.lightness(of: bitmap)
    let rows = try blurred(lightness, mask, width, height, step: (1, 0))
    let blurred = try blurred(rows, mask, width, height, step: (0, 1))
    return try bitmap.redrawn(size: bitmap.size, isOpaque: bitmap.isOpaque) { source, result in
      try Bitmap.inParts(of: source.count) { part in
        for index in part {
          let pixel = source[index]
          result[index] = pixel
          let change = Self.change(lightness[index] - blurred[index])
          guard change != 0 else { continue }
          let lighter = LabColor(red: pixel.x, green: pixel.y, blue: pixel.z)
            .rgb(lightness: lightness[index] + change)
          for channel in 0..<3 { result[index][channel] = min(lighter[channel], pixel.alpha) }
        }
      }
    }
  }

  private static func change(_ difference: Float) -> Float {
    let beyond = abs(difference) - 2
    guard beyond > 0 else { return 0 }
    return difference > 0 ? min(10, 3 * beyond) : -min(20, 3 * beyond)
  }

  private static func lightness(of bitmap: Bitmap) -> [Float] {
    bitmap.withUnsafeBytes { bytes in
      var values = [Float](repeating: 0, count: bitmap.size.pixelCount)
      for y in 0..<bitmap.size.height {
        for x in 0..<bitmap.size.width {
          let start = y * bitmap.bytesPerRow + x * 4
          values[y * bitmap.size.width + x] =
            LabColor(red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2]).lightness
        }
      }
      return values
    }
  }

  private func blurred(
    _ values: [Float], _ mask: [Float], _ width: Int, _ height: Int, step: (x: Int, y: Int)
  ) throws -> [Float] {
    let sum = mask.dropFirst().reduce(mask[0]) { $0 + 2 * $1 }
    let weights = mask.map { $0 / sum }
    var result = [Float](repeating: 0, count: values.count)
    for y in 0..<height {
      try checkCancellation()
      for x in 0..<width {
        var total = values[y * width + x] * weights[0]
        for distance in 1..<weights.count {
          let (dx, dy) = (distance * step.x, distance * step.y)
          let before = max(y - dy, 0) * width + max(x - dx, 0)
          let behind = min(y + dy, height - 1) * width + min(x + dx, width - 1)
          total += (values[before] + values[behind]) * weights[distance]
        }
        result[y * width + x] = total
      }
    }
    return result
  }
}

/// A colour in CIELAB, with the white of sRGB.
private struct LabColor {
  private let x, y, z: Float

  init(red: UInt8, green: UInt8, blue: UInt8) {
    let light = SRGBTransferFunction.lights
    let (red, green, blue) = (light[Int(red)], light[Int(green)], light[Int(blue)])
    x = Self.root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505)
    y = Self.root(0.2126 * red + 0.7152 * green + 0.0722 * blue)
    z = Self.root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089)
  }

  /// From 0 to 100.
  var lightness: Float { 116 * y - 16 }

  /// The components of the colour with another lightness.
  func rgb(lightness: Float) -> [UInt8] {
    let y = (min(max(lightness, 0), 100) + 16) / 116
    let change = y - self.y
    let (bigX, bigY, bigZ) = (Self.power(x + change) * 0.9505, Self.power(y), Self.power(z + change) * 1.089)
    return [
      3.2406 * bigX - 1.5372 * bigY - 0.4986 * bigZ, -0.9689 * bigX + 1.8758 * bigY + 0.0415 * bigZ,
      0.0557 * bigX - 0.2040 * bigY + 1.0570 * bigZ,
    ].map { (value: Float) in SRGBTransferFunction.level(Double(value)) }
  }

  private static func root(_ value: Float) -> Float { value > 0.008856 ? cbrt(value) : 7.787 * value + 16 / 116 }

  private static func power(_ value: Float) -> Float {
    value > 0.206893 ? value * value * value : (value - 16 / 116) / 7.787
  }
}
