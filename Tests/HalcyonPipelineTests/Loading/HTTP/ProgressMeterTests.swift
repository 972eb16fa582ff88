import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.unitTest)
struct ProgressMeterTests {
  @Test func `the first and the last progress are reported, and one per interval`() {
    var meter = ProgressMeter(interval: .milliseconds(50))
    var reported: [Int] = []
    for step in 0...20 {
      let progress = meter.report(
        received: step + 1, expected: nil, isLast: step == 20, now: .milliseconds(step * 10))
      if let progress { reported.append(progress.receivedByteCount) }
    }
    #expect(reported == [1, 6, 11, 16, 21])
    #expect(meter.report(received: 21, expected: nil, isLast: true, now: .seconds(1)) == nil)
  }

  @Test func `reaching the expected length is reported at once`() {
    var meter = ProgressMeter(interval: .seconds(1))
    #expect(meter.report(received: 1, expected: 10, isLast: false, now: .zero)?.fraction == 0.1)
    #expect(meter.report(received: 9, expected: 10, isLast: false, now: .zero) == nil)
    #expect(meter.report(received: 10, expected: 10, isLast: false, now: .zero)?.fraction == 1)
  }

  @Test func `the fraction is at most 1, and 0 for an unknown length`() {
    #expect(LoadProgress(receivedByteCount: 5, expectedByteCount: nil).fraction == nil)
    #expect(LoadProgress(receivedByteCount: 5, expectedByteCount: 0).fraction == nil)
    #expect(LoadProgress(receivedByteCount: 50, expectedByteCount: 20).fraction == 1)
  }
}
