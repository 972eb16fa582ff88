import Foundation

extension GainMap {
  /// The picture with high dynamic range, as half floats: `(SDR + offset) · 2^gain - offset` in linear light of the base.
  ///
  /// Samples between those of a smaller map are interpolated (bilinear).
  ///
  /// - Parameters:
  ///   - base: The standard picture, of which the map covers as much.
  ///   - headroom: That of the screen in stops. Default: the whole gain applies.
  /// - Throws: ``ImageDecodingError/outOfMemory(_:)``.
  package func applied(to base: Bitmap, headroom: Double = .infinity) throws -> Bitmap {
    let base = try base.inStandardRange()
    let run = ApplyingRun(self, to: base, weight: parameters.weight(headroom: headroom))
    return try Bitmap(size: base.size, isOpaque: base.isOpaque, dynamicRange: .high) { output in
      let output = output.bindMemory(to: SIMD4<UInt16>.self)
      base.withUnsafeBytes { base in
        bitmap.withUnsafeBytes { map in run.write(base.bindMemory(to: UInt32.self), map, into: output) }
      }
    }
  }
}

/// Applies a map to a base of its own size or another.
private struct ApplyingRun {
  /// The steps of ``factors`` between two values of 8 bits.
  private static let stepCount: Float = 16

  private let size: PixelSize
  private let mapSize: PixelSize
  private let isOpaque: Bool
  /// The linear light of 8-bit values.
  private let light: [Float]
  /// The factors of the samples of red, then of green and blue.
  private let factors: [Float]
  private let factorCount: Int
  private let offsetSDR: SIMD4<Float>
  private let offsetHDR: SIMD4<Float>
  /// The colours of the base's primaries in Display P3.
  private let primaries: (red: SIMD4<Float>, green: SIMD4<Float>, blue: SIMD4<Float>)
  private let columns: [(index: Int32, next: Int32, share: Float)]

