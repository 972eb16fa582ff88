import HalcyonHTTP
import HalcyonCache
import HalcyonImaging
import HalcyonSupport
import HalcyonPipeline
import TestSupport
import TestDoubles
import TestTraits
import Testing

/// What the cancellation of a caller that waits for a task means for its load.
@Suite(.unitTest)
struct TaskWaitTests {
  @Test func `cancelling the only caller that waits for a task cancels its load`() async throws {
    let held = HeldPipeline()
    let task = held.pipeline.task(for: held.fixture.url)
    try await held.gate.waitUntilHolding()
    let caller = Task { try await task.image }
    caller.cancel()
    await #expect(throws: ImageError.self) { try await caller.value }
    #expect(task.result?.errorName == "cancelled")
    try await held.cancelled.waitForEvents(count: 1)
  }

  @Test func `cancelling one of two callers leaves the load running for the other`() async throws {
    let held = HeldPipeline()
    let task = held.pipeline.task(for: held.fixture.url)
    try await held.gate.waitUntilHolding()
    let events = task.events
    let caller = Task { try await task.response }
    caller.cancel()
    await #expect(throws: ImageError.self) { try await caller.value }
    #expect(task.result == nil)
    held.gate.open()
    var isFinished = false
    for await event in events { if case .finished(.success) = event { isFinished = true } }
    #expect(isFinished)
    #expect(held.cancelled.events.isEmpty)
  }

  @Test func `a completion handler is called although a caller that waited was cancelled`() async throws {
    let held = HeldPipeline()
    let completions = EventLog<Bool>()
    var request = ImageRequest(url: held.fixture.url)
    request.options.callbackExecutor = .immediate
    let task = held.pipeline.task(for: request) { completions.record((try? $0.get()) != nil) }
    try await held.gate.waitUntilHolding()
    let caller = Task { try await task.image }
    caller.cancel()
    await #expect(throws: ImageError.self) { try await caller.value }
    held.gate.open()
    #expect(try await completions.waitForEvents(count: 1) == [true])
  }

  @Test func `cancelling the only caller that waits for a data task cancels its load`() async throws {
    let held = HeldPipeline()
    let task = held.pipeline.dataTask(for: ImageRequest(url: held.fixture.url))
    try await held.gate.waitUntilHolding()
    let caller = Task { try await task.data }
    caller.cancel()
    await #expect(throws: ImageError.self) { try await caller.value }
    #expect(task.result?.errorName == "cancelled")
    try await held.cancelled.waitForEvents(count: 1)
  }
}
