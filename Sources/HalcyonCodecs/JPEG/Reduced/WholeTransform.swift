#if !IMAGEIO
/// The inverse discrete cosine transform of a whole block, in the whole numbers of libjpeg's accurate one, so that samples are
/// the same.
enum WholeTransform {
  private typealias Row = SIMD8<Int32>

  /// The fraction bits of the constants, and of the numbers between both passes.
  private static let constantBits: Int32 = 13
  private static let passBits: Int32 = 2

  /// - Parameter coefficients: 64 in rows.
  @inline(never)
  static func samples(_ coefficients: UnsafePointer<Int32>, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
    let start = UnsafeRawPointer(coefficients)
    var rows = Rows { start.loadUnaligned(fromByteOffset: $0 &* 32, as: Row.self) }
    rows.transform(shift: constantBits &- passBits)
    rows.transpose()
    rows.transform(shift: constantBits &+ passBits &+ 3)
    rows.transpose()
    let (highest, sign) = (Row(repeating: 255), Row(repeating: 31))
    func store(_ row: Row, _ index: Int) {
      // The low eight bits are 255 above the range, and 0 below it.
      let sum = row &+ Row(repeating: 128)
      let levels = (sum | (highest &- sum) &>> sign) & ~(sum &>> sign)
      UnsafeMutableRawPointer(target + index &* stride).storeBytes(
        of: SIMD8<UInt8>(truncatingIfNeeded: levels), as: SIMD8<UInt8>.self)
    }
    store(rows.r0, 0)
    store(rows.r1, 1)
    store(rows.r2, 2)
    store(rows.r3, 3)
    store(rows.r4, 4)
    store(rows.r5, 5)
    store(rows.r6, 6)
    store(rows.r7, 7)
  }

  private struct Rows {
    var (r0, r1, r2, r3): (Row, Row, Row, Row)
    var (r4, r5, r6, r7): (Row, Row, Row, Row)

    @inline(__always)
    init(_ row: (Int) -> Row) {
      (r0, r1, r2, r3) = (row(0), row(1), row(2), row(3))
      (r4, r5, r6, r7) = (row(4), row(5), row(6), row(7))
    }

    /// Exchanges rows and columns.
    @inline(__always)
    mutating func transpose() {
      shuffle()
      shuffle()
      shuffle()
    }

    /// Interleaves the first four rows with the others.
    @inline(__always)
    private mutating func shuffle() {
      func interleaved(_ left: SIMD4<Int32>, _ right: SIMD4<Int32>) -> Row {
        var row = Row()
        (row.evenHalf, row.oddHalf) = (left, right)
        return row
      }
      func low(_ left: Row, _ right: Row) -> Row { interleaved(left.lowHalf, right.lowHalf) }
      func high(_ left: Row, _ right: Row) -> Row { interleaved(left.highHalf, right.highHalf) }
      let (s0, s1, s2, s3) = (low(r0, r4), high(r0, r4), low(r1, r5), high(r1, r5))
      let (s4, s5, s6, s7) = (low(r2, r6), high(r2, r6), low(r3, r7), high(r3, r7))
      (r0, r1, r2, r3, r4, r5, r6, r7) = (s0, s1, s2, s3, s4, s5, s6, s7)
    }

    /// The transform of the eight numbers of each column, by Loeffler, Ligtenberg and Moschytz.
    @inline(__always)
    mutating func transform(shift: Int32) {
      let half = Row(repeating: 1 &<< (shift &- 1)), shifts = Row(repeating: shift)
      let slope = (r2 &+ r6) &* Row(repeating: 4433)
      let (even2, even3) = (slope &- r6 &* Row(repeating: 15_137), slope &+ r2 &* Row(repeating: 6270))
      let bits = Row(repeating: constantBits)
      let (even0, even1) = ((r0 &+ r4) &<< bits &+ half, (r0 &- r4) &<< bits &+ half)
      let (e0, e1, e2, e3) = (even0 &+ even3, even1 &+ even2, even1 &- even2, even0 &- even3)
      let sum = (r7 &+ r3 &+ r5 &+ r1) &* Row(repeating: 9633)
      let (z1, z2) = ((r7 &+ r1) &* Row(repeating: -7373), (r5 &+ r3) &* Row(repeating: -20_995))
      let z3 = sum &- (r7 &+ r3) &* Row(repeating: 16_069)
      let z4 = sum &- (r5 &+ r1) &* Row(repeating: 3196)
      let o0 = r7 &* Row(repeating: 2446) &+ z1 &+ z3
      let o1 = r5 &* Row(repeating: 16_819) &+ z2 &+ z4
      let o2 = r3 &* Row(repeating: 25_172) &+ z2 &+ z3
      let o3 = r1 &* Row(repeating: 12_299) &+ z1 &+ z4
      (r0, r7) = ((e0 &+ o3) &>> shifts, (e0 &- o3) &>> shifts)
      (r1, r6) = ((e1 &+ o2) &>> shifts, (e1 &- o2) &>> shifts)
      (r2, r5) = ((e2 &+ o1) &>> shifts, (e2 &- o1) &>> shifts)
      (r3, r4) = ((e3 &+ o0) &>> shifts, (e3 &- o0) &>> shifts)
    }
  }
}
#endif
