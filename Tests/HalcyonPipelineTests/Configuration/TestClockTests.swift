import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestTraits
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
    // No task sleeps any more, and this one is cancelled before it waits.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await clock.waitForSleepers()
    }
    await late.value
  }

  @Test func `a wait that no test ends is an error that says how to advance the clock`() async throws {
    let clock = TestClock(patience: .milliseconds(1))
    let error = await #expect(throws: TestClock.NotAdvanced.self) { try await clock.sleep(for: .seconds(3)) }
    #expect(error?.description.contains("clock.advance(by: 3.0 seconds)") == true)
    await clock.waitForSleepers()
    #expect(clock.sleeperCount == 0)
  }

  @Test func `a load whose retry no test reaches fails with the error of its attempt`() async throws {
    let transport = ScriptedTransport { _ in .failure(.connectionLost(received: 0, expected: nil)) }
    let pipeline = ImagePipeline(
      configuration: PipelineConfiguration(
        transport: transport, decoders: [], cache: ImageCache(store: MemoryDataStore()),
        time: TestClock(patience: .milliseconds(1))))
    let url = try #require(URL(string: "http://test/a.png"))
    let error = await #expect(throws: ImageError.self) { try await pipeline.data(for: ImageRequest(url: url)) }
    #expect(error?.isTransient == true)
    #expect(transport.requests.count == 1)
  }

  @Test func `a load from a host that pauses its clients does not wait for ever`() async throws {
    let transport = ScriptedTransport { _ in .response(status: 503, body: Data(), headers: ["Retry-After": "5"]) }
    let pipeline = ImagePipeline(
      configuration: PipelineConfiguration(
        transport: transport, decoders: [], cache: ImageCache(store: MemoryDataStore()),
        time: TestClock(patience: .milliseconds(1))))
    let url = try #require(URL(string: "http://test/a.png"))
    await #expect(throws: ImageError.self) { try await pipeline.data(for: ImageRequest(url: url)) }
  }
}
