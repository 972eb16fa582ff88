import HalcyonSupport
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Reading and writing an image in memory under its request, and short forms of requests and options.
@Suite(.unitTest)
struct CachedSubscriptTests {
  @Test func `an image is set, read and removed under a request with the options of the pipeline`() async throws {
    let clock = TestClock()
    let fixture = PipelineFixture(configure: {
      $0.time = clock
      $0.options.scale = 2
    }) { _ in .failure(.cancelled) }
    let small = ImageRequest(url: fixture.url, size: .fit(width: 10))
    fixture.pipeline[cached: small] = try solidImage(10, 5)
    clock.advance(by: .seconds(86_400))
    #expect(fixture.pipeline[cached: small]?.size.height == 5)
    #expect(fixture.pipeline[cached: small]?.scale == 2)
    #expect(try await fixture.pipeline.response(for: small).origin == .memory)
    #expect(fixture.pipeline[cached: ImageRequest(url: fixture.url)] == nil)
    fixture.pipeline[cached: small] = nil
    #expect(fixture.pipeline[cached: small] == nil)
    #expect(fixture.store.count == 0)
  }

  @Test func `an image that is set expires as its request says`() throws {
    let clock = TestClock()
    let fixture = PipelineFixture(configure: {
      ($0.time, $0.cache) = (clock, ImageCache(memory: MemoryCache(time: clock), store: nil))
    }) { _ in .failure(.cancelled) }
    let request = ImageRequest(url: fixture.url) { $0.memoryExpiration = .after(.seconds(10), since: .storing) }
    fixture.pipeline[cached: request] = try solidImage()
    clock.advance(by: .seconds(9))
    #expect(fixture.pipeline[cached: request] != nil)
    clock.advance(by: .seconds(2))
    #expect(fixture.pipeline[cached: request] == nil)
  }

  @Test func `an image is not set for a request that must not write to memory`() throws {
    let fixture = PipelineFixture.serving()
    fixture.pipeline[cached: ImageRequest(url: fixture.url) { $0.memoryAccess = .disabled }] = try solidImage()
    #expect(fixture.memory.count == 0)
  }
}