  init(_ map: GainMap, to base: Bitmap, weight: Double) {
    (size, mapSize, isOpaque) = (base.size, map.bitmap.size, base.isOpaque)
    let parameters = map.parameters
    light = (0...255).map { Float(SRGBTransferFunction.light(Double($0) / 255)) }
    let count = 255 * Int(Self.stepCount) + 1
    factorCount = count
    factors = (0..<3).flatMap { channel in
      (0..<count).map { step in
        let sample = pow(Double(step) / Double(count - 1), 1 / parameters.gamma[channel])
        let stops = parameters.gainMin[channel] * (1 - sample) + parameters.gainMax[channel] * sample
        return Float(exp2(stops * weight))
      }
    }
    offsetSDR = SIMD4(SIMD3<Float>(parameters.offsetSDR), 0)
    offsetHDR = SIMD4(SIMD3<Float>(parameters.offsetHDR), 0)
    let matrix = base.colorSpace == .displayP3 ? nil : ColorMatrix(from: base.colorSpace.chromaticities, to: .displayP3)
    let identity: [SIMD3<Float>] = [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
    let rows = matrix.map { [$0.red, $0.green, $0.blue] } ?? identity
    func column(_ index: Int) -> SIMD4<Float> { SIMD4(rows[0][index], rows[1][index], rows[2][index], 0) }
    primaries = (column(0), column(1), column(2))
    columns = (0..<base.size.width).map { Self.neighbours($0, of: base.size.width, in: map.bitmap.size.width) }
  }

  /// The two samples of a map around a pixel, and the share of the second.
  private static func neighbours(
    _ index: Int, of count: Int, in mapCount: Int
  ) -> (index: Int32, next: Int32, share: Float) {
    let position = (Double(index) + 0.5) * Double(mapCount) / Double(count) - 0.5
    let clamped = min(max(position, 0), Double(mapCount - 1))
    let first = min(Int(clamped), mapCount - 1)
    return (Int32(first), Int32(min(first + 1, mapCount - 1)), Float(clamped - Double(first)))
  }

  func write(
    _ base: UnsafeBufferPointer<UInt32>, _ map: UnsafeRawBufferPointer,
    into output: UnsafeMutableBufferPointer<SIMD4<UInt16>>
  ) {
    let map = map.bindMemory(to: SIMD4<UInt8>.self)
    var samples = [SIMD4<Float>](repeating: .zero, count: mapSize.width)
    for row in 0..<size.height {
      let lines = Self.neighbours(row, of: size.height, in: mapSize.height)
      let (upper, lower) = (Int(lines.index) * mapSize.width, Int(lines.next) * mapSize.width)
      for column in samples.indices {
        let (above, below) = (map[upper + column].numbers, map[lower + column].numbers)
        // Half a step more rounds to the nearest.
        samples[column] = (above + (below - above) * lines.share) * Self.stepCount + 0.5
      }
      samples.withUnsafeBufferPointer { samples in
        let pixels = UnsafeBufferPointer(rebasing: base[(row * size.width)...].prefix(size.width))
        let result = UnsafeMutableBufferPointer(rebasing: output[(row * size.width)...].prefix(size.width))
        isOpaque ? write(pixels, samples, into: result) : writeTransparent(pixels, samples, into: result)
      }
    }
  }

  private func write(
    _ base: UnsafeBufferPointer<UInt32>, _ samples: UnsafeBufferPointer<SIMD4<Float>>,
    into output: UnsafeMutableBufferPointer<SIMD4<UInt16>>
  ) {
    light.withUnsafeBufferPointer { light in
      factors.withUnsafeBufferPointer { factors in
        columns.withUnsafeBufferPointer { columns in
          for column in base.indices {
            let pixel = UInt32(littleEndian: base[column])
            let color = SIMD4(
              light[Int(pixel & 255)], light[Int(pixel &>> 8 & 255)], light[Int(pixel &>> 16 & 255)], 0)
            var result = brighter(color, columns[column], samples, factors)
            result.w = 1
            output[column] = HalfFloat.bits(result)
          }
        }
      }
    }
  }

  private func writeTransparent(
    _ base: UnsafeBufferPointer<UInt32>, _ samples: UnsafeBufferPointer<SIMD4<Float>>,
    into output: UnsafeMutableBufferPointer<SIMD4<UInt16>>
  ) {
    factors.withUnsafeBufferPointer { factors in
      for column in base.indices {
        let pixel = UInt32(littleEndian: base[column])
        let alpha = Int(pixel >> 24)
        guard alpha > 0 else { continue }
        func straight(_ shift: UInt32) -> Float {
          light[min((Int(pixel >> shift & 255) * 255 + alpha / 2) / alpha, 255)]
        }
        let opacity = Float(alpha) / 255
        var result =
          brighter(SIMD4(straight(0), straight(8), straight(16), 0), columns[column], samples, factors) * opacity
        result.w = opacity
        output[column] = HalfFloat.bits(result)
      }
    }
  }

  @inline(__always)
  private func brighter(
    _ color: SIMD4<Float>, _ place: (index: Int32, next: Int32, share: Float),
    _ samples: UnsafeBufferPointer<SIMD4<Float>>, _ factors: UnsafeBufferPointer<Float>
  ) -> SIMD4<Float> {
    let left = samples[Int(place.index)]
    let steps = left + (samples[Int(place.next)] - left) * place.share
    let factor = SIMD4(
      factors[Int(steps.x)], factors[Int(steps.y) &+ factorCount], factors[Int(steps.z) &+ 2 &* factorCount], 0)
    let light = (color + offsetSDR) * factor - offsetHDR
    return primaries.red * light.x + primaries.green * light.y + primaries.blue * light.z
  }
}

extension SIMD4<UInt8> {
  @inline(__always)
  fileprivate var numbers: SIMD4<Float> { SIMD4<Float>(Float(x), Float(y), Float(z), Float(w)) }
}
