#if canImport(CHalcyonMemcached)
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

@Suite(.integrationTest)
struct TimedCallsTests {
  private struct Failure: Error {}

  @Test func `calls return what their work does, and are not watched any more`() async throws {
    let (calls, pool) = (TimedCalls(timeout: .seconds(1000)), WorkerPool(name: "test", width: 2, spins: true))
    for number in 0..<200 { #expect(try await calls.run(on: pool) { number } == number) }
    await #expect(throws: Failure.self) { try await calls.run(on: pool) { throw Failure() } }
    #expect(calls.watchedCount <= 2)
  }

  @Test func `a call whose thread is blocked ends at the timeout, and so does one without a thread`() async throws {
    let (calls, gate) = (TimedCalls(timeout: .milliseconds(20)), Gate())
    let (own, busy) = (WorkerPool(name: "test", width: 1), WorkerPool(name: "test", width: 1))
    await #expect(throws: TimedCalls.TimedOut.self) { try await calls.run(on: own) { gate.waitBlocking() } }
    let isStarted = Lock(false)
    busy.enqueue { gate.waitBlocking() }
    await #expect(throws: TimedCalls.TimedOut.self) {
      try await calls.run(on: busy) { isStarted.withLock { $0 = true } }
    }
    gate.open()
    try await busy.run { _ in }
    // The work of a call that has ended does not start.
    #expect(!isStarted.withLock { $0 })
  }

  @Test func `a call that is cancelled ends at once, also before it begins`() async throws {
    let (calls, pool) = (TimedCalls(timeout: .seconds(1000)), WorkerPool(name: "test", width: 1))
    let gate = Gate()
    let blocked = Task { try await calls.run(on: pool) { gate.waitBlocking() } }
    let waiting = Task { try await calls.run(on: pool) { 1 } }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    blocked.cancel()
    await #expect(throws: CancellationError.self) { try await blocked.value }
    gate.open()
    #expect(try await calls.run(on: pool) { 2 } == 2)
  }
}
#endif
