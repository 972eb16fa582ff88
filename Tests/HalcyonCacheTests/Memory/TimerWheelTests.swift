import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonCache

@Suite(.integrationTest)
struct TimerWheelTests {
  @Test(arguments: [1, 63, 64, 65, 127, 4095, 4096, 5000, 262_143, 262_144, 10_000_000] as [Int64])
  func `a member is returned in its second, not before`(delay: Int64) {
    for start in [0, 1, 63, 64, 4095, 1_700_000_000] as [Int64] {
      var wheel = TimerWheel(second: start)
      let due = start + delay
      wheel.schedule(7, second: due)
      var second = start
      while second < due {
        // Members returned early are scheduled again, a few times only.
        second = min(due, second + max(1, (due - second) / 2))
        let found = wheel.advance(to: second)
        if second < due { for member in found { wheel.schedule(member, second: due) } } else { #expect(found == [7]) }
      }
      #expect(wheel.advance(to: due + 100_000_000).isEmpty)
    }
  }

  @Test func `random members are returned when due, rarely early`() {
    var generator = SplitMix(state: 11)
    var wheel = TimerWheel(second: 0)
    var model: [Int: Int64] = [:]
    var second: Int64 = 0
    var (dueCount, earlyCount) = (0, 0)
    for member in 0..<20_000 {
      let delay = Int64(1) << Int64.random(in: 0..<22, using: &generator)
      model[member] = second + delay
      wheel.schedule(member, second: second + delay)
      if member % 7 == 0, let removed = model.keys.randomElement(using: &generator) {
        model[removed] = nil
        wheel.cancel(removed)
      }
      second += Int64.random(in: 0...100, using: &generator)
      let found = wheel.advance(to: second)
      #expect(Set(found).count == found.count)
      for member in found {
        guard let due = model[member] else {
          Issue.record("a removed member was returned")
          continue
        }
        if due <= second {
          model[member] = nil
          dueCount += 1
        } else {
          wheel.schedule(member, second: due)
          earlyCount += 1
        }
      }
    }
    #expect(model.values.allSatisfy { $0 > second })
    #expect(earlyCount < 4 * 20_000)
    #expect(dueCount > 1000)
  }

  @Test func `the current second can be taken repeatedly`() {
    var wheel = TimerWheel(second: 63)
    wheel.schedule(1, second: 64)
    wheel.schedule(2, second: 128)
    for _ in 0..<3 {
      let found = wheel.removeNextSecond()
      #expect(found.contains(1))
      for member in found { wheel.schedule(member, second: member == 1 ? 64 : 128) }
    }
    #expect(wheel.advance(to: 127).contains(1))
  }

  @Test func `restarting at another second returns all members`() {
    var wheel = TimerWheel(second: 1_000_000)
    for member in 0..<100 { wheel.schedule(member, second: 1_000_000 + Int64(member * member)) }
    #expect(wheel.reset(to: 5).sorted() == Array(0..<100))
    wheel.schedule(3, second: 6)
    #expect(wheel.advance(to: 6) == [3])
  }
}
