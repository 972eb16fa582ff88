import HalcyonCache
import HalcyonHTTP
import HalcyonSupport
@_spi(Programs) import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PrefetchControlTests {
  @Test @MainActor func `images stopped in the turn that started them are never requested`() async {
    let fixture = PipelineFixture.serving()
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    let task = prefetcher.start([URL].numbered(20))
    prefetcher.stop()
    let result = await task.result
    #expect(result.failed.map(\.request).numbers == Array(0..<20))
    #expect(result.failed.allSatisfy { $0.error.name == "cancelled" })
    // A second prefetch starts after the stopped one would have started.
    #expect(await prefetcher.start([fixture.url]).result.completed.count == 1)
    #expect(fixture.transport.requests.map(\.url) == [fixture.url])
  }

  @Test func `stopping cancels the loads in flight and reports the queued ones as cancelled`() async throws {
    let held = HeldPipeline()
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    let task = prefetcher.start([URL].numbered(20))
    try await held.began.waitForEvents(count: 5)
    prefetcher.stop()
    let result = await task.result
    #expect(result.failed.count == 20)
    #expect(result.failed.allSatisfy { $0.error.name == "cancelled" })
    try await held.cancelled.waitForEvents(count: 5)
    #expect(held.began.events.count == 5)
  }

  @Test func `five images load at once by default, and the limit can change meanwhile`() async throws {
    let held = HeldPipeline()
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    let task = prefetcher.start([URL].numbered(20))
    try await held.gate.waitUntilHolding(5)
    #expect(held.pipeline.activeLoadCount == 5)
    prefetcher.concurrencyLimit = 9
    try await held.gate.waitUntilHolding(9)
    #expect(ImagePrefetcher(pipeline: held.pipeline, concurrencyLimit: 0).concurrencyLimit == 1)
    prefetcher.concurrencyLimit = 0
    try #require(prefetcher.concurrencyLimit == 1)
    held.gate.release(8)
    for await progress in task.progress where progress.endedCount == 8 { break }
    #expect(held.began.events.count == 9)
    held.gate.open()
    #expect(await task.result.completed.count == 20)
  }

  @Test func `a paused prefetcher starts no load until it is resumed`() async throws {
    let held = HeldPipeline()
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    let begun = prefetcher.start([URL].numbered(2))
    try await held.gate.waitUntilHolding(2)
    prefetcher.isPaused = true
    let waiting = prefetcher.start([URL].numbered(10))
    held.gate.open()
    #expect(await begun.result.completed.count == 2)
    #expect(held.began.events.count == 2)
    prefetcher.isPaused = false
    _ = await waiting.result
    #expect(held.began.events.count == 10)
  }

  @Test(arguments: [nil, ImagePriority.high])
  func `prefetches have low priority whatever their request says, and changing it affects loads in flight`(
    raised: ImagePriority?
  )
    async throws
  {
    // One may wait: of two waiting loads, the one of lower priority is rejected.
    let held = HeldPipeline(configure: { $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1, waiting: 1) })
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    #expect(prefetcher.priority == .low)
    let blocker = held.pipeline.task(for: ImageRequest(url: held.fixture.url))
    try await held.gate.waitUntilHolding(1)
    let resolved = Signal()
    let url = try #require([URL].numbered(1).first)
    let source = ImageSource.url(key: "0") {
      resolved.set()
      return url
    }
    let prefetch = prefetcher.start([ImageRequest(source: source) { $0.priority = .veryHigh }])
    await resolved.wait()
    if let raised { prefetcher.priority = raised }
    let visible = held.pipeline.task(for: ImageRequest(url: url.appending(path: "1")))
    let rejected: String?
    if raised == nil {
      rejected = await prefetch.result.failed.first?.error.name
      held.gate.open()
      _ = try await visible.image
    } else {
      rejected = await #expect(throws: ImageError.self) { try await visible.image }?.name
      held.gate.open()
      #expect(await prefetch.result.completed.count == 1)
    }
    #expect(rejected == "tooManyWaiting")
    _ = try await blocker.image
  }

  @Test func `stopping one call leaves the images that another call also requested`() async throws {
    let held = HeldPipeline()
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    let urls = [URL].numbered(4)
    let first = prefetcher.start(urls)
    try await held.gate.waitUntilHolding(4)
    let second = prefetcher.start([held.fixture.url] + Array(urls.prefix(2)))
    try await held.gate.waitUntilHolding(5)
    first.stop()
    #expect(await first.result.failed.count == 4)
    try await held.cancelled.waitForEvents(count: 2)
    held.gate.open()
    #expect(await second.result.completed.count == 3)
    #expect(Set(held.cancelled.events) == ["2", "3"])
  }

  @Test func `single requests can be stopped`() async throws {
    let held = HeldPipeline()
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    let requests = [URL].numbered(10).map { ImageRequest(url: $0) }
    let task = prefetcher.start(requests)
    try await held.gate.waitUntilHolding(5)
    prefetcher.stop([requests[0], requests[9]])
    try await held.cancelled.waitForEvents(count: 1)
    held.gate.open()
    let result = await task.result
    #expect(result.failed.map(\.request).numbers == [0, 9])
    #expect(result.completed.numbers == Array(1..<9))
    #expect(!held.began.events.contains("9"))
  }

  @Test func `images that were added are loaded although their prefetcher is released`() async throws {
    let held = HeldPipeline()
    ImagePrefetcher(pipeline: held.pipeline).start([URL].numbered(20))
    try await held.gate.waitUntilHolding(5)
    held.gate.open()
    try await held.began.waitForEvents(count: 20)
    #expect(held.cancelled.events.isEmpty)
  }

  @Test func `a prefetch task keeps its prefetcher alive`() async {
    let fixture = PipelineFixture.serving()
    let task = ImagePrefetcher(pipeline: fixture.pipeline).start([fixture.url])
    #expect(await task.result.completed.count == 1)
  }

  @Test(.slow) func `ten thousand concurrent prefetchers finish every image exactly once`() async {
    let fixture = PipelineFixture.serving()
    let urls = [URL].numbered(500)
    await withTaskGroup { group in
      for number in 0..<10_000 {
        group.addTask {
          let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
          let task = prefetcher.start([urls[number % 500], urls[(number + 3) % 500]])
          if number % 3 == 0 { prefetcher.stop() }
          let result = await task.result
          #expect(result.skipped.count + result.completed.count + result.failed.count == 2)
        }
      }
    }
    #expect(await ImagePrefetcher(pipeline: fixture.pipeline).start(urls).result.failed.isEmpty)
  }

  @Test func `concurrent starts and stops finish every image exactly once`() async {
    let fixture = PipelineFixture.serving()
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    let requests = [URL].numbered(30).map { ImageRequest(url: $0) }
    await withTaskGroup { group in
      for worker in 0..<8 {
        group.addTask {
          for step in 0..<100 {
            let task = prefetcher.start(Array(requests[(step % 20)..<(step % 20 + 10)]))
            switch (worker + step) % 5 {
            case 0: task.stop()
            case 1: prefetcher.stop(Array(requests.prefix(15)))
            case 2: prefetcher.concurrencyLimit = 1 + step % 7
            case 3: fixture.memory.removeAll()
            default: prefetcher.priority = step % 2 == 0 ? .veryLow : .high
            }
            let result = await task.result
            #expect(result.skipped.count + result.completed.count + result.failed.count == 10)
          }
        }
      }
    }
    // Every permit has been released, or this call would hang.
    prefetcher.concurrencyLimit = 1
    #expect(await prefetcher.start(requests).result.failed.isEmpty)
  }
}
