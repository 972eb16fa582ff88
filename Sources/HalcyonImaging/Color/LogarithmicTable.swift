/// A function of positive numbers as a table, with the same number of steps between any two powers of two.
struct LogarithmicTable: Sendable {
  let values: [Float]

  private let lowest: Float
  private let highest: Float
  /// The lower bits of a number that are ignored.
  private let shift: UInt32

  /// - Parameters:
  ///   - lowest: Numbers below count as this one, a power of two.
  ///   - octaves: The powers of two above it; larger numbers count as the last.
  ///   - precision: The binary logarithm of the steps to the next power of two.
  init(from lowest: Float, octaves: Int, precision: Int, _ function: (_ number: Double) -> Double) {
    let shift = UInt32(Float.significandBitCount - precision)
    func number(_ bits: UInt32) -> Float { Float(bitPattern: lowest.bitPattern + bits) }
    values = (0..<UInt32(octaves) << UInt32(precision)).map { index in
      // The first value is exact, each other one is taken in the middle of its step.
      Float(function(Double(number(index == 0 ? 0 : index << shift + 1 << (shift - 1)))))
    }
    self.lowest = lowest
    highest = number(UInt32(values.count) << shift - 1)
    self.shift = shift
  }

  @inline(__always)
  func index(of number: Float) -> UInt32 {
    (number.atLeast(lowest).atMost(highest).bitPattern &- lowest.bitPattern) &>> shift
  }
}
