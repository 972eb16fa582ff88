import HalcyonCache
import Foundation
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Batches whose results are taken one by one.
@Suite(.integrationTest)
struct StreamedResultsTests {
  private func requests(_ count: Int) -> [ImageRequest] { [URL].numbered(count).map { ImageRequest(url: $0) } }

  @Test func `results arrive in the order in which the loads end, with their position`() async throws {
    let gates = (0..<4).map { _ in Gate() }
    let fixture = PipelineFixture { request in
      let number = Int(request.url.lastPathComponent) ?? 0
      try await gates[number].wait()
      return .response(body: SolidImage(width: UInt16(number + 1), height: 1).data)
    }
    var results = fixture.pipeline.results(for: requests(4)).makeAsyncIterator()
    for index in [2, 0, 3, 1] {
      gates[index].open()
      let element = try #require(await results.next(isolation: nil))
      #expect(element.index == index)
      #expect(try element.result.get().image.size.width == index + 1)
    }
    #expect(await results.next(isolation: nil) == nil)
    #expect(await results.next(isolation: nil) == nil)
  }

  @Test func `failures are elements and count as ended`() async throws {
    let fixture = PipelineFixture(configure: { $0.options.retryStrategy = .never }) { request in
      request.url.lastPathComponent == "1"
        ? .response(status: 404, body: Data()) : .response(body: SolidImage(width: 1, height: 1).data)
    }
    var failed: [Int] = []
    var progress: [BatchProgress] = []
    for await element in fixture.pipeline.results(for: requests(3), concurrencyLimit: 1) {
      progress.append(element.progress)
      if element.result.errorName != nil { failed.append(element.index) }
    }
    #expect(failed == [1])
    #expect(progress.map(\.endedCount) == [1, 2, 3])
    #expect(progress.map(\.failedCount) == [0, 1, 1])
    #expect(progress.map(\.totalCount) == [3, 3, 3])
    #expect(progress.last?.fraction == 1)
  }

  @Test func `a slow reader holds as many results as may be concurrent`() async throws {
    let held = HeldPipeline()
    var results = held.pipeline.results(for: requests(20), concurrencyLimit: 3).makeAsyncIterator()
    #expect(held.began.events.isEmpty, "no load begins before a result is requested")
    held.gate.open()
    for taken in 1...20 {
      #expect(await results.next(isolation: nil) != nil)
      // Until nothing is loaded any more: what has been loaded waits for the reader.
      while held.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
      for _ in 0..<100 { await Task.yield() }
      #expect(held.began.events.count <= taken + 3)
    }
  }

  @Test(.slow) func `of ten thousand images only those of the window are held`() async throws {
    let count = 10_000
    let fixture = PipelineFixture { _ in .response(body: SolidImage(width: 2, height: 2).data) }
    let requests = requests(count).map { request in
      var request = request
      (request.memoryAccess, request.storeAccess) = (.disabled, .disabled)
      return request
    }
    let alive = AliveImages()
    var indices: Set<Int> = []
    for await element in fixture.pipeline.results(for: requests, concurrencyLimit: 4) {
      alive.add(try element.result.get().image)
      indices.insert(element.index)
    }
    #expect(indices.count == count)
    // The image that the loop has, images that are being loaded, and images that are being released.
    #expect(alive.highest <= 16)
  }

  @Test func `leaving the loop cancels the loads in flight`() async throws {
    let held = HeldPipeline()
    held.gate.release()
    for await _ in held.pipeline.results(for: requests(5), concurrencyLimit: 3) { break }
    let count = held.began.events.count
    try await held.cancelled.waitForEvents(count: 2)
    #expect(count <= 4)
  }

  @Test func `cancelling the calling task cancels the loads in flight and ends the sequence`() async throws {
    let held = HeldPipeline()
    let task = Task {
      var count = 0
      for await _ in held.pipeline.results(for: requests(5), concurrencyLimit: 2) { count += 1 }
      return count
    }
    try await held.gate.waitUntilHolding(2)
    task.cancel()
    #expect(await task.value == 0)
    try await held.cancelled.waitForEvents(count: 2)
    #expect(held.began.events.count == 2)
  }

  @Test(arguments: [-3, 0, 1]) func `with a limit of 1 or less, images are loaded one after the other`(
    limit: Int
  ) async throws {
    let running = Lock((now: 0, most: 0))
    let fixture = PipelineFixture { _ in
      running.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      for _ in 0..<10 { await Task.yield() }
      running.withLock { $0.now -= 1 }
      return .response(body: SolidImage(width: 1, height: 1).data)
    }
    var indices: [Int] = []
    for await element in fixture.pipeline.results(for: requests(4), concurrencyLimit: limit) {
      indices.append(element.index)
      _ = try element.result.get()
    }
    #expect(indices == [0, 1, 2, 3])
    let others = Array(requests(8).dropFirst(4))
    #expect(try await fixture.pipeline.batch(for: others, concurrencyLimit: limit).images.count == 4)
    #expect(running.withLock(\.most) == 1)
  }

  @Test func `a batch without requests ends at once`() async {
    let fixture = PipelineFixture.serving()
    for await _ in fixture.pipeline.results(for: []) { Issue.record("unexpected result") }
  }
}

/// The most images of a batch that have been alive at the same time.
private final class AliveImages: Sendable {
  private struct Entry: Sendable { let bitmap: WeakBitmap }

  private let state = Lock((entries: [Entry](), highest: 0))

  var highest: Int { state.withLock(\.highest) }

  func add(_ image: DecodedImage) {
    state.withLock { state in
      state.entries = state.entries.filter { $0.bitmap.bitmap != nil } + [Entry(bitmap: WeakBitmap(image.bitmap))]
      state.highest = max(state.highest, state.entries.count)
    }
  }
}
