import Foundation

/// Maps rows of high-dynamic-range colours to 8 bits, or to half floats, which keep the range.
///
/// Samples become linear light, mostly of BT.2020. Half floats are that light in Display P3. For 8 bits, all channels are multiplied
/// by the gain of the ``ToneCurve`` for the largest one, which keeps the hue. After conversion to the primaries of the result, channels below 0 and above 1 are cut off, as in browsers.
/// Before that, colours with a channel above 1 are mixed with a little grey, so that saturated highlights keep their order.
///
/// Safe from any thread.
package final class ToneMapper: Sendable {
  private static let bt2020Luminances = Chromaticities.bt2020.luminances
  /// The smallest share at which steps of saturated colours differ up to the peak.
  private static let greyShare: Float = 0.1

  /// Whether the result is bytes or half floats.
  package let dynamicRange: DynamicRange
  private let largestSample: Int
  /// The linear light of each sample.
  private let light: [Float]
  /// The gain, by the luminance of the largest channel.
  private let gains: LogarithmicTable
  /// The system gamma of hybrid log-gamma, by the luminance.
  private let systemGamma: LogarithmicTable?
  private let toBT2020: ColorMatrix?
  private let toTarget: ColorMatrix
  private let luminances: SIMD3<Float>

  package init(_ range: HighDynamicRange) {
    (dynamicRange, largestSample) = (range.targetRange, range.largestSample)
    (light, systemGamma) = (range.light, range.transfer == .hlg ? systemGammaOfHLG : nil)
    let curve = ToneCurve(peak: range.peak)
    // Up to reference white the gain does not change.
    gains = LogarithmicTable(from: 1, octaves: 6, precision: 10) { curve.gain($0) }
    let source = range.chromaticities
    // Light that is kept is not converted to BT.2020 first: channels of 0 would become a little brighter.
    let isDirect = range.targetRange == .high && range.transfer == .pq
    toBT2020 = isDirect || source == .bt2020 ? nil : ColorMatrix(from: source, to: .bt2020)
    toTarget = ColorMatrix(from: isDirect ? source : .bt2020, to: range.target.chromaticities)
    luminances = range.target.chromaticities.luminances
  }

  /// Maps a row of planes with ``HighDynamicRange/sampleDepth`` bits.
  ///
  /// - Parameters:
  ///   - planes: Red, green, blue and, if there is a fourth, alpha, by which the colours are multiplied.
  ///   - pixels: `count` pixels of premultiplied RGBA.
  package func convert(_ planes: [UnsafePointer<UInt16>], count: Int, into pixels: UnsafeMutableRawPointer) {
    guard planes.count > 3 else { return convert(planes[0], planes[1], planes[2], count: count, into: pixels) }
    let (red, green, blue, alphas, largest) = (planes[0], planes[1], planes[2], planes[3], largestSample)
    forEachPart(of: count) { strip, light, levels, start, columns in
      for column in columns {
        let alpha = Int(alphas[start &+ column])
        func straight(_ plane: UnsafePointer<UInt16>) -> Float {
          alpha == 0 ? light[0] : light[min((Int(plane[start &+ column]) * largest + alpha / 2) / alpha, largest)]
        }
        strip[column] = RGBLight(red: straight(red), green: straight(green), blue: straight(blue))
      }
      linearize(strip)
      if dynamicRange == .high {
        return keep(strip, at: start, columns, in: pixels) { Float(alphas[start &+ $0]) / Float(largest) }
      }
      map(strip)
      let pixels = pixels.assumingMemoryBound(to: UInt32.self)
      for column in columns {
        let opacity = (UInt32(alphas[start &+ column]) * 255 + UInt32(largest / 2)) / UInt32(largest)
        pixels[start &+ column] = (strip.color(column, levels) | min(opacity, 255) << 24).littleEndian
      }
    }
    guard dynamicRange == .standard else { return }
    AlphaMath.premultiply(pixels.assumingMemoryBound(to: UInt8.self), count: count)
  }

  private func convert(
    _ red: UnsafePointer<UInt16>, _ green: UnsafePointer<UInt16>, _ blue: UnsafePointer<UInt16>, count: Int,
    into pixels: UnsafeMutableRawPointer
  ) {
    let largest = largestSample
    forEachPart(of: count) { strip, light, levels, start, columns in
      for column in columns {
        func sample(_ plane: UnsafePointer<UInt16>) -> Float { light[min(Int(plane[start &+ column]), largest)] }
        strip[column] = RGBLight(red: sample(red), green: sample(green), blue: sample(blue))
      }
      linearize(strip)
      if dynamicRange == .high { return keep(strip, at: start, columns, in: pixels) { _ in 1 } }
      map(strip)
      let pixels = pixels.assumingMemoryBound(to: UInt32.self)
      for column in columns {
        pixels[start &+ column] = (strip.color(column, levels) | 0xFF00_0000).littleEndian
      }
    }
  }

  /// Maps a row of RGBA with 16 bits a channel and straight alpha, to RGBA with 8 bits and straight alpha or to
  /// premultiplied half floats.
  package func convert(_ source: UnsafePointer<UInt16>, count: Int, to target: UnsafeMutableRawPointer) {
    let shift: UInt16 = dynamicRange == .high ? 0 : 4
    forEachPart(of: count) { strip, light, levels, start, columns in
      let source = source + start &* 4
      for column in columns {
        let pixel = source + column &* 4
        strip[column] = RGBLight(
          red: light[Int(pixel[0] &>> shift)], green: light[Int(pixel[1] &>> shift)],
          blue: light[Int(pixel[2] &>> shift)])
      }
      linearize(strip)
      if dynamicRange == .high {
        return keep(strip, at: start, columns, in: target) { Float(source[$0 &* 4 &+ 3]) / 65_535 }
      }
      map(strip)
      let target = target + start &* 4
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

  /// Maps a row of RGBA in floating-point numbers from 0 to 1, to RGBA with 8 bits and straight alpha or to premultiplied
  /// half floats.
  ///
  /// - Parameter isPremultiplied: Whether the colours of the source are multiplied by alpha.
  package func convert(
    _ source: UnsafePointer<Float>, isPremultiplied: Bool, count: Int, to target: UnsafeMutableRawPointer
  ) {
    let largest = Float(largestSample)
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
      if dynamicRange == .high {
        return keep(strip, at: start, columns, in: target) { source[$0 &* 4 &+ 3].atLeast(0).atMost(1) }
      }
      map(strip)
      let target = target + start &* 4
      for column in columns {
        let opacity = (source[column &* 4 &+ 3] * 255).atLeast(0).atMost(255).inLowerBits.wholeNumber
        let color = strip.color(column, levels) | UInt32(opacity) << 24
        target.storeBytes(of: color.littleEndian, toByteOffset: column &* 4, as: UInt32.self)
      }
    }
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

  /// Converts what samples stand for to linear light, in which 1 is reference white: of BT.2020, unless ``toTarget`` begins
  /// elsewhere.
  private func linearize(_ strip: LightStrip) {
    if let toBT2020 { strip.map { light, _ in toBT2020(light) } }
    guard let systemGamma else { return }
    let luminances = Self.bt2020Luminances
    strip.setFactors(from: systemGamma) { $0.weighted(by: luminances) }
    strip.map { $0 * $1 }
  }

  /// Writes linear light as half floats.
  @inline(__always)
  private func keep(
    _ strip: LightStrip, at start: Int, _ columns: Range<Int>, in pixels: UnsafeMutableRawPointer,
    alpha: (_ column: Int) -> Float
  ) {
    let toTarget = toTarget
    strip.map { light, _ in toTarget.unlimited(light) }
    strip.writeHalfFloats(to: pixels + start &* 8, columns, alpha: alpha)
  }

  /// Maps linear light of BT.2020 to steps of ``SRGBTransferFunction``.
  private func map(_ strip: LightStrip) {
    strip.setFactors(from: gains) { $0.largest }
    let (toTarget, luminances) = (toTarget, luminances)
    strip.map { light, gain in toTarget(light * gain) }
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

/// The factor of scene light with a luminance for a display of 1,000 cd/m², relative to reference white.
private let systemGammaOfHLG = LogarithmicTable(from: 1 / 65_536, octaves: 16, precision: 8) { luminance in
  HighDynamicRange.defaultPeak / HighDynamicRange.referenceWhite * pow(luminance, 0.2)
}
