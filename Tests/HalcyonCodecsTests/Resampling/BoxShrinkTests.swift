import HalcyonImaging
import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.integrationTest)
struct BoxShrinkTests {
  @Test(arguments: [(64, 48), (61, 50), (5, 3), (1, 1), (300, 257)], [(1, 2), (2, 2), (3, 5), (7, 1), (256, 256)])
  func `each pixel is the rounded average of a rectangle`(side: (Int, Int), factors: (Int, Int)) throws {
    let bitmap = try Bitmap.painted(side.0, side.1, isOpaque: false) { column, row in
      let alpha = (column * row) % 256
      return Color(column * 7 % (alpha + 1), row * 5 % (alpha + 1), alpha, alpha)
    }
    let shrunk = BoxShrink(BitmapRowSource(bitmap), across: factors.0, down: factors.1, isCancelled: { false })
    let result = try shrunk.bitmap(isCancelled: { false })
    for row in 0..<result.size.height {
      for column in 0..<result.size.width {
        let columns = column * factors.0..<min((column + 1) * factors.0, side.0)
        let rows = row * factors.1..<min((row + 1) * factors.1, side.1)
        let count = columns.count * rows.count
        var sum = SIMD4<Int>(repeating: count / 2)
        for y in rows { for x in columns { sum &+= SIMD4(truncatingIfNeeded: bitmap.color(x, y)) } }
        #expect(result.color(column, row) == Color(truncatingIfNeeded: sum / SIMD4(repeating: count)))
      }
    }
  }
}
