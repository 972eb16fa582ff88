import HalcyonCache
import HalcyonImaging
import HalcyonHTTP
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ImagePrefetcherTests {
  @Test func `prefetched images are in memory and in the store`() async throws {
    let fixture = PipelineFixture.serving()
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    let requests = [URL].numbered(12).map { ImageRequest(url: $0, size: .fit(width: 10, height: 10)) }
    let result = await prefetcher.start(requests).result
    #expect(result.completed.numbers == Array(0..<12))
    #expect(result.skipped.isEmpty)
    #expect(result.failed.isEmpty)
    for request in requests {
      #expect(fixture.pipeline[cached: request]?.size == PixelSize(width: 10, height: 5))
    }
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 12)
  }

  @Test @MainActor func `requests stopped by URL before they start are not sent`() async throws {
    let fixture = PipelineFixture.serving()
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    let urls = [URL].numbered(4)
    let task = prefetcher.start(urls)
    prefetcher.stop(Array(urls.suffix(3)))
    let result = await task.result
    #expect(result.completed.numbers == [0])
    #expect(result.failed.map(\.error.name) == ["cancelled", "cancelled", "cancelled"])
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `images in memory are skipped, and images only in the store are loaded from it`() async throws {
    let fixture = PipelineFixture.serving()
    let requests = [URL].numbered(3).map { ImageRequest(url: $0, size: .original) }
    for request in requests.prefix(2) { _ = try await fixture.pipeline.image(for: request) }
    await fixture.pipeline.cache.flush()
    fixture.memory.removeImage(for: ImagePipeline.cacheKey(for: requests[1]))
    let result = await ImagePrefetcher(pipeline: fixture.pipeline).start(requests).result
    #expect(result.skipped.numbers == [0])
    #expect(result.completed.numbers == [1, 2])
    #expect(fixture.transport.requests.count == 3)
  }

  @Test func `failures are reported with their requests, and the other images still load`() async throws {
    let fixture = PipelineFixture { request in
      request.url.lastPathComponent == "1"
        ? .response(status: 404, body: Data()) : .response(body: SolidImage(width: 8, height: 8).data)
    }
    let prefetcher = ImagePrefetcher(pipeline: fixture.pipeline)
    let task = prefetcher.start([URL].numbered(3))
    let result = await task.result
    #expect(result.completed.numbers == [0, 2])
    #expect(result.failed.map(\.request).numbers == [1])
    #expect(result.failed.map(\.error.name) == ["httpStatus"])
    var last: BatchProgress?
    for await progress in task.progress { last = progress }
    #expect(last?.completedCount == 2)
    #expect(last?.failedCount == 1)
    #expect(last?.fraction == 1)
  }

  @Test func `progress never decreases, and completes with the last image`() async throws {
    let held = HeldPipeline()
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    let task = prefetcher.start([URL].numbered(4))
    var fractions: [Double] = []
    for await progress in task.progress {
      #expect(progress.totalCount == 4)
      fractions.append(progress.fraction)
      held.gate.release()
    }
    #expect(fractions.first == 0)
    #expect(fractions.last == 1)
    #expect(fractions == fractions.sorted())
  }

  @Test func `an empty prefetch completes at once`() async {
    let prefetcher = ImagePrefetcher(pipeline: PipelineFixture.serving().pipeline)
    let task = prefetcher.start([URL]())
    #expect(await task.result.completed.isEmpty)
    for await progress in task.progress { #expect(progress.fraction == 1) }
  }

  @Test func `duplicate requests are coalesced, within one call and across calls`() async throws {
    let held = HeldPipeline()
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    let urls = [URL].numbered(2)
    let first = prefetcher.start(urls + urls + urls)
    try await held.began.waitForEvents(count: 2)
    let other = try #require([URL].numbered(3).last)
    let second = prefetcher.start([other] + urls)
    try await held.began.waitForEvents(count: 3)
    held.gate.open()
    #expect(await first.result.completed.numbers == [0, 1])
    #expect(await second.result.completed.numbers == [0, 1, 2])
    #expect(held.fixture.transport.requests.count == 3)
  }

  @Test func `several sizes of one image are separate images in memory, but one entry in the store`() async throws {
    let fixture = PipelineFixture.serving()
    let sizes = (1...3).map { ImageRequest(url: fixture.url, size: .fit(width: $0 * 10, height: 100)) }
    #expect(await ImagePrefetcher(pipeline: fixture.pipeline).start(sizes).result.completed.count == 3)
    await fixture.pipeline.cache.flush()
    try await fixture.store.removeAll()
    fixture.memory.removeAll()
    let toStore = ImagePrefetcher(pipeline: fixture.pipeline, destination: .store)
    #expect(await toStore.start(sizes).result.completed.count == 1)
  }

  @Test func `requests for one image that keep it in different ways are separate`() async {
    let fixture = PipelineFixture.serving()
    let requests = [["a"], ["b"], ["a"]].map { tags in ImageRequest(url: fixture.url) { $0.tags = tags } }
    let result = await ImagePrefetcher(pipeline: fixture.pipeline, destination: .store).start(requests).result
    let tags = (result.completed + result.skipped).compactMap { $0.tags?.first }
    #expect(tags.sorted() == ["a", "b"])
  }

  @Test func `a visible load joins the prefetch in flight`() async throws {
    let held = HeldPipeline()
    let prefetcher = ImagePrefetcher(pipeline: held.pipeline)
    let prefetch = prefetcher.start([ImageRequest(url: held.fixture.url, size: .original)])
    try await held.began.waitForEvents(count: 1)
    async let visible = held.pipeline.image(for: held.fixture.url)
    held.gate.open()
    #expect(try await visible.size.width == 8)
    #expect(await prefetch.result.completed.count == 1)
    #expect(held.fixture.transport.requests.count == 1)
  }

  @Test func `the identity of the request modifier is part of the key of a prefetched image`() async throws {
    let fixture = PipelineFixture(configure: { $0.options.requestModifier = Account() }) { _ in
      .response(body: SolidImage(width: 8, height: 8).data)
    }
    let request = ImageRequest(url: fixture.url, size: .original)
    _ = await ImagePrefetcher(pipeline: fixture.pipeline).start([request]).result
    #expect(fixture.pipeline[cached: request] != nil)
  }

  @Test func `without a store an image goes to memory, and one that is made of it counts as loaded`() async {
    let fixture = PipelineFixture(configure: { $0.cache = ImageCache(memory: $0.cache.memory, store: nil) }) { _ in
      .response(body: SolidImage(width: 8, height: 8).data)
    }
    for processors in [[], [.invert]] as [[any ImageProcessor]] {
      let request = ImageRequest(url: fixture.url, processors: processors)
      #expect(await ImagePrefetcher(pipeline: fixture.pipeline).start([request]).result.completed.count == 1)
      #expect(fixture.pipeline[cached: request] != nil)
    }
    #expect(fixture.decoder.decodedSizes.count == 1)
  }

  private static let cacheWithoutStore: RequestOptions = {
    var options = RequestOptions()
    options.cache = ImageCache(memory: MemoryCache(), store: nil)
    return options
  }()

  /// What a request without a view has of its own decides where it goes.
  @Test(
    arguments: [
      (nil, nil, false, [], false), (.fit(width: 4, height: 4), nil, false, [], true),
      (nil, PixelArea(left: 0, top: 0, width: 4, height: 4), false, [], true), (nil, nil, true, [], true),
      (nil, nil, false, .memoryOnly, true), (nil, nil, false, cacheWithoutStore, true),
    ] as [(TargetSize?, PixelArea?, Bool, RequestOptions, Bool)])
  func `an image without size, region and processors is prefetched to the store only, if it writes to one`(
    size: TargetSize?, region: PixelArea?, isProcessed: Bool, options: RequestOptions, isInMemory: Bool
  ) async throws {
    let fixture = PipelineFixture { _ in .response(body: SolidImage(width: 8, height: 8).data) }
    var request = ImageRequest(url: fixture.url, size: size)
    request.region = region
    request.options = options
    if isProcessed { request.processors = [.invert] }
    #expect(await ImagePrefetcher(pipeline: fixture.pipeline).start([request]).result.completed.count == 1)
    #expect((fixture.pipeline[cached: request] != nil) == isInMemory)
  }
}

private struct Account: RequestModifier {
  let identity: String? = "ann"

  func modify(_ request: TransportRequest) async throws -> TransportRequest { request }
}
