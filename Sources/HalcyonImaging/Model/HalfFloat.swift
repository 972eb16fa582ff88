/// Floating-point numbers of 16 bits (IEEE 754), as their bits: Swift has no such type on Intel's Macs, and on other Intel
/// processors converts each number with a call.
///
/// The functions have no branches, so loops over them are vectorised.
package enum HalfFloat {
  /// The bits of 1.
  package static let one: UInt16 = 0x3C00
  /// The largest number.
  package static let largest: Float = 65_504

  /// 2 to the power of the difference of the exponents' biases.
  private static let scale = Float(sign: .plus, exponent: 112, significand: 1)
  private static let inverseScale = Float(sign: .plus, exponent: -112, significand: 1)

  /// The number of some bits, which are not infinity or NaN.
  @inline(__always)
  package static func number(_ bits: UInt16) -> Float {
    let magnitude = Float(bitPattern: UInt32(bits & 0x7FFF) &<< 13) * scale
    return Float(bitPattern: magnitude.bitPattern | UInt32(bits & 0x8000) &<< 16)
  }

  /// The bits of the nearest number; of NaN, and of numbers out of range, those of the largest.
  @inline(__always)
  package static func bits(_ number: Float) -> UInt16 {
    let sign = UInt16(truncatingIfNeeded: number.bitPattern &>> 16) & 0x8000
    let magnitude = Float(bitPattern: number.bitPattern & 0x7FFF_FFFF)
    let small = (magnitude < largest ? magnitude : largest) * inverseScale
    // Halves are rounded to even numbers.
    let rounded = small.bitPattern &+ 0xFFF &+ (small.bitPattern &>> 13 & 1)
    return UInt16(truncatingIfNeeded: rounded &>> 13) | sign
  }

  /// The bits of four numbers at once.
  @inline(__always)
  package static func bits(_ numbers: SIMD4<Float>) -> SIMD4<UInt16> {
    let patterns = unsafeBitCast(numbers, to: SIMD4<UInt32>.self)
    let signs = patterns &>> 16 & 0x8000
    let magnitudes = unsafeBitCast(patterns & 0x7FFF_FFFF, to: SIMD4<Float>.self)
    let limits = SIMD4<Float>(repeating: largest)
    let small = unsafeBitCast(
      limits.replacing(with: magnitudes, where: magnitudes .< limits) * inverseScale, to: SIMD4<UInt32>.self)
    return SIMD4<UInt16>(truncatingIfNeeded: (small &+ 0xFFF &+ (small &>> 13 & 1)) &>> 13 | signs)
  }
}
