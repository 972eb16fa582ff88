#if !IMAGEIO
import Foundation
import HalcyonImaging

/// Maps rows of high-dynamic-range colours to 8 bits.
///
/// In linear light of BT.2020, all channels are multiplied by the gain of the ``ToneCurve`` for the largest one, which keeps
/// the hue. After conversion to the primaries of the result, channels below 0 and above 1 are cut off, as in browsers.
/// Before that, colours with a channel above 1 are mixed with a little grey, so that saturated highlights keep their order.
///
/// Safe from any thread.
final class ToneMapper: Sendable {
  /// The bits of a sample: with PQ, one more step would not be seen.
  static let depth = 12
  static let largestSample = (1 << depth) - 1

  private let light: [Float]
  private let gains: [Float]
  /// Luminances of the gains, from 0 to 1.
  private let gainScale: Float
  private let toBT2020: ColorMatrix?
  private let isHLG: Bool
  private let fromBT2020: ColorMatrix
  private let luminances: SIMD4<Float>

  init(_ range: HighDynamicRange) {
    isHLG = range.transfer == .hlg
    light = isHLG ? Tables.hlg : Tables.pq
    let luminance = isHLG ? HighDynamicRange.defaultPeak : HighDynamicRange.highestPeak
    let highest = luminance / HighDynamicRange.referenceWhite
    gainScale = Float(1 / highest)
    let curve = ToneCurve(peak: range.peak)
    gains = Tables.bySquareRoot { Float(curve.gain($0 * highest)) }
    let source = range.chromaticities
    toBT2020 = source == .bt2020 ? nil : ColorMatrix(from: source, to: .bt2020)
    let target: Chromaticities = range.target == .displayP3 ? .displayP3 : .bt709
    fromBT2020 = ColorMatrix(from: .bt2020, to: target)
    luminances = target.luminances
  }

  /// Maps a row of planes with ``depth`` bits.
  ///
  /// - Parameters:
  ///   - planes: Red, green, blue and, if there is a fourth, alpha, by which the colours are multiplied.
  ///   - pixels: `count` pixels of premultiplied RGBA.
  func convert(_ planes: [UnsafePointer<UInt16>], count: Int, into pixels: UnsafeMutablePointer<UInt32>) {
    let (red, green, blue) = (planes[0], planes[1], planes[2])
    withSampler { sampler in
      guard planes.count > 3 else {
        for column in 0..<count {
          let color = sampler.color(Int(red[column]), Int(green[column]), Int(blue[column]))
          pixels[column] = (color | 0xFF00_0000).littleEndian
        }
        return
      }
      for column in 0..<count {
        let alpha = Int(planes[3][column])
        let color = sampler.color(
          Self.straight(red[column], alpha), Self.straight(green[column], alpha), Self.straight(blue[column], alpha))
        let opacity = (alpha * 255 + Self.largestSample / 2) / Self.largestSample
        pixels[column] = (color | UInt32(opacity) << 24).littleEndian
      }
      let bytes = UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt8.self)
      AlphaMath.premultiply(bytes, count: count)
    }
  }

  /// Maps a row of RGBA with 16 bits a channel to RGBA with 8, both with straight alpha.
  ///
  /// - Parameter isPremultiplied: Whether the colours of the source are multiplied by alpha.
  func convert(
    _ source: UnsafePointer<UInt16>, isPremultiplied: Bool = false, count: Int, to target: UnsafeMutablePointer<UInt8>
  ) {
    withSampler { sampler in
      for column in 0..<count {
        let (pixel, output) = (source + column * 4, target + column * 4)
        let alpha = isPremultiplied ? Int(pixel[3]) >> 4 : Self.largestSample
        let color = sampler.color(
          Self.straight(pixel[0] >> 4, alpha), Self.straight(pixel[1] >> 4, alpha), Self.straight(pixel[2] >> 4, alpha))
        output[0] = UInt8(truncatingIfNeeded: color)
        output[1] = UInt8(truncatingIfNeeded: color >> 8)
        output[2] = UInt8(truncatingIfNeeded: color >> 16)
        output[3] = UInt8(truncatingIfNeeded: (UInt32(pixel[3]) * 255 + 32_767) / 65_535)
      }
    }
  }

  @inline(__always)
  private static func straight(_ sample: UInt16, _ alpha: Int) -> Int {
    if alpha == largestSample { return min(Int(sample), largestSample) }
    return alpha == 0 ? 0 : min((Int(sample) * largestSample + alpha / 2) / alpha, largestSample)
  }

  private func withSampler(_ body: (Sampler) -> Void) {
    light.withUnsafeBufferPointer { light in
      gains.withUnsafeBufferPointer { gains in
        Tables.systemGamma.withUnsafeBufferPointer { systemGamma in
          Tables.encoded.withUnsafeBufferPointer { encoded in
            guard let light = light.baseAddress, let gains = gains.baseAddress,
              let systemGamma = systemGamma.baseAddress, let encoded = encoded.baseAddress
            else { return }
            body(
              Sampler(
                light: light, gains: gains, systemGamma: isHLG ? systemGamma : nil, encoded: encoded,
                gainScale: gainScale, toBT2020: toBT2020, fromBT2020: fromBT2020, luminances: luminances))
          }
        }
      }
    }
  }
}

