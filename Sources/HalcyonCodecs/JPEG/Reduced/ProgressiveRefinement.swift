#if !IMAGEIO
/// Reads one more bit of the AC coefficients of blocks (ITU-T T.81, G.1.2.3).
struct ProgressiveRefinement {
  private let first: Int
  private let last: Int
  private let bit: Int16
  private let places: [Int]
  private let count: Int

  init(_ header: JPEGScanHeader, side: Int) {
    (first, last, bit) = (header.first, header.last, 1 << Int16(header.bit))
    (places, count) = (ReducedTransform.places(side: side), side * side)
  }

  /// Reads a block. Returns `false` if it is damaged.
  @inline(__always)
  func read(
    _ bits: inout JPEGBits, _ lookup: JPEGLookup, nonzero: inout UInt64, values: UnsafeMutablePointer<Int16>,
    endRun: inout Int
  ) -> Bool {
    var next = first
    // The coefficients that are new in this scan are not refined.
    let earlier = nonzero
    while endRun == 0, next <= last {
      bits.load()
      guard let entry = lookup.coefficient(&bits, endRun: &endRun) else { return false }
      let (advance, value) = (Int(entry &>> 6) & 1023, Int32(bitPattern: entry) &>> 16)
      if advance >= JPEGLookup.end {
        // The run includes this block.
        endRun &+= 1
        break
      }
      guard (-1...1).contains(value), pass(advance &- 1, earlier, &bits, &next, values) else { return false }
      if value != 0 {
        nonzero |= 1 &<< UInt64(next)
        let place = places[next]
        if place < count { values[place] = value > 0 ? bit : -bit }
      }
      next &+= 1
    }
    guard endRun > 0 else { return true }
    endRun &-= 1
    guard next <= last else { return true }
    var rest = earlier & (~0 &<< UInt64(next)) & (~0 &>> UInt64(63 &- last))
    while rest != 0 {
      bits.load()
      for _ in 0..<48 where rest != 0 {
        refine(rest.trailingZeroBitCount, bits.read(1), values)
        rest &= rest &- 1
      }
    }
    return true
  }

  /// Moves past `zeros` zero coefficients to the next one, and refines the others on the way.
  @inline(__always)
  private func pass(
    _ count: Int, _ earlier: UInt64, _ bits: inout JPEGBits, _ next: inout Int, _ values: UnsafeMutablePointer<Int16>
  ) -> Bool {
    var zeros = count
    while true {
      let distance = (earlier &>> UInt64(next)).trailingZeroBitCount
      if distance > zeros { break }
      next &+= distance
      zeros &-= distance
      guard next <= last else { return false }
      bits.load()
      refine(next, bits.read(1), values)
      next &+= 1
      guard next <= last else { return false }
    }
    next &+= zeros
    return next <= last
  }

  @inline(__always)
  private func refine(_ coefficient: Int, _ more: Int, _ values: UnsafeMutablePointer<Int16>) {
    let place = places[coefficient]
    guard more == 1, place < count, values[place] & bit == 0 else { return }
    values[place] &+= values[place] >= 0 ? bit : -bit
  }
}
#endif
