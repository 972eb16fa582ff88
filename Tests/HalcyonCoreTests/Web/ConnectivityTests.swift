import HalcyonTesting
import Testing

@testable import HalcyonSupport
@testable import HalcyonPipeline

struct ConnectivityTests {
  @Test func `waiting for a network looks once a second until there is one`() async throws {
    let clock = TestClock()
    let looks = Lock(0)
    let connectivity = SystemConnectivity(time: clock) {
      looks.withLock { looks in
        looks += 1
        return looks == 3
      }
    }
    let wait = Task { try await connectivity.waitUntilOnline() }
    for _ in 0..<2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    try await wait.value
    #expect(looks.withLock { $0 } == 3)
  }

  @Test func `waiting for a network ends when it is cancelled`() async throws {
    let clock = TestClock()
    let connectivity = SystemConnectivity(time: clock) { false }
    let wait = Task { try await connectivity.waitUntilOnline() }
    await clock.waitForSleepers()
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }
}
