extension BoxFilter {
  /// Values that lie side by side and are worked on together.
  static let laneCount = 64

  /// One pass over lines that lie side by side. Beyond both ends the last values go on.
  ///
  /// The sums have 32 bits and are exact, so nothing drifts: 255 * 256 times 2001 neighbours stay below 2^27.
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

  /// The sums around the first values.
  private func fill(_ sums: UnsafeMutableBufferPointer<Int32>, from source: UnsafeBufferPointer<UInt16>) {
    sums.initialize(repeating: 0)
    for position in -radius...radius {
      let row = Self.row(position, in: source)
      for lane in 0..<Self.laneCount { sums[lane] &+= Int32(source[row &+ lane]) }
    }
  }

  /// Writes what the sums around a position come to, and moves them to the next one.
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

  /// Where the values at a position begin.
  @inline(__always)
  private static func row(_ position: Int, in source: UnsafeBufferPointer<UInt16>) -> Int {
    max(0, min(source.count / laneCount - 1, position)) &* laneCount
  }
}

extension UInt16 {
  /// The nearest whole number to one from 0 to 65,535. Adding 2^23 leaves it in the lowest bits of a float, which costs
  /// no check of its range and works on many values at once.
  @inline(__always)
  fileprivate init(rounding value: Float) { self.init(truncatingIfNeeded: (value + 8_388_608).bitPattern) }
}
