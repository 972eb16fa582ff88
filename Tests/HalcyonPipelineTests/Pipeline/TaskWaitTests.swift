import HalcyonHTTP
import HalcyonCache
import HalcyonImaging
import HalcyonSupport
import HalcyonPipeline
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// The effect on a load when a caller that waits for its task is cancelled.
@Suite(.unitTest)
struct TaskWaitTests {
  @Test func `cancelling the only caller that waits for a task cancels its load`() async throws {
    let held = HeldPipeline()
    let task = held.pipeline.task(for: ImageRequest(url: held.fixture.url))
    try await held.gate.waitUntilHolding()
    let caller = Task { try await task.image }
    caller.cancel()
    await #expect(throws: ImageError.self) { try await caller.value }
    #expect(task.result?.errorName == "cancelled")
    try await held.cancelled.waitForEvents(count: 1)
  }

  @Test func `cancelling one of two callers leaves the load running for the other`() async throws {
    let held = HeldPipeline()
    let task = held.pipeline.task(for: ImageRequest(url: held.fixture.url))
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
    let task = held.pipeline.task(for: ImageRequest(url: held.fixture.url)) {
      completions.record((try? $0.get()) != nil)
    }
    try await held.gate.waitUntilHolding()
    let caller = Task { try await task.image }
    caller.cancel()
    await #expect(throws: ImageError.self) { try await caller.value }
    held.gate.open()
    #expect(try await completions.waitForEvents(count: 1) == [true])
  }
}

extension Result where Failure == ImageError {
  /// The name of the error; `nil` for a success.
  var errorName: String? {
    if case .failure(let error) = self { error.name } else { nil }
  }
}
