import HalcyonCache
import HalcyonImaging
import HalcyonSupport
import Foundation
import HalcyonHTTP
import HalcyonPipeline
import HalcyonTesting
import TestSupport
import TestDoubles
import TestTraits
import Testing

/// Requests with a transport of their own.
@Suite(.unitTest)
struct RequestTransportTests {
  private let image = SolidImage(width: 10, height: 10).data

  /// A scripted transport with an address policy.
  private struct PolicyTransport: Transport {
    let base: ScriptedTransport
    let addressPolicy: AddressPolicy

    func response(to request: TransportRequest) async throws -> TransportResponse {
      try await base.response(to: request)
    }
  }

  private func request(_ url: URL, over transport: any Transport) -> ImageRequest {
    var request = ImageRequest(url: url)
    request.options.transport = transport
    return request
  }

  @Test func `a request is sent by its own transport, and shares no transfer with others`() async throws {
    let (held, image, gate) = (HeldPipeline(), image, Gate())
    let own = ScriptedTransport { _ in
      try await gate.wait()
      return .response(body: image)
    }
    let request = request(held.fixture.url, over: own)
    let tasks = [held.pipeline.task(for: held.fixture.url), held.pipeline.task(for: request)]
    try await held.gate.waitUntilHolding()
    try await gate.waitUntilHolding()
    let copy = held.pipeline.task(for: request)
    held.gate.open()
    gate.open()
    #expect(try await tasks[0].image.size.width == 8)
    #expect(try await tasks[1].image.size.width == 10)
    #expect(try await copy.image.size.width == 10)
    #expect(held.fixture.transport.requests.count == 1)
    #expect(own.requests.count == 1)
  }

  @Test func `images are cached for all transports with the same address policy`() async throws {
    let fixture = PipelineFixture.serving()
    let own = ScriptedTransport { _ in .failure(.hostNotFound("a")) }
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(try await fixture.pipeline.response(for: request(fixture.url, over: own)).origin == .memory)
    #expect(own.requests.isEmpty)
  }

  @Test func `the address policy of the request's transport counts, not that of the pipeline`() async throws {
    let strict = AddressPolicy.publicInternetOnly
    let script = ScriptedTransport { [image] _ in .response(body: image) }
    let fixture = PipelineFixture.serving()
    var configuration = fixture.pipeline.configuration
    configuration.transport = PolicyTransport(base: script, addressPolicy: strict)
    let restricted = ImagePipeline(configuration: configuration)
    let plain = ImageRequest(url: fixture.url)
    let (open, closed) = (
      request(fixture.url, over: script),
      request(fixture.url, over: PolicyTransport(base: script, addressPolicy: strict))
    )
    #expect(fixture.pipeline.cacheKey(for: closed) == restricted.cacheKey(for: plain))
    #expect(restricted.cacheKey(for: open) == fixture.pipeline.cacheKey(for: plain))
    #expect(fixture.pipeline.cacheKey(for: open) == ImagePipeline.cacheKey(for: plain))
    #expect(ImagePipeline.cacheKey(for: closed) == restricted.cacheKey(for: plain))

    _ = try await fixture.pipeline.image(for: plain)
    #expect(fixture.pipeline.cachedImage(for: closed) == nil)
    #expect(restricted.cachedImage(for: plain) == nil)
    #expect(restricted.cachedImage(for: open) != nil)

    var reset = closed
    reset.options.transport = nil
    #expect(fixture.pipeline.cacheKey(for: reset) == ImagePipeline.cacheKey(for: plain))
    #expect(ImagePipeline.cacheKey(for: reset) == ImagePipeline.cacheKey(for: plain))
  }

  @Test func `a failure of one transport is not remembered for another`() async throws {
    let fixture = PipelineFixture(configure: { $0.retryStrategy = NoRetry() }) { _ in
      .response(status: 404, body: Data())
    }
    let own = ScriptedTransport { [image] _ in .response(body: image) }
    for _ in 1...2 {
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    }
    #expect(fixture.transport.requests.count == 1)
    #expect(try await fixture.pipeline.image(for: request(fixture.url, over: own)).size.width == 10)
  }
}
