import Foundation

extension Bitmap {
  /// The bitmap in a colour space, in which wider colours become the nearest ones; the bitmap itself if it has that space.
  ///
  /// Takes about 20 milliseconds for each megapixel.
  ///
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  public func converted(to target: ColorSpace) throws -> Bitmap {
    guard target != colorSpace else { return self }
    let conversion = ColorSpaceConversion(to: target)
    return try withUnsafeBytes { source in
      try Bitmap(size: size, isOpaque: isOpaque, colorSpace: target) { result in
        for start in stride(from: 0, to: result.count, by: 4) {
          let alpha = Int(source[start + 3])
          guard alpha > 0 else { continue }
          func straight(_ channel: Int) -> Int { min((Int(source[start + channel]) * 255 + alpha / 2) / alpha, 255) }
          let color = conversion.converted(straight(0), straight(1), straight(2))
          for channel in 0..<3 {
            result[start + channel] = UInt8((Int(color[channel]) * alpha + 127) / 255)
          }
          result[start + 3] = source[start + 3]
        }
      }
    }
  }
}

extension Bitmap {
  /// The bitmap in the space that a request asks for.
  package func converted(for target: TargetColorSpace) throws -> Bitmap {
    switch target {
    case .source: self
    case .sRGB: try converted(to: .sRGB)
    case .displayP3: try converted(to: .displayP3)
    }
  }
}

extension PixelColor {
  /// The channels of this sRGB colour in a colour space, for a processor that draws it.
  public func converted(to space: ColorSpace) -> PixelColor {
    guard space != .sRGB else { return self }
    let color = ColorSpaceConversion(to: space).converted(Int(red), Int(green), Int(blue))
    return PixelColor(red: color.x, green: color.y, blue: color.z, alpha: alpha)
  }
}

/// Converts colours between sRGB and Display P3.
struct ColorSpaceConversion {
  private static let scale: Float = 4095
  /// Linear light of 8-bit values.
  private static let light: [Float] = (0...255).map { index in
    let value = Float(index) / 255
    return value <= 0.04045 ? value / 12.92 : powf((value + 0.055) / 1.055, 2.4)
  }
  /// 8-bit values of linear light, by its square root, which spreads dark colours.
  private static let values: [UInt8] = (0...Int(scale)).map { index in
    let root = Float(index) / scale
    let light = root * root
    let value = light <= 0.003_130_8 ? 12.92 * light : 1.055 * powf(light, 1 / 2.4) - 0.055
    return UInt8((255 * value).rounded())
  }

  /// The light of red, green and blue in the other space.
  private let columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)

  /// - Parameter target: The other space is the source.
  init(to target: ColorSpace) {
    columns =
      switch target {
      case .displayP3:
        (
          SIMD3(0.822_462, 0.033_194_2, 0.017_082_6), SIMD3(0.177_538, 0.966_805_8, 0.072_397_4),
          SIMD3(0, 0, 0.910_519_9)
        )
      case .sRGB:
        (
          SIMD3(1.224_940_2, -0.042_057, -0.019_637_6), SIMD3(-0.224_940_2, 1.042_057, -0.078_636_1),
          SIMD3(0, 0, 1.098_273_6)
        )
      }
  }

  /// - Precondition: The values are in 0...255.
  func converted(_ red: Int, _ green: Int, _ blue: Int) -> SIMD3<UInt8> {
    let color = linear(SIMD3(Self.light[red], Self.light[green], Self.light[blue]))
    return SIMD3(Self.value(color.x), Self.value(color.y), Self.value(color.z))
  }

  /// Linear light in the target space; outside 0...1 if the target has no such colour.
  func linear(_ color: SIMD3<Float>) -> SIMD3<Float> {
    columns.0 * color.x + columns.1 * color.y + columns.2 * color.z
  }

  private static func value(_ light: Float) -> UInt8 {
    values[Int((light < 0 ? 0 : light > 1 ? 1 : light).squareRoot() * scale + 0.5)]
  }
}
