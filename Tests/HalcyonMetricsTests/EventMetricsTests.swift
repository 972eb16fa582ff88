#if Metrics
import Foundation
import Halcyon
import HalcyonMetrics
import HalcyonTesting
import Metrics
import MetricsTestKit
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct EventMetricsTests {
  /// A GIF of one pixel.
  private static let image = Data(base64Encoded: "R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=") ?? Data()

  private func pipeline(
    _ factory: TestMetrics, _ script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply
  ) -> ImagePipeline {
    var configuration = PipelineConfiguration()
    configuration.transport = ScriptedTransport(script)
    configuration.cache = ImageCache(store: MemoryDataStore())
    configuration.options.retryStrategy = ExponentialBackoff(attemptLimit: 2, firstDelay: .zero)
    let metrics = EventMetrics(factory: factory)
    configuration.eventHandler = { event in metrics(event) }
    return ImagePipeline(configuration: configuration)
  }

  private func total(_ factory: TestMetrics, _ label: String, _ dimensions: (String, String)...) throws -> Int64 {
    try factory.expectCounter("halcyon.\(label)", dimensions).totalValue
  }

  @Test func `loads, reads, responses and steps are counted`() async throws {
    let factory = TestMetrics()
    let pipeline = pipeline(factory) { _ in .response(body: Self.image) }
    let url = try #require(URL(string: "http://example.com/a.gif"))
    for _ in 0..<3 { _ = try await pipeline.image(for: url) }
    await pipeline.cache.flush()
    #expect(try total(factory, "loads", ("result", "network")) == 1)
    #expect(try total(factory, "loads", ("result", "memory")) == 2)
    #expect(try total(factory, "reads", ("tier", "memory"), ("result", "hit")) == 2)
    #expect(try total(factory, "reads", ("tier", "memory"), ("result", "absent")) == 1)
    #expect(try total(factory, "responses", ("status", "200")) == 1)
    #expect(try total(factory, "stored_bytes", ("tier", "memory")) == 4)
    #expect(try total(factory, "stored_bytes", ("tier", "store")) == Int64(Self.image.count))
    #expect(try factory.expectTimer("halcyon.step", [("step", "transfer")]).values.count == 1)
  }

  @Test func `retries and failures are counted`() async throws {
    let factory = TestMetrics()
    let pipeline = pipeline(factory) { _ in .response(status: 503, body: Data()) }
    let url = try #require(URL(string: "http://example.com/a.gif"))
    await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
    #expect(try total(factory, "retries") == 1)
    #expect(try total(factory, "responses", ("status", "503")) == 2)
    #expect(try total(factory, "loads", ("result", "failed")) == 1)
  }

  @Test func `other sources, failures of the store and cancelled loads are counted`() async throws {
    let factory = TestMetrics()
    let pipeline = pipeline(factory) { request in
      if request.url.path() == "/c.gif" { throw CancellationError() }
      return request.url.path() == "/b.gif" ? .response(body: Self.image) : .response(status: 404, body: Data())
    }
    var request = ImageRequest(source: .string("http://example.com/a.gif"))
    request.alternatives = [.string("http://example.com/b.gif")]
    // There is no encoder for this format.
    request.options.storage = .encoded(as: .svg, keepsOriginal: false)
    _ = try await pipeline.image(for: request)
    await pipeline.cache.flush()
    #expect(try total(factory, "fallbacks") == 1)
    #expect(try total(factory, "store_failures") == 1)
    let task = pipeline.task(for: ImageRequest(source: .string("http://example.com/c.gif")))
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    #expect(try total(factory, "loads", ("result", "cancelled")) == 1)
  }
}
#endif
