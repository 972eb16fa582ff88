import HalcyonImaging
import HalcyonSupport
import HalcyonCache
import HalcyonHTTP
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ReadDuringWriteTests {
  @Test func `a response being written to the store serves other requests meanwhile`() async throws {
    let store = HeldStore()
    let fixture = PipelineFixture(configure: { $0.cache = ImageCache(memory: MemoryCache(), store: store) }) { _ in
      .response(body: SolidImage(width: 100, height: 50).data)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    try await store.gate.waitUntilHolding()
    let small = ImageRequest(url: fixture.url, size: .fit(width: 10, height: 10))
    #expect(try await fixture.pipeline.image(for: small).size.width == 10)
    #expect(fixture.transport.requests.count == 1)
    store.gate.open()
    await fixture.pipeline.cache.flush()
    #expect(store.base.count == 1)
  }
}

extension ReadDuringWriteTests {
  @Test func `a response being written serves no request that contacts the server first, or reads no store`()
    async throws
  {
    let store = HeldStore()
    let fixture = PipelineFixture(configure: { $0.cache = ImageCache(memory: MemoryCache(), store: store) }) { _ in
      .response(body: SolidImage(width: 100, height: 50).data)
    }
    let first = try await fixture.pipeline.image(for: fixture.url)
    try await store.gate.waitUntilHolding()
    var requests = [CachePolicy.revalidate, .reload].map { policy in
      ImageRequest(url: fixture.url) { $0.cachePolicy = policy }
    }
    requests.append(
      ImageRequest(url: fixture.url) {
        ($0.memoryAccess, $0.storeAccess) = (.writeOnly, .writeOnly)
      })
    // Another decoder may describe the same bytes in another way.
    var decoded = ImageRequest(url: fixture.url)
    decoded.options.decoder = SolidDecoder()
    for (number, request) in (requests + [decoded]).enumerated() {
      _ = try await fixture.pipeline.image(for: request)
      #expect(fixture.transport.requests.count == number + 2)
    }
    store.gate.open()
    await fixture.pipeline.cache.flush()
    withExtendedLifetime(first) {}
  }

  @Test(arguments: [("no-cache", 2), ("max-age=60", 1)])
  func `a response being written that is not fresh is revalidated once it is stored`(
    control: String, requestCount: Int
  ) async throws {
    let store = HeldStore()
    let fixture = PipelineFixture(configure: { $0.cache = ImageCache(memory: MemoryCache(), store: store) }) {
      request in
      let headers: HTTPHeaders = ["Cache-Control": control, "ETag": "\"1\""]
      return request.headers["If-None-Match"] == nil
        ? .response(body: SolidImage(width: 100, height: 50).data, headers: headers)
        : .response(status: 304, body: Data(), headers: headers)
    }
    let first = try await fixture.pipeline.image(for: fixture.url)
    try await store.gate.waitUntilHolding()
    for policy in [CachePolicy.cacheFirst, .cacheOnly] {
      let small = ImageRequest(url: fixture.url, size: .fit(width: 10, height: 10)) { $0.cachePolicy = policy }
      _ = try await fixture.pipeline.image(for: small)
    }
    #expect(fixture.transport.requests.count == 1)
    async let second = fixture.pipeline.image(for: fixture.url)
    store.gate.open()
    _ = try await second
    #expect(fixture.transport.requests.count == requestCount)
    #expect(fixture.transport.requests.dropFirst().allSatisfy { $0.headers["If-None-Match"] == "\"1\"" })
    withExtendedLifetime(first) {}
  }

  @Test func `without a store a request that contacts the server first says so to caches on the way`() async throws {
    let fixture = PipelineFixture(configure: { $0.cache = ImageCache(disk: nil) }) { _ in
      .response(body: SolidImage(width: 100, height: 50).data)
    }
    for freshness in [CachePolicy.standard, .cacheFirst, .revalidate, .reload] {
      let request = ImageRequest(url: fixture.url) {
        ($0.memoryAccess, $0.storeAccess, $0.cachePolicy) = (.disabled, .disabled, freshness)
      }
      _ = try await fixture.pipeline.image(for: request)
    }
    let fields = fixture.transport.requests.map { $0.headers["Cache-Control"] }
    #expect(fields == [nil, nil, "no-cache", "no-cache"])
  }
}
