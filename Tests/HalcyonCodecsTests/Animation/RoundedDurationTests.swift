import HalcyonTestTraits
import Testing

@testable import HalcyonCodecs

@Suite(.unitTest)
struct RoundedDurationTests {
  @Test(arguments: [(10, [8, 9, 8, 8, 9, 8]), (1, [83, 84, 83, 83, 84, 83])])
  func `twelve frames a second keep their pace in every unit`(milliseconds: Int, expected: [Int]) {
    var durations = RoundedDurations(unit: .milliseconds(milliseconds), limit: 65_535)
    #expect((0..<6).map { _ in durations.units(for: .microseconds(83_333)) } == expected)
  }

  @Test func `short frames stay above what browsers show for 100 ms`() {
    var durations = RoundedDurations(unit: .milliseconds(10), limit: 65_535)
    #expect((0..<3).map { _ in durations.units(for: .milliseconds(12)) } == [2, 2, 2])
    #expect(durations.units(for: .milliseconds(100)) == 9, "what was added is taken away once")
  }

  @Test func `a duration over the limit is not made up for`() {
    var durations = RoundedDurations(unit: .milliseconds(10), limit: 65_535)
    #expect(durations.units(for: .seconds(Int64.max)) == 65_535)
    #expect(durations.units(for: .milliseconds(500)) == 51)
    #expect(durations.units(for: .seconds(Int64.min)) == 0)
  }
}
