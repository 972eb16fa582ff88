/// The linear light of a pixel.
struct RGBLight {
  var red: Float
  var green: Float
  var blue: Float

  @inline(__always)
  var largest: Float { red.atLeast(green).atLeast(blue) }

  @inline(__always)
  func weighted(by weights: SIMD3<Float>) -> Float { red * weights.x + green * weights.y + blue * weights.z }

  @inline(__always)
  static func * (light: RGBLight, factor: Float) -> RGBLight { light.map { $0 * factor } }

  @inline(__always)
  func map(_ change: (Float) -> Float) -> RGBLight {
    RGBLight(red: change(red), green: change(green), blue: change(blue))
  }
}

extension ColorMatrix {
  /// Channels below 0, which the target cannot show, become 0.
  @inline(__always)
  func callAsFunction(_ light: RGBLight) -> RGBLight { unlimited(light).map { $0.atLeast(0) } }

  /// Channels may be below 0 and above 1.
  @inline(__always)
  func unlimited(_ light: RGBLight) -> RGBLight {
    RGBLight(red: light.weighted(by: red), green: light.weighted(by: green), blue: light.weighted(by: blue))
  }
}

/// `max` and `min` for numbers, as one instruction of the processor.
extension Float {
  @inline(__always)
  func atLeast(_ limit: Float) -> Float { self > limit ? self : limit }

  @inline(__always)
  func atMost(_ limit: Float) -> Float { self < limit ? self : limit }
}

extension Float {
  /// A number from 0 to 65,535, rounded to an integer in the lower bits of a larger floating-point number.
  @inline(__always)
  var inLowerBits: Float { self + 8_388_608 }

  /// The inverse of `inLowerBits`.
  @inline(__always)
  var wholeNumber: Int { Int(UInt16(truncatingIfNeeded: bitPattern)) }
}

/// A part of a row as linear light, in memory that is valid during a call.
///
/// Each method is a loop over the whole strip with constant bounds, which the compiler vectorises; look-ups in tables
/// have loops of their own.
struct LightStrip {
  static let count = 128

  /// The red channels, the green ones, the blue ones, and the factors.
  private let start: UnsafeMutablePointer<Float>

  static func withStrip(_ body: (LightStrip) -> Void) {
    withUnsafeTemporaryAllocation(of: Float.self, capacity: 4 * count) { memory in
      memory.initialize(repeating: 0)
      if let start = memory.baseAddress { body(LightStrip(start: start)) }
    }
  }

  @inline(__always)
  subscript(index: Int) -> RGBLight {
    get {
      RGBLight(red: start[index], green: start[index &+ Self.count], blue: start[index &+ 2 &* Self.count])
    }
    nonmutating set {
      start[index] = newValue.red
      start[index &+ Self.count] = newValue.green
      start[index &+ 2 &* Self.count] = newValue.blue
    }
  }

  /// The levels at the steps of a pixel, which are `inLowerBits`, with red in the lowest byte, then green and blue.
  @inline(__always)
  func color(_ index: Int, _ levels: UnsafeBufferPointer<UInt8>) -> UInt32 {
    let steps = self[index]
    let (red, green) = (levels[steps.red.wholeNumber], levels[steps.green.wholeNumber])
    return UInt32(red) | UInt32(green) &<< 8 | UInt32(levels[steps.blue.wholeNumber]) &<< 16
  }

  /// Writes pixels of premultiplied half floats.
  @inline(__always)
  func writeHalfFloats(to pixels: UnsafeMutableRawPointer, _ columns: Range<Int>, alpha: (_ column: Int) -> Float) {
    let alphas = factors
    for column in columns { alphas[column] = alpha(column) }
    map { light, alpha in (light * alpha).map { Float(bitPattern: UInt32(HalfFloat.bits($0))) } }
    for column in columns {
      let (light, alpha) = (self[column], HalfFloat.bits(alphas[column]))
      let (red, green) = (UInt64(light.red.bitPattern), UInt64(light.green.bitPattern))
      let pixel = red | green &<< 16 | UInt64(light.blue.bitPattern) &<< 32 | UInt64(alpha) &<< 48
      pixels.storeBytes(of: pixel.littleEndian, toByteOffset: column &* 8, as: UInt64.self)
    }
  }

  /// Sets the first pixels to premultiplied half floats, divided by their alpha.
  @inline(__always)
  func readHalfFloats(_ pixels: UnsafeRawPointer, count: Int) {
    let scales = factors
    for column in 0..<count {
      let pixel = UInt64(littleEndian: pixels.loadUnaligned(fromByteOffset: column &* 8, as: UInt64.self))
      func number(_ channel: UInt64) -> Float {
        HalfFloat.number(UInt16(truncatingIfNeeded: pixel &>> (channel &* 16)))
      }
      self[column] = RGBLight(red: number(0), green: number(1), blue: number(2))
      scales[column] = number(3)
    }
    map { light, alpha in light * (alpha > 0 ? 1 / alpha : 0) }
  }

  /// For the steps of `map`.
  @inline(__always)
  var factors: UnsafeMutablePointer<Float> { start + 3 &* Self.count }

  /// Sets the factor of each pixel to the table's value for a number.
  @inline(__always)
  func setFactors(from table: LogarithmicTable, of number: (RGBLight) -> Float) {
    let factors = factors
    for index in 0..<Self.count { factors[index] = Float(bitPattern: table.index(of: number(self[index]))) }
    table.values.withUnsafeBufferPointer { values in
      for index in 0..<Self.count { factors[index] = values[Int(factors[index].bitPattern)] }
    }
  }

  /// Changes each pixel.
  @inline(__always)
  func map(_ change: (_ light: RGBLight, _ factor: Float) -> RGBLight) {
    let factors = factors
    for index in 0..<Self.count { self[index] = change(self[index], factors[index]) }
  }
}
