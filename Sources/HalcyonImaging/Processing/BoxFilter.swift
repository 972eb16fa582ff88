/// An extended box filter: the mean of the neighbours in a line, the outermost with a fractional weight, which allows
/// any standard deviation (Gwosdek, Grewenig, Bruhn and Weickert, 2011).
struct BoxFilter {
  /// The number of passes that approximate a Gaussian.
  static let passCount = 3

  /// Values that are adjacent in memory and processed together.
  static let laneCount = 64

  /// Neighbours on each side with full weight.
  let radius: Int
  /// The weight of each of these and of the centre.
  let weight: Float
  /// The fractional weight of the next neighbour on each side.
  let edgeWeight: Float
}

extension BoxFilter {
  /// Applies one pass to ``laneCount`` interleaved lines; the end values are repeated beyond both ends.
  ///
  /// The running sums are exact 32-bit integers, so errors do not accumulate: 255 * 256 times 2001 neighbours stay
  /// below 2^27.
  func smooth(_ values: [UInt16], into result: inout [UInt16]) {
    values.withUnsafeBufferPointer { source in
      result.withUnsafeMutableBufferPointer { target in
        withUnsafeTemporaryAllocation(of: Int32.self, capacity: Self.laneCount) { sums in
          fill(sums, from: source)
          for position in 0..<(source.count / Self.laneCount) {
            step(at: position, sums, from: source, into: target)
          }
        }
      }
    }
  }

  /// Computes the sums around the first position.
  private func fill(_ sums: UnsafeMutableBufferPointer<Int32>, from source: UnsafeBufferPointer<UInt16>) {
    sums.initialize(repeating: 0)
    for position in -radius...radius {
      let row = Self.row(position, in: source)
      for lane in 0..<Self.laneCount { sums[lane] &+= Int32(source[row &+ lane]) }
    }
  }

  /// Writes the means at a position and moves the sums to the next one.
  @inline(__always)
  private func step(
    at position: Int, _ sums: UnsafeMutableBufferPointer<Int32>, from source: UnsafeBufferPointer<UInt16>,
    into target: UnsafeMutableBufferPointer<UInt16>
  ) {
    let before = Self.row(position - radius - 1, in: source)
    let leaving = Self.row(position - radius, in: source)
    let after = Self.row(position + radius + 1, in: source)
    let start = position &* Self.laneCount
    for lane in 0..<Self.laneCount {
      let next = Int32(source[after &+ lane])
      let ends = Float(Int32(source[before &+ lane]) &+ next)
      target[start &+ lane] = UInt16(rounding: Float(sums[lane]) * weight + ends * edgeWeight)
      sums[lane] = sums[lane] &+ next &- Int32(source[leaving &+ lane])
    }
  }

  /// The index of the first value at a position, which is clamped to the line.
  @inline(__always)
  private static func row(_ position: Int, in source: UnsafeBufferPointer<UInt16>) -> Int {
    max(0, min(source.count / laneCount - 1, position)) &* laneCount
  }
}

extension UInt16 {
  /// The integer nearest to a value of 0 to 65,535. Adding 2^23 leaves it in the lowest bits of a float, which needs no
  /// range check and can be vectorised.
  @inline(__always)
  fileprivate init(rounding value: Float) { self.init(truncatingIfNeeded: (value + 8_388_608).bitPattern) }
}
