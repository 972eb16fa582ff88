import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

@Suite(.unitTest)
struct TimeLimitTests {
  private struct Late: Error {}

  @Test func `work that takes too long is cancelled, unless something else is to blame for that`() async throws {
    let clock = TestClock()
    let isBlameless = Monitor(true)
    let gate = Gate()
    let work = Task {
      try await clock.limiting(
        to: .seconds(20), orThrow: { isBlameless.read { $0 } ? nil : Late() }, every: .seconds(1)
      ) { try await gate.wait() }
    }
    for seconds in [20, 1, 1] {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(seconds))
    }
    await clock.waitForSleepers()
    isBlameless.update { $0 = false }
    clock.advance(by: .seconds(1))
    await #expect(throws: Late.self) { try await work.value }
  }

  @Test func `work that ends in time has its result`() async throws {
    let clock = TestClock()
    let result = try await clock.limiting(to: .seconds(1), orThrow: { Late() }) { 5 }
    #expect(result == 5)
    await #expect(throws: Late.self) { try await clock.limiting(to: .seconds(1), orThrow: { nil }) { throw Late() } }
  }
}
