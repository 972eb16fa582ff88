import HalcyonTesting
import TestTraits
import Testing

@Suite(.unitTest)
struct TestClockTests {
  @Test func `waiting for sleepers ends when enough tasks sleep, or the waiting task is cancelled`() async throws {
    let clock = TestClock()
    let sleepers = (0..<2).map { _ in Task { try await clock.sleep(for: .seconds(1)) } }
    await clock.waitForSleepers(2)
    #expect(clock.sleeperCount == 2)
    let (waiting, cancelled) = (Task { await clock.waitForSleepers(3) }, Task { await clock.waitForSleepers(4) })
    cancelled.cancel()
    await cancelled.value
    let third = Task { try await clock.sleep(for: .seconds(1)) }
    await waiting.value
    clock.advance(by: .seconds(1))
    for sleeper in sleepers + [third] { try await sleeper.value }
    // Nothing sleeps any more, and the task has been cancelled before it waits.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await clock.waitForSleepers()
    }
    await late.value
  }
}
