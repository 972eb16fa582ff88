import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct SignalTests {
  @Test func `a signal ends all waits, and a counter those for its value`() async throws {
    let (signal, counter) = (Signal(), Counter())
    async let early: Void = signal.wait()
    await signal.waitForWaiter()
    signal.set()
    await early
    await signal.wait()
    await signal.waitIgnoringCancellation()
    async let second: Void = counter.wait(for: 2)
    for _ in 0..<2 { counter.increment() }
    await second
    #expect(counter.count == 2)
  }

  @Test func `a cancelled task waits for nothing, unless it says so`() async throws {
    let (signal, counter) = (Signal(), Counter())
    let waits: [@Sendable () async -> Void] = [
      { await signal.wait() }, { await signal.waitForWaiter() }, { await counter.wait(for: 1) },
    ]
    for wait in waits {
      let waiting = Task { await wait() }
      waiting.cancel()
      await waiting.value
    }
    let patient = Task {
      await signal.waitIgnoringCancellation()
      return counter.count
    }
    patient.cancel()
    await signal.waitForWaiter()
    counter.increment()
    signal.set()
    #expect(await patient.value == 1)
  }

  @Test func `a loop that yields ends when its task is cancelled`() async throws {
    let endless = Task { while true { try await Task.yieldUnlessCancelled() } }
    endless.cancel()
    await #expect(throws: CancellationError.self) { try await endless.value }
  }

  @Test func `a test that exceeds its limit is cancelled and fails`() async throws {
    let test = try #require(Test.current)
    let signal = Signal()
    try await withKnownIssue {
      try await TestLimit(seconds: 0).limit(test) { await signal.wait() }
    } matching: {
      $0.comments.contains { "\($0)".contains("longer than 0 seconds") }
    }
  }
}