/// Maps single colours with tables that are valid during a call.
private struct Sampler {
  static let bt2020Luminances = Chromaticities.bt2020.luminances
  /// The least with which the steps of saturated colours differ up to the peak.
  private static let greyShare: Float = 0.1

  let light: UnsafePointer<Float>
  let gains: UnsafePointer<Float>
  /// For hybrid log-gamma.
  let systemGamma: UnsafePointer<Float>?
  let encoded: UnsafePointer<UInt8>
  let gainScale: Float
  let toBT2020: ColorMatrix?
  let fromBT2020: ColorMatrix
  let luminances: SIMD4<Float>
  let sourceLuminances = Self.bt2020Luminances

  /// Red in the lowest byte, then green and blue.
  @inline(__always)
  func color(_ red: Int, _ green: Int, _ blue: Int) -> UInt32 {
    var color = SIMD4(light[red], light[green], light[blue], 0)
    if let toBT2020 { color = toBT2020(color).nonnegative }
    if let systemGamma { color *= systemGamma[Tables.index((color * sourceLuminances).total)] }
    color *= gains[Tables.index(color.largest * gainScale)]
    color = fromBT2020(color).nonnegative
    let largest = color.largest
    if largest > 1 { color = desaturated(color, largest) }
    return sample(color.x) | sample(color.y) << 8 | sample(color.z) << 16
  }

  @inline(__always)
  private func sample(_ light: Float) -> UInt32 { UInt32(encoded[Tables.index(light)]) }

  /// The colour with a share of the grey of its luminance that grows with the square of what is cut off: a share in
  /// proportion to it would be seen as an edge where it begins, since low levels are steep in sRGB.
  @inline(__always)
  private func desaturated(_ color: SIMD4<Float>, _ largest: Float) -> SIMD4<Float> {
    let luminance = (color * luminances).total
    return color + (luminance - color) * (Self.greyShare * (largest - 1) * (largest - 1))
  }
}

/// Red, green and blue. The functions of the standard library are not specialized for vectors.
extension SIMD4<Float> {
  @inline(__always)
  fileprivate var largest: Float {
    let first = x > y ? x : y
    return first > z ? first : z
  }

  @inline(__always)
  fileprivate var total: Float { x + y + z }

  @inline(__always)
  fileprivate var nonnegative: SIMD4<Float> { replacing(with: 0, where: self .< 0) }
}

/// Functions as tables: of samples, and of the square root of linear light, which spreads dark values.
private enum Tables {
  static let scale = Float(ToneMapper.largestSample)

  /// The luminance of PQ samples, relative to reference white.
  static let pq = bySample { value in
    let (m1, m2) = (2610.0 / 16_384, 2523.0 / 32)
    let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)
    let power = pow(value, 1 / m2)
    let light = pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    return Float(light * HighDynamicRange.highestPeak / HighDynamicRange.referenceWhite)
  }

  /// The scene light of hybrid log-gamma samples, from 0 to 1.
  static let hlg = bySample { value in
    let a = 0.178_832_77
    let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
    return Float(value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12)
  }

  /// What scene light of a luminance is multiplied by for a display of 1,000 cd/m², relative to reference white.
  static let systemGamma = bySquareRoot { luminance in
    Float(HighDynamicRange.defaultPeak / HighDynamicRange.referenceWhite * pow(luminance, 0.2))
  }

  /// The transfer function of sRGB and Display P3, in 8 bits.
  static let encoded: [UInt8] = bySquareRoot { light in
    UInt8((255 * (light <= 0.003_130_8 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)).rounded())
  }

  static func bySquareRoot<Value>(_ function: (_ value: Double) -> Value) -> [Value] {
    (0...ToneMapper.largestSample).map { index in
      let root = Double(index) / Double(ToneMapper.largestSample)
      return function(root * root)
    }
  }

  /// The index of a value of `bySquareRoot`; values above 1 count as 1.
  @inline(__always)
  static func index(_ value: Float) -> Int { Int((value < 1 ? value : 1).squareRoot() * scale + 0.5) }

  private static func bySample(_ function: (_ value: Double) -> Float) -> [Float] {
    (0...ToneMapper.largestSample).map { function(Double($0) / Double(ToneMapper.largestSample)) }
  }
}
#endif
