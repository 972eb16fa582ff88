/// Row operations of the Lanczos resampler on 16-bit samples, four per pixel, with ``sampleBits`` fraction bits.
///
/// A product of a sample and a weight keeps its upper 16 bits, which is one instruction on vectors of 16-bit integers.
/// That rounds down, by half a unit on average: sums start at half the number of products to make up for it.
enum LanczosRows {
  typealias Samples = UnsafeMutablePointer<Int16>

  /// The fraction bits of a sample between the passes.
  static let sampleBits = 7

  /// The fraction bits of a sum of products.
  static func sumBits(_ weightBits: Int) -> Int { sampleBits + weightBits - 16 }

  /// Converts `count` bytes to samples.
  static func unpack(_ bytes: UnsafePointer<UInt8>, into samples: Samples, count: Int) {
    for index in 0..<count { samples[index] = Int16(truncatingIfNeeded: UInt16(bytes[index]) &<< 7) }
  }

  /// The weighted sum of rows, clamped to the range of a byte.
  ///
  /// - Parameter count: The samples per row, a multiple of 16.
  static func combine(
    _ rows: UnsafePointer<Samples>, weights: UnsafePointer<Int16>, rowCount: Int, weightBits: Int,
    into output: Samples, count: Int
  ) {
    let bits = sumBits(weightBits)
    let high = SIMD8<Int16>(repeating: Int16(truncatingIfNeeded: 255 &<< bits))
    let bias = SIMD8<Int16>(repeating: Int16(truncatingIfNeeded: rowCount &>> 1))
    let shift = SIMD8<Int16>(repeating: Int16(truncatingIfNeeded: sampleBits &- bits))
    var index = 0
    while index < count {
      var (first, second) = (bias, bias)
      for row in 0..<rowCount {
        let samples = UnsafePointer(rows[row]) + index
        let weight = SIMD8(repeating: weights[row])
        first &+= product(load(samples), weight)
        second &+= product(load(samples + 8), weight)
      }
      store(clamped(first, to: high) &<< shift, at: output + index)
      store(clamped(second, to: high) &<< shift, at: output + index + 8)
      index &+= 16
    }
  }

  /// Converts samples to pixels, rounded.
  ///
  /// Lanczos overshoots at edges, and a premultiplied colour above its alpha is invalid: colours are clamped to alpha.
  static func pack(_ samples: UnsafePointer<Int16>, into pixels: UnsafeMutableRawPointer, count: Int, isOpaque: Bool) {
    let half = SIMD4<Int16>(repeating: 1 &<< 6)
    let shift = SIMD4<Int16>(repeating: 7)
    for index in 0..<count {
      let values = UnsafeRawPointer(samples + index &* 4).loadUnaligned(as: SIMD4<Int16>.self)
      var pixel = SIMD4<UInt8>(truncatingIfNeeded: (values &+ half) &>> shift)
      if isOpaque { pixel.w = 255 } else { pixel = pointwiseMin(pixel, SIMD4(repeating: pixel.w)) }
      pixels.storeBytes(of: pixel, toByteOffset: index &* 4, as: SIMD4<UInt8>.self)
    }
  }

  /// The weighted sum of pixels in a row, with ``sumBits(_:)`` fraction bits.
  ///
  /// - Parameters:
  ///   - weights: Each weight four times, once for each channel.
  ///   - tapCount: The number of pixels, which is even.
  @inline(__always)
  static func sum(
    _ samples: UnsafePointer<Int16>, weights: UnsafePointer<Int16>, tapCount: Int
  ) -> SIMD4<Int16> {
    var sums = SIMD8<Int16>(repeating: 0)
    var tap = 0
    while tap < tapCount {
      sums &+= product(load(samples + tap &* 4), load(weights + tap &* 4))
      tap &+= 2
    }
    return sums.lowHalf &+ sums.highHalf
  }

  @inline(__always)
  private static func load(_ samples: UnsafePointer<Int16>) -> SIMD8<Int16> {
    UnsafeRawPointer(samples).loadUnaligned(as: SIMD8<Int16>.self)
  }

  @inline(__always)
  private static func store(_ values: SIMD8<Int16>, at samples: Samples) {
    UnsafeMutableRawPointer(samples).storeBytes(of: values, as: SIMD8<Int16>.self)
  }

  @inline(__always)
  private static func clamped(_ values: SIMD8<Int16>, to high: SIMD8<Int16>) -> SIMD8<Int16> {
    pointwiseMin(pointwiseMax(values, SIMD8(repeating: 0)), high)
  }

  /// The upper halves of the products.
  @inline(__always)
  private static func product(_ left: SIMD8<Int16>, _ right: SIMD8<Int16>) -> SIMD8<Int16> {
    let wide = SIMD8<Int32>(truncatingIfNeeded: left) &* SIMD8<Int32>(truncatingIfNeeded: right)
    return SIMD8<Int16>(truncatingIfNeeded: wide &>> 16)
  }
}
