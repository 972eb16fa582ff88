import Foundation

/// Maps rows of high-dynamic-range colours to 8 bits.
///
/// In linear light of BT.2020, all channels are multiplied by the gain of the ``ToneCurve`` for the largest one, which keeps
/// the hue. After conversion to the primaries of the result, channels below 0 and above 1 are cut off, as in browsers.
/// Before that, colours with a channel above 1 are mixed with a little grey, so that saturated highlights keep their order.
///
/// Safe from any thread.
package final class ToneMapper: Sendable {
  /// The bits of a sample; finer steps of PQ would be invisible.
  package static let depth = 12
  package static let largestSample = (1 << depth) - 1

  private static let bt2020Luminances = Chromaticities.bt2020.luminances
  /// The smallest share at which steps of saturated colours differ up to the peak.
  private static let greyShare: Float = 0.1

  private let light: [Float]
  /// By the luminance of the largest channel.
  private let gains: LogarithmicTable
  /// For hybrid log-gamma, by the luminance.
  private let systemGamma: LogarithmicTable?
  private let toBT2020: ColorMatrix?
  private let fromBT2020: ColorMatrix
  private let luminances: SIMD3<Float>

  package init(_ range: HighDynamicRange) {
    (light, systemGamma) = range.transfer == .hlg ? (Tables.hlg, Tables.systemGamma) : (Tables.pq, nil)
    let curve = ToneCurve(peak: range.peak)
    // Up to reference white the gain does not change.
    gains = LogarithmicTable(from: 1, octaves: 6, precision: 10) { curve.gain($0) }
    let source = range.chromaticities
    toBT2020 = source == .bt2020 ? nil : ColorMatrix(from: source, to: .bt2020)
    fromBT2020 = ColorMatrix(from: .bt2020, to: range.target.chromaticities)
    luminances = range.target.chromaticities.luminances
  }

  /// Maps a row of planes with ``depth`` bits.
  ///
  /// - Parameters:
  ///   - planes: Red, green, blue and, if there is a fourth, alpha, by which the colours are multiplied.
  ///   - pixels: `count` pixels of premultiplied RGBA.
  package func convert(_ planes: [UnsafePointer<UInt16>], count: Int, into pixels: UnsafeMutablePointer<UInt32>) {
    guard planes.count > 3 else { return convert(planes[0], planes[1], planes[2], count: count, into: pixels) }
    let (red, green, blue, alphas) = (planes[0], planes[1], planes[2], planes[3])
    forEachPart(of: count) { strip, light, levels, start, columns in
      for column in columns {
        let alpha = Int(alphas[start &+ column])
        func straight(_ plane: UnsafePointer<UInt16>) -> Float { light[Self.straight(plane[start &+ column], alpha)] }
        strip[column] = RGBLight(red: straight(red), green: straight(green), blue: straight(blue))
      }
      linearize(strip)
      map(strip)
      for column in columns {
        let opacity =
          (UInt32(alphas[start &+ column]) * 255 + UInt32(Self.largestSample / 2)) / UInt32(Self.largestSample)
        pixels[start &+ column] = (strip.color(column, levels) | min(opacity, 255) << 24).littleEndian
      }
    }
    AlphaMath.premultiply(UnsafeMutableRawPointer(pixels).assumingMemoryBound(to: UInt8.self), count: count)
  }

  private func convert(
    _ red: UnsafePointer<UInt16>, _ green: UnsafePointer<UInt16>, _ blue: UnsafePointer<UInt16>, count: Int,
    into pixels: UnsafeMutablePointer<UInt32>
  ) {
    forEachPart(of: count) { strip, light, levels, start, columns in
      for column in columns {
        func sample(_ plane: UnsafePointer<UInt16>) -> Float {
          light[min(Int(plane[start &+ column]), Self.largestSample)]
        }
        strip[column] = RGBLight(red: sample(red), green: sample(green), blue: sample(blue))
      }
      linearize(strip)
      map(strip)
      for column in columns {
        pixels[start &+ column] = (strip.color(column, levels) | 0xFF00_0000).littleEndian
      }
    }
  }

  /// Maps a row of RGBA with 16 bits a channel to RGBA with 8, both with straight alpha.
  package func convert(_ source: UnsafePointer<UInt16>, count: Int, to target: UnsafeMutablePointer<UInt8>) {
    forEachPart(of: count) { strip, light, levels, start, columns in
      let source = source + start &* 4
      for column in columns {
        let pixel = source + column &* 4
        strip[column] = RGBLight(
          red: light[Int(pixel[0] >> 4)], green: light[Int(pixel[1] >> 4)], blue: light[Int(pixel[2] >> 4)])
      }
      linearize(strip)
      map(strip)
      let target = UnsafeMutableRawPointer(target + start &* 4)
      for column in columns {
        let opacity = (UInt32(source[column &* 4 &+ 3]) &* 255 &+ 32_767) / 65_535
        let color = strip.color(column, levels) | opacity << 24
        target.storeBytes(of: color.littleEndian, toByteOffset: column &* 4, as: UInt32.self)
      }
    }
  }

  /// Maps a row of the half floats of a bitmap to the bytes of one.
  ///
  /// - Precondition: The primaries of the signal are those of Display P3.
  package func convert(halves source: UnsafePointer<UInt16>, count: Int, to target: UnsafeMutablePointer<UInt8>) {
    forEachPart(of: count) { strip, _, levels, start, columns in
      let source = source + start &* 4
      for column in columns {
        let pixel = source + column &* 4
        let scale = 1 / HalfFloat.number(pixel[3]).atLeast(.leastNormalMagnitude)
        func light(_ channel: Int) -> Float { HalfFloat.number(pixel[channel]) * scale }
        strip[column] = RGBLight(red: light(0), green: light(1), blue: light(2))
      }
      linearize(strip)
      map(strip)
      let target = UnsafeMutableRawPointer(target + start &* 4)
      for column in columns {
        let alpha = HalfFloat.number(source[column &* 4 &+ 3])
        let opacity = (alpha * 255).atLeast(0).atMost(255).inLowerBits.wholeNumber
        let color = strip.color(column, levels) | UInt32(opacity) << 24
        target.storeBytes(of: color.littleEndian, toByteOffset: column &* 4, as: UInt32.self)
      }
    }
    AlphaMath.premultiply(target, count: count)
  }

  /// Maps a row of RGBA in floating-point numbers from 0 to 1 to RGBA with 8 bits and straight alpha.
  ///
  /// - Parameter isPremultiplied: Whether the colours of the source are multiplied by alpha.
  package func convert(
    _ source: UnsafePointer<Float>, isPremultiplied: Bool, count: Int, to target: UnsafeMutablePointer<UInt8>
  ) {
    let largest = Float(Self.largestSample)
    forEachPart(of: count) { strip, light, levels, start, columns in
      let source = source + start &* 4
      for column in columns {
        let pixel = source + column &* 4
        let scale = isPremultiplied ? largest / pixel[3].atLeast(.leastNormalMagnitude) : largest
        func sample(_ channel: Int) -> Float {
          light[(pixel[channel] * scale).atLeast(0).atMost(largest).inLowerBits.wholeNumber]
        }
        strip[column] = RGBLight(red: sample(0), green: sample(1), blue: sample(2))
      }
      linearize(strip)
      map(strip)
      let target = UnsafeMutableRawPointer(target + start &* 4)
      for column in columns {
        let opacity = (source[column &* 4 &+ 3] * 255).atLeast(0).atMost(255).inLowerBits.wholeNumber
        let color = strip.color(column, levels) | UInt32(opacity) << 24
        target.storeBytes(of: color.littleEndian, toByteOffset: column &* 4, as: UInt32.self)
      }
    }
  }

  @inline(__always)
  private static func straight(_ sample: UInt16, _ alpha: Int) -> Int {
    alpha == 0 ? 0 : min((Int(sample) * largestSample + alpha / 2) / alpha, largestSample)
  }

  /// - Parameter body: Sets the light of a strip, maps it, and writes its levels. The columns are relative to the
  ///   start.
  private func forEachPart(
    of count: Int,
    _ body: (
      _ strip: LightStrip, _ light: UnsafeBufferPointer<Float>, _ levels: UnsafeBufferPointer<UInt8>, _ start: Int,
      _ columns: Range<Int>
    ) -> Void
  ) {
    light.withUnsafeBufferPointer { light in
      SRGBTransferFunction.levels.withUnsafeBufferPointer { levels in
        LightStrip.withStrip { strip in
          for start in stride(from: 0, to: count, by: LightStrip.count) {
            body(strip, light, levels, start, 0..<min(LightStrip.count, count - start))
          }
        }
      }
    }
  }

  /// Converts what samples stand for to linear light of BT.2020, in which 1 is reference white.
  private func linearize(_ strip: LightStrip) {
    if let toBT2020 { strip.map { light, _ in toBT2020(light) } }
    guard let systemGamma else { return }
    let luminances = Self.bt2020Luminances
    strip.setFactors(from: systemGamma) { $0.weighted(by: luminances) }
    strip.map { $0 * $1 }
  }

  /// Maps linear light of BT.2020 to steps of ``SRGBTransferFunction``.
  private func map(_ strip: LightStrip) {
    strip.setFactors(from: gains) { $0.largest }
    let (fromBT2020, luminances) = (fromBT2020, luminances)
    strip.map { light, gain in fromBT2020(light * gain) }
    strip.map { light, _ in
      // A share of grey that is proportional to the excess would show as an edge where it begins, since low levels are
      // steep in sRGB; so it grows with the square. It reaches 1 for pixels over the stated peak.
      let excess = (light.largest - 1).atLeast(0)
      let share = (Self.greyShare * excess * excess).atMost(1)
      let grey = light.weighted(by: luminances) * share
      let scale = Float(SRGBTransferFunction.stepCount)
      return light.map { (($0 * (1 - share) + grey).atMost(1) * scale).inLowerBits }
    }
  }
}

private enum Tables {
  /// The luminance of PQ samples, relative to reference white.
  static let pq = bySample { value in
    let (m1, m2) = (2610.0 / 16_384, 2523.0 / 32)
    let (c1, c2, c3) = (3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)
    let power = pow(value, 1 / m2)
    let light = pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1)
    return light * HighDynamicRange.highestPeak / HighDynamicRange.referenceWhite
  }

  /// The scene light of hybrid log-gamma samples, from 0 to 1.
  static let hlg = bySample { value in
    let a = 0.178_832_77
    let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
    return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
  }

  /// The factor of scene light with a luminance for a display of 1,000 cd/m², relative to reference white.
  static let systemGamma = LogarithmicTable(from: 1 / 65_536, octaves: 16, precision: 8) { luminance in
    HighDynamicRange.defaultPeak / HighDynamicRange.referenceWhite * pow(luminance, 0.2)
  }

  private static func bySample(_ function: (_ value: Double) -> Double) -> [Float] {
    (0...ToneMapper.largestSample).map { Float(function(Double($0) / Double(ToneMapper.largestSample))) }
  }
}
