import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@_spi(Programs) @testable import HalcyonPipeline

/// Ending all loads of a pipeline, and all loads of one URL.
@Suite(.unitTest)
struct InvalidationTests {
  /// A pipeline whose transport waits for `release`, and counts the requests that wait.
  private func heldFixture(_ started: Counter, _ release: Signal) -> PipelineFixture {
    PipelineFixture(configure: { $0.connectionLimits = ConnectionLimits(total: 100, perHost: 100) }) { _ in
      started.increment()
      await release.waitIgnoringCancellation()
      return .response(body: SolidImage(width: 10, height: 10).data)
    }
  }

  private func isInvalidated(_ result: Result<some Any, ImageError>?, _ url: URL) -> Bool {
    if case .failure(.pipelineInvalidated(url))? = result { true } else { false }
  }

  private func result<Value>(
    _ load: () async throws(ImageError) -> Value
  ) async -> Result<Value, ImageError> {
    do throws(ImageError) { return .success(try await load()) } catch { return .failure(error) }
  }

  @Test func `every kind of load in flight ends with an error that says so`() async throws {
    let (started, release) = (Counter(), Signal())
    let fixture = heldFixture(started, release)
    let pipeline = fixture.pipeline
    func url(_ name: String) -> URL { fixture.url.appending(path: name) }
    let (imageURL, dataURL) = (url("image"), url("data"))
    async let image = result { () async throws(ImageError) in try await pipeline.image(for: imageURL) }
    async let data = result { () async throws(ImageError) in try await pipeline.data(for: ImageRequest(url: dataURL)) }
    let task = pipeline.task(for: ImageRequest(url: url("task"), processors: [.invert]))
    let batch = pipeline.batch(for: [ImageRequest(url: url("batch"))])
    let prefetch = ImagePrefetcher(pipeline: pipeline).start([url("prefetch")])
    var fallback = ImageRequest(url: url("fallback"))
    fallback.alternatives = [.url(url("other"))]
    let request = fallback
    async let alternative = result { () async throws(ImageError) in try await pipeline.image(for: request) }
    await started.wait(for: 6)
    pipeline.invalidate()
    pipeline.invalidate()
    #expect(isInvalidated(await image, imageURL))
    #expect(isInvalidated(await data, dataURL))
    #expect(isInvalidated(await alternative, url("fallback")))
    #expect(isInvalidated(await result { () async throws(ImageError) in try await task.image }, url("task")))
    #expect(isInvalidated(await batch.results.first, url("batch")))
    #expect(
      isInvalidated(await prefetch.result.failed.first.map { .failure($0.error) } ?? .success(()), url("prefetch")))
    release.set()
    while pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
  }

  /// A pipeline whose image is stale and being revalidated, which waits at `gate` until it is cancelled.
  private func revalidatingFixture(_ fields: HTTPHeaders, _ gate: Gate, _ cancelled: Counter) -> PipelineFixture {
    PipelineFixture { request in
      if request.headers["If-None-Match"] != nil {
        do { try await gate.wait() } catch { cancelled.increment() }
      }
      return .response(body: SolidImage(width: 10, height: 10).data, headers: fields)
    }
  }

  @Test func `a revalidation in the background ends, and its entry remains as it is`() async throws {
    let (gate, cancelled) = (Gate(), Counter())
    let fixture = revalidatingFixture(
      ["ETag": "\"1\"", "Cache-Control": "max-age=0, stale-while-revalidate=60"], gate, cancelled)
    let request = ImageRequest(url: fixture.url) { $0.memoryAccess = .disabled }
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    let stored = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: request))
    #expect(try await fixture.pipeline.response(for: request).origin == .store)
    try await gate.waitUntilHolding(1)
    fixture.pipeline.invalidate()
    await fixture.pipeline.cache.flush()
    #expect(cancelled.count == 1)
    #expect(fixture.pipeline.activeJobCount == 0)
    let entry = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: request))
    #expect(stored != nil && entry?.metadata == stored?.metadata)
  }

  @Test func `nothing new begins, not even for an image in memory`() async throws {
    let fixture = PipelineFixture.serving()
    _ = try await fixture.pipeline.image(for: fixture.url)
    fixture.pipeline.invalidate()
    #expect(fixture.pipeline[cached: ImageRequest(url: fixture.url)] == nil)
    let pipeline = fixture.pipeline
    for url in [fixture.url, fixture.url.appending(path: "b")] {
      let request = ImageRequest(url: url)
      #expect(
        isInvalidated(await result { () async throws(ImageError) in try await pipeline.image(for: request) }, url))
      #expect(isInvalidated(await result { () async throws(ImageError) in try await pipeline.data(for: request) }, url))
      #expect(
        isInvalidated(await result { () async throws(ImageError) in try await pipeline.task(for: request).image }, url))
    }
    #expect(fixture.transport.requests.count == 1)
    #expect(fixture.memory.count == 1, "the caches remain as they are")
  }

  @Test func `another pipeline with the same caches and transport goes on`() async throws {
    let fixture = PipelineFixture.serving()
    let other = ImagePipeline(configuration: fixture.pipeline.configuration)
    fixture.pipeline.invalidate()
    _ = try await other.image(for: fixture.url)
    #expect(other[cached: ImageRequest(url: fixture.url)] != nil)
  }

  @Test func `work that waits for a thread when the pool closes is done, and later work is refused`() async throws {
    let pool = WorkerPool(name: "closing", width: 1)
    let gate = Latch()
    let started = Signal()
    async let first = pool.run { _ in
      started.set()
      gate.wait()
      return 1
    }
    await started.wait()
    pool.close()
    gate.open()
    #expect(try await first == 1)
    await #expect(throws: CancellationError.self) { try await pool.run { _ in 2 } }
  }

  @Test func `all loads of one URL are cancelled, and loads of others go on`() async throws {
    let (started, release) = (Counter(), Signal())
    let fixture = heldFixture(started, release)
    let url = fixture.url
    let requests = [
      ImageRequest(url: url), ImageRequest(url: url, size: .fit(width: 5, height: 5)),
      ImageRequest(url: url, processors: [.invert]),
    ]
    // The first one starts before the last, which loads the same image as a step and would do in its place.
    let first = fixture.pipeline.task(for: requests[0])
    await started.wait(for: 1)
    let tasks = [first] + requests.dropFirst().map { fixture.pipeline.task(for: $0) }
    let other = fixture.pipeline.task(for: ImageRequest(url: url.appending(path: "other")))
    let dataRequest = ImageRequest(url: url.appending(path: "data"))
    async let data = result { () async throws(ImageError) in try await fixture.pipeline.data(for: dataRequest) }
    await started.wait(for: 3)
    // The three requests of one URL share a transfer: four jobs for images, three for bytes, and three transfers.
    while fixture.pipeline.activeJobCount < 10 { try await Task.yieldUnlessCancelled() }
    #expect(fixture.pipeline.activeLoadCount == 3)
    fixture.pipeline.cancelLoads(of: .url(url))
    fixture.pipeline.cancelLoads(of: dataRequest.source)
    #expect(fixture.pipeline.activeLoadCount == 1)
    for task in tasks {
      guard case .failure(.cancelled) = await result({ () async throws(ImageError) in try await task.image }) else {
        Issue.record("not cancelled: \(task.request)")
        continue
      }
    }
    guard case .failure(.cancelled) = await data else {
      Issue.record("the load of the encoded bytes was not cancelled")
      return
    }
    release.set()
    _ = try await other.image
    _ = try await fixture.pipeline.image(for: url)
  }
}
