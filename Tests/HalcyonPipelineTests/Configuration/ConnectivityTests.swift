import HalcyonTesting
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonPipeline

@Suite(.unitTest)
struct ConnectivityTests {
  @Test func `waiting for a network checks once a second until there is one`() async throws {
    let clock = TestClock()
    let checks = Lock(0)
    let connectivity = SystemConnectivity(time: clock) {
      checks.withLock { checks in
        checks += 1
        return checks == 3
      }
    }
    let wait = Task { try await connectivity.waitUntilOnline() }
    for _ in 0..<2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(1))
    }
    try await wait.value
    #expect(checks.withLock { $0 } == 3)
  }

  @Test func `waiting for a network ends with a cancellation error when cancelled`() async throws {
    let clock = TestClock()
    let connectivity = SystemConnectivity(time: clock) { false }
    let wait = Task { try await connectivity.waitUntilOnline() }
    await clock.waitForSleepers()
    wait.cancel()
    await #expect(throws: CancellationError.self) { try await wait.value }
  }
}
