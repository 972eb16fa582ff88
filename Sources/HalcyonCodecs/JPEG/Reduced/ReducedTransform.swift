#if !IMAGEIO
/// Inverse discrete cosine transforms of the lowest frequencies of a block to fewer samples.
///
/// Libjpeg's smaller transforms average the samples of the whole block, for which they need high frequencies, too. Without
/// them, the result is nearer to a full decode that is resampled with a Lanczos filter.
enum ReducedTransform {
  private static let zigzag = [
    0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21,
    28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
    47, 55, 62, 63,
  ]

  /// The last coefficient that is needed, in zigzag order.
  static func lastCoefficient(side: Int) -> Int { side == 1 ? 0 : side == 2 ? 4 : side == 4 ? 24 : 63 }

  /// For each coefficient in zigzag order, its place among the needed ones, in columns, of a whole block in rows; all others
  /// share the place after them.
  static func places(side: Int) -> [Int] {
    side == 8 ? zigzag : zigzag.map { $0 / 8 < side && $0 % 8 < side ? $0 % 8 * side + $0 / 8 : side * side }
  }

  /// Not 0 if a dequantised coefficient is larger than any image can have.
  @inline(__always)
  static func excess(_ coefficient: Int32) -> Int32 {
    // In this range of DC coefficients, libjpeg's range-limit table gives the same sample.
    (coefficient &+ 4 &+ 1 &<< 12) &>> 13
  }

  /// The sample of eight times its value, from -128 on.
  @inline(__always)
  static func sample(_ sum: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, (sum &+ 1028) &>> 3))) }

  /// A block with only a DC coefficient.
  @inline(__always)
  static func flat(_ mean: Int32, side: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
    let value = UInt32(sample(mean)) &* 0x0101_0101
    for row in 0..<side {
      let target = UnsafeMutableRawPointer(target + row &* stride)
      switch side {
      case 1: target.storeBytes(of: UInt8(truncatingIfNeeded: value), as: UInt8.self)
      case 2: target.storeBytes(of: UInt16(truncatingIfNeeded: value), as: UInt16.self)
      case 4: target.storeBytes(of: value, as: UInt32.self)
      default: target.storeBytes(of: UInt64(value) &* 0x1_0000_0001, as: UInt64.self)
      }
    }
  }

  /// A block of two, four or eight samples across and down from coefficients at their places, which are aligned to 16 bytes.
  @inline(__always)
  static func samples(_ c: UnsafePointer<Int32>, side: Int, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
    switch side {
    case 2: two(c, into: target, stride: stride)
    case 4: four(c, into: target, stride: stride)
    default: WholeTransform.samples(c, into: target, stride: stride)
    }
  }

  @inline(__always)
  private static func two(_ c: UnsafePointer<Int32>, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
    let (upper, lower) = (c[0] &+ c[1], c[0] &- c[1])
    let (upperSlope, lowerSlope) = (c[2] &+ c[3], c[2] &- c[3])
    target[0] = sample(upper &+ upperSlope)
    target[1] = sample(upper &- upperSlope)
    target[stride] = sample(lower &+ lowerSlope)
    target[stride &+ 1] = sample(lower &- lowerSlope)
  }

  @inline(__always)
  private static func four(_ c: UnsafePointer<Int32>, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
    let columns = UnsafeRawPointer(c).assumingMemoryBound(to: SIMD4<Int32>.self)
    let wide = transformed(
      SIMD4<Float>(columns[0]), SIMD4<Float>(columns[1]), SIMD4<Float>(columns[2]), SIMD4<Float>(columns[3]))
    let left = SIMD8(lowHalf: wide.0, highHalf: wide.1)
    let right = SIMD8(lowHalf: wide.2, highHalf: wide.3)
    let even = SIMD8(lowHalf: left.evenHalf, highHalf: right.evenHalf)
    let odd = SIMD8(lowHalf: left.oddHalf, highHalf: right.oddHalf)
    let rows = transformed(even.evenHalf, odd.evenHalf, even.oddHalf, odd.oddHalf)
    let target = UnsafeMutableRawPointer(target)
    target.storeBytes(of: samples(rows.0), as: UInt32.self)
    target.storeBytes(of: samples(rows.1), toByteOffset: stride, as: UInt32.self)
    target.storeBytes(of: samples(rows.2), toByteOffset: stride &* 2, as: UInt32.self)
    target.storeBytes(of: samples(rows.3), toByteOffset: stride &* 3, as: UInt32.self)
  }

  @inline(__always)
  private static func samples(_ sums: SIMD4<Float>) -> UInt32 {
    // 1/128 more, so that halves are rounded up, as in the other transforms.
    var values = sums * 0.125 + (128 + 1 / 128)
    values.replace(with: 0, where: values .< 0)
    values.replace(with: 255, where: values .> 255)
    // The sum with 2^23 has the rounded value in its lowest bits.
    let bits = unsafeBitCast(values + 8_388_608, to: SIMD4<UInt32>.self)
    return unsafeBitCast(SIMD4<UInt8>(truncatingIfNeeded: bits), to: UInt32.self)
  }

  /// A transform of four numbers, in each of four lanes.
  @inline(__always)
  private static func transformed(
    _ c0: SIMD4<Float>, _ c1: SIMD4<Float>, _ c2: SIMD4<Float>, _ c3: SIMD4<Float>
  ) -> (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>) {
    let (sum, difference) = (c0 + c2, c0 - c2)
    // The cosine and the sine of an eighth of pi, times the square root of two.
    let outer = c1 * 1.306_563 + c3 * 0.541_196
    let inner = c1 * 0.541_196 - c3 * 1.306_563
    return (sum + outer, difference + inner, difference - inner, sum - outer)
  }
}
#endif
