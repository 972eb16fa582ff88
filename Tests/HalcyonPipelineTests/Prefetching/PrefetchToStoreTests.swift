import HalcyonHTTP
import HalcyonSupport
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct PrefetchToStoreTests {
  private func prefetcher(_ fixture: PipelineFixture) -> ImagePrefetcher {
    ImagePrefetcher(pipeline: fixture.pipeline, destination: .store)
  }

  @Test func `prefetching to the store keeps the bytes received and decodes nothing`() async throws {
    let fixture = PipelineFixture.serving()
    let result = await prefetcher(fixture).start([URL].numbered(3)).result
    #expect(result.completed.numbers == [0, 1, 2])
    #expect(fixture.store.count == 3)
    #expect(fixture.decoder.decodedSizes.isEmpty)
    #expect(fixture.memory.count == 0)
    let url = try #require([URL].numbered(1).first)
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: url)).origin == .store)
    #expect(fixture.transport.requests.count == 3)
  }

  @Test func `local files and inline data are skipped without being read`() async throws {
    let fixture = PipelineFixture.serving()
    let requests = [
      ImageRequest(url: URL(filePath: "/nowhere/at/all.bmp")), ImageRequest(source: .data(Data("?".utf8))),
    ]
    #expect(await prefetcher(fixture).start(requests).result.skipped.count == 2)
  }

  @Test func `a body that is not an image is not stored`() async throws {
    let fixture = PipelineFixture { _ in .response(body: Data("<html>Log in</html>".utf8)) }
    let result = await prefetcher(fixture).start([fixture.url]).result
    #expect(result.failed.map(\.error.name) == ["notAnImage"])
    #expect(fixture.store.keys.isEmpty)
  }

  @Test func `images that must not be stored fail, without a request when that is known before`() async throws {
    let forbidden = PipelineFixture { _ in
      .response(body: SolidImage(width: 8, height: 8).data, headers: ["Cache-Control": "no-store"])
    }
    #expect(await prefetcher(forbidden).start([forbidden.url]).result.failed.map(\.error.name) == ["notStorable"])

    let serving = PipelineFixture.serving()
    let request = ImageRequest(url: serving.url) { $0.storeAccess = .disabled }
    #expect(await prefetcher(serving).start([request]).result.failed.map(\.error.name) == ["notStorable"])

    let storeless = PipelineFixture(configure: { $0.cache = ImageCache(disk: nil) }) { _ in .failure(.cancelled) }
    #expect(await prefetcher(storeless).start([storeless.url]).result.failed.map(\.error.name) == ["notStorable"])
    #expect(serving.transport.requests.isEmpty)
    #expect(storeless.transport.requests.isEmpty)
  }

  @Test func `a visible load joins a prefetch that decodes for the store`() async throws {
    let joined = EventLog<String>()
    let held = HeldPipeline { configuration in
      configuration.encoders = [SolidEncoder()]
      configuration.eventHandler = { if case .joined(.image) = $0.kind { joined.record("image") } }
    }
    var request = ImageRequest(url: held.fixture.url, size: .fit(width: 4, height: 4))
    request.options.storage = .encoded(as: .bmp)
    let prefetch = prefetcher(held.fixture).start([request])
    try await held.gate.waitUntilHolding(1)
    let visible = held.pipeline.task(for: request)
    try await joined.waitForEvents(count: 1)
    held.gate.open()
    _ = try await visible.image
    #expect(await prefetch.result.completed.count == 1)
    await held.pipeline.cache.flush()
    #expect(held.began.events.count == 1)
    #expect(held.fixture.store.count == 2)
    #expect(try await held.pipeline.response(for: request).origin == .memory)
  }
}
