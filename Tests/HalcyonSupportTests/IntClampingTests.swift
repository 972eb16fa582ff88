import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct IntClampingTests {
  @Test(
    arguments: [
      (3, 3), (-3, -3), (0, 0), (2.75, 2), (-2.75, -2), (0.5, 0), (1e30, Int.max), (-1e30, Int.min), (.infinity, .max),
      (-.infinity, .min), (.nan, 0),
    ] as [(Double, Int)])
  func `a floating-point number becomes the nearest Int`(value: Double, expected: Int) {
    #expect(Int(clamping: value) == expected)
  }

  @Test func `the longest duration can be added to a clock's time`() {
    #expect(Duration.longest > .seconds(60 * 365 * 86_400))
    #expect(Duration.seconds(Int64.max).clamped == .longest)
    #expect(Duration.seconds(-1).clamped == .zero)
  }
}
