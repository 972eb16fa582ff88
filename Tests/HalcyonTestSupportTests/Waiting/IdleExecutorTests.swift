import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct IdleExecutorTests {
  @Test func `when the executor is idle, its task is suspended elsewhere`() async throws {
    let (gate, executor, log) = (Gate(), IdleExecutor(), EventLog<Int>())
    let task = Task(executorPreference: executor) {
      for number in 1...100 {
        await Task.yield()
        log.record(number)
      }
      try await gate.wait()
      log.record(101)
    }
    try await executor.waitUntilIdle()
    #expect(log.events == Array(1...100))
    #expect(gate.heldCount == 1)
    gate.open()
    try await task.value
    #expect(log.events.last == 101)
  }
}
