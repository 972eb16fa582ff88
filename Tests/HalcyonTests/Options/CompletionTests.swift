import HalcyonSupport
import Foundation
import Halcyon
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct CompletionTests {
  @Test func `a completion is called once, on the queue of the call or the main actor`() async throws {
    try await OptionsFixture.run(serving: TestImage.png()) { fixture async throws in
      let (calls, request) = (EventLog<String>(), fixture.request())
      let (queue, name) = (DispatchQueue(label: "images"), DispatchSpecificKey<String>())
      queue.setSpecific(key: name, value: "queue")
      DispatchQueue.main.setSpecific(key: name, value: "main")
      @Sendable func record(_ text: String) {
        calls.record("\(text) on \(DispatchQueue.getSpecific(key: name) ?? "none")")
      }
      let task = fixture.pipeline.task(for: request, on: queue) { result in
        record((try? result.get()) == nil ? "failure" : "image")
      }
      #expect(try await calls.waitForEvents(count: 1) == ["image on queue"])
      task.cancel()
      fixture.pipeline.task(for: request) { _ in record("image") }
      #expect(try await calls.waitForEvents(count: 2).last == "image on main")
      fixture.memory.removeAll()
      fixture.pipeline.task(for: request, on: queue) { result in
        if case .failure(.cancelled) = result { record("cancelled") }
      }.cancel()
      #expect(try await calls.waitForEvents(count: 3).last == "cancelled on queue")
    }
  }
}
