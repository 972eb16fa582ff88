/// Converts 8-bit colours to sRGB or Display P3 by tables, from any space of three curves and a matrix.
///
/// The linear light of the result is a sum of three parts: the source's red, green and blue values each add to all
/// three channels. So each pixel takes three look-ups, two additions of all channels at once, and a look-up in the
/// transfer function for each channel.
package struct ColorTables: Sendable {
  /// The bits of a sum for each channel. The upper bits are the index of a level, the lower bits keep rounding errors
  /// small.
  private static let fieldWidth = 21
  private static let fractionWidth = 5
  private static let levelLimit = 1 << (fieldWidth - fractionWidth)

  private static let toSRGB = ColorTables(to: .sRGB)
  private static let toDisplayP3 = ColorTables(to: .displayP3)

  /// From Display P3 to sRGB, or the other way.
  static func converting(to target: ColorSpace) -> ColorTables { target == .sRGB ? toSRGB : toDisplayP3 }

  /// For each value of red, then of green and blue: what it adds, in three fields from the lowest bit.
  private let sums: [UInt64]
  /// The levels of light from the least to the largest sum.
  private let levels: [UInt8]

  /// - Parameter light: The linear light of red, green and blue in the space of the result that each of the 256 values of
  ///   red adds, then of green and of blue. Sums below 0 and above 1 become the nearest colours of the space.
  /// - Returns: `nil` if the sums have a range above 4, which no space for photographs has.
  package init?(light: [SIMD3<Double>]) {
    guard light.allSatisfy({ $0.x.magnitude < 4 && $0.y.magnitude < 4 && $0.z.magnitude < 4 }) else { return nil }
    self.init(light)
    guard levels.count <= Self.levelLimit else { return nil }
  }

  private init(to target: ColorSpace) {
    self.init(
      target.matrixFromOther.flatMap { column in
        (0...255).map { column * SRGBTransferFunction.light(Double($0) / 255) }
      })
  }

  private init(_ light: [SIMD3<Double>]) {
    let step = 1 << Self.fractionWidth
    let scale = Double(SRGBTransferFunction.stepCount * step)
    let parts = light.map { color in
      SIMD3(Int((color.x * scale).rounded()), Int((color.y * scale).rounded()), Int((color.z * scale).rounded()))
    }
    let channels = (0..<3).map { parts[$0 * 256..<($0 + 1) * 256] }
    let lows = channels.map { $0.reduce(SIMD3(repeating: .max), pointwiseMin) }
    let (low, high) = (lows.reduce(.zero, &+), channels.reduce(.zero) { $0 &+ $1.reduce(.zero, pointwiseMax) })
    let stepsBelow = max(0, (step - 1 - low.min()) / step)
    // No field is negative, since parts are relative to the least of their channel. Half a step is added for rounding.
    let start = low &+ (stepsBelow * step + step / 2)
    sums = parts.indices.map { index in
      let part = parts[index] &- lows[index / 256] &+ (index < 256 ? start : .zero)
      return UInt64(part.x) | UInt64(part.y) << Self.fieldWidth | UInt64(part.z) << (2 * Self.fieldWidth)
    }
    let stepsAbove = max(0, high.max() / step + 1 - SRGBTransferFunction.stepCount)
    levels =
      Array(repeating: 0, count: stepsBelow) + SRGBTransferFunction.levels + Array(repeating: 255, count: stepsAbove)
  }

  /// Converts `count` pixels of RGBA with straight alpha, which stays.
  ///
  /// - Parameter source: May equal `target`.
  package func convert(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer, count: Int) {
    sums.withUnsafeBufferPointer { sums in
      levels.withUnsafeBufferPointer { levels in
        for offset in stride(from: 0, to: count * 4, by: 4) {
          let pixel = UInt32(littleEndian: source.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
          let sum =
            sums[Int(pixel & 255)] &+ sums[Int(256 | pixel &>> 8 & 255)] &+ sums[Int(512 | pixel &>> 16 & 255)]
          let red = UInt32(levels[Self.index(sum, 0)])
          let green = UInt32(levels[Self.index(sum, 1)])
          let blue = UInt32(levels[Self.index(sum, 2)])
          let color = red | green &<< 8 | blue &<< 16 | pixel & 0xFF00_0000
          target.storeBytes(of: color.littleEndian, toByteOffset: offset, as: UInt32.self)
        }
      }
    }
  }

  /// An RGBA pixel with straight alpha.
  func converted(_ pixel: SIMD4<UInt8>) -> SIMD4<UInt8> {
    var pixel = pixel
    withUnsafeMutableBytes(of: &pixel) { bytes in
      if let start = bytes.baseAddress { convert(start, to: start, count: 1) }
    }
    return pixel
  }

  /// The sums of premultiplied components of one or more pixels.
  func converted(_ sums: SIMD4<UInt32>) -> SIMD4<UInt32> {
    guard sums.w > 0 else { return sums }
    func straight(_ sum: UInt32) -> UInt8 { UInt8(min((sum * 255 + sums.w / 2) / sums.w, 255)) }
    let color = converted(SIMD4(straight(sums.x), straight(sums.y), straight(sums.z), 255))
    func sum(_ value: UInt8) -> UInt32 { (UInt32(value) * sums.w + 127) / 255 }
    return SIMD4(sum(color.x), sum(color.y), sum(color.z), sums.w)
  }

  @inline(__always)
  private static func index(_ sum: UInt64, _ channel: UInt64) -> Int {
    Int(truncatingIfNeeded: sum &>> (channel &* UInt64(fieldWidth) &+ UInt64(fractionWidth)) & UInt64(levelLimit - 1))
  }
}

extension ColorSpace {
  /// The light of the other space's red, green and blue in this one.
  fileprivate var matrixFromOther: [SIMD3<Double>] {
    switch self {
    case .displayP3:
      [
        SIMD3(0.822_462, 0.033_194_2, 0.017_082_6), SIMD3(0.177_538, 0.966_805_8, 0.072_397_4),
        SIMD3(0, 0, 0.910_519_9),
      ]
    case .sRGB:
      [
        SIMD3(1.224_940_2, -0.042_057, -0.019_637_6), SIMD3(-0.224_940_2, 1.042_057, -0.078_636_1),
        SIMD3(0, 0, 1.098_273_6),
      ]
    }
  }
}
