import Testing

@testable import HalcyonPipeline

struct ProgressMeterTests {
  @Test func `the first, the last, and one in each interval are told`() {
    var meter = ProgressMeter(interval: .milliseconds(50), earlierByteCount: 0, now: .zero)
    var told: [Int] = []
    for step in 0...20 {
      let progress = meter.report(
        received: step + 1, expected: nil, isLast: step == 20, now: .milliseconds(step * 10))
      if let progress { told.append(progress.receivedByteCount) }
    }
    #expect(told == [1, 6, 11, 16, 21])
    #expect(meter.report(received: 21, expected: nil, isLast: true, now: .seconds(1)) == nil)
  }

  @Test func `reaching the expected end is told at once`() {
    var meter = ProgressMeter(interval: .seconds(1), earlierByteCount: 0, now: .zero)
    #expect(meter.report(received: 1, expected: 10, isLast: false, now: .zero)?.fraction == 0.1)
    #expect(meter.report(received: 9, expected: 10, isLast: false, now: .zero) == nil)
    #expect(meter.report(received: 10, expected: 10, isLast: false, now: .zero)?.fraction == 1)
  }

  @Test func `the speed counts only the bytes of this transfer`() {
    var meter = ProgressMeter(interval: .zero, earlierByteCount: 5000, now: .seconds(1))
    #expect(meter.report(received: 5000, expected: nil, isLast: false, now: .seconds(1))?.bytesPerSecond == nil)
    #expect(meter.report(received: 7000, expected: nil, isLast: false, now: .seconds(3))?.bytesPerSecond == 1000)
  }

  @Test func `a fraction stays within its bounds`() {
    #expect(LoadProgress(receivedByteCount: 5, expectedByteCount: nil).fraction == 0)
    #expect(LoadProgress(receivedByteCount: 5, expectedByteCount: 0).fraction == 0)
    #expect(LoadProgress(receivedByteCount: 50, expectedByteCount: 20).fraction == 1)
  }
}
