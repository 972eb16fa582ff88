import HalcyonSupport
import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Requests other than a plain GET.
@Suite(.unitTest)
struct RequestContentTests {
  private let image = SolidImage(width: 10, height: 10, paddingByteCount: 100_000).data
  private let body = Data("{\"page\":1}".utf8)

  private func post(_ url: URL, _ body: Data? = nil, memoryAccess: CacheAccess? = nil) -> ImageRequest {
    ImageRequest(url: url) {
      $0.method = .post
      $0.body = body ?? self.body
      $0.memoryAccess = memoryAccess
    }
  }

  private func fixture(
    _ configure: (inout PipelineConfiguration) -> Void = { _ in },
    script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply
  ) -> PipelineFixture {
    PipelineFixture(configure: configure, script: script)
  }

  @Test func `requests differ by their method and by their body`() throws {
    func contents() throws -> [RequestContent?] {
      try [("POST", body), ("PUT", body), ("POST", Data()), ("POST", nil), ("GET", nil)].map { method, body in
        RequestContent.make(try #require(HTTPMethod(method)), body)
      }
    }
    for (index, content) in try contents().enumerated() {
      for (other, second) in try contents().enumerated() { #expect((content == second) == (index == other)) }
    }
  }

  @Test func `method and body are sent, and reach the request modifier`() async throws {
    struct Signature: RequestModifier {
      var identity: String? { "a" }

      func modify(_ request: TransportRequest) async throws -> TransportRequest {
        var request = request
        request.headers["X-Signature"] = "\(request.method) \(request.body?.count ?? 0)"
        return request
      }
    }
    let image = image
    let fixture = fixture({ $0.options.requestModifier = Signature() }) { _ in .response(body: image) }
    _ = try await fixture.pipeline.image(for: post(fixture.url))
    var typed = post(fixture.url, Data("b".utf8))
    typed.headers["Content-Type"] = "application/json"
    typed.method = .put
    _ = try await fixture.pipeline.image(for: typed)
    _ = try await fixture.pipeline.image(for: fixture.url)
    let requests = fixture.transport.requests
    #expect(requests.map(\.method) == [.post, .put, .get])
    #expect(requests.map(\.body) == [body, Data("b".utf8), nil])
    #expect(requests.map { $0.headers["Content-Type"] } == ["application/octet-stream", "application/json", nil])
    #expect(requests.map { $0.headers["X-Signature"] } == ["POST 10", "PUT 1", "GET 0"])
  }

  @Test func `method and a hash of the body are part of the key, and nothing is for a plain GET`() throws {
    let url = try #require(URL(string: "http://example.com/a"))
    let plain = ImageRequest(url: url)
    var put = post(url)
    put.method = .put
    var empty = post(url)
    empty.body = nil
    let requests = [plain, post(url), post(url, Data("{}".utf8)), put, empty]
    let keys = requests.map { ImagePipeline.cacheKey(for: $0) }
    #expect(Set(keys).count == requests.count)
    #expect(keys[0].text == "|url=20:http://example.com/a")
    #expect(!keys[1].text.contains("page"))
    var reset = post(url)
    reset.options = RequestOptions()
    reset.priority = .high
    #expect(ImagePipeline.cacheKey(for: reset) == keys[1])
    (reset.method, reset.body) = (.get, nil)
    #expect(ImagePipeline.cacheKey(for: reset) == keys[0])
  }

  @Test func `by default each request is sent, and its response is in no cache`() async throws {
    let image = image
    let fixture = fixture { _ in .response(body: image, headers: ["Cache-Control": "max-age=600"]) }
    for _ in 1...2 { #expect(try await fixture.pipeline.response(for: post(fixture.url)).origin == .network) }
    await fixture.pipeline.cache.flush()
    #expect(fixture.memory.count == 0)
    #expect(fixture.store.count == 0)
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `defaults of the pipeline do not make responses cached`() async throws {
    let image = image
    let fixture = fixture({
      ($0.options.memoryAccess, $0.options.storeAccess) = (.readWrite, .readWrite)
    }) { _ in .response(body: image) }
    _ = try await fixture.pipeline.image(for: post(fixture.url))
    await fixture.pipeline.cache.flush()
    #expect(fixture.memory.count + fixture.store.count == 0)
  }

  @Test func `with an access option of its own a request is cached under its own key`() async throws {
    let image = image
    let fixture = fixture { _ in .response(body: image, headers: ["Cache-Control": "max-age=600"]) }
    let request = post(fixture.url, memoryAccess: .readWrite)
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.pipeline.response(for: request).origin == .memory)
    let stored = post(fixture.url, memoryAccess: .disabled)
    #expect(try await fixture.pipeline.response(for: stored).origin == .store)
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: fixture.url)).origin == .network)
    #expect(fixture.transport.requests.map(\.method) == [.post, .get])
    var other = post(fixture.url, Data("other".utf8))
    other.storeAccess = .readWrite
    for origin in [ImageOrigin.network, .memory] {
      #expect(try await fixture.pipeline.response(for: other).origin == origin)
    }
  }

  @Test(arguments: ["max-age=10", "max-age=10, stale-while-revalidate=600"])
  func `a stale response is requested again without validators`(cacheControl: String) async throws {
    let (image, clock) = (image, TestClock())
    let fixture = fixture({ $0.time = clock }) { _ in
      .response(body: image, headers: ["Cache-Control": cacheControl, "ETag": "\"1\""])
    }
    let request = post(fixture.url, memoryAccess: .readWrite)
    for _ in 1...2 {
      _ = try await fixture.pipeline.image(for: request)
      await fixture.pipeline.cache.flush()
      clock.advance(by: .seconds(20))
    }
    #expect(fixture.transport.requests.map(\.body) == [body, body])
    #expect(fixture.transport.requests.allSatisfy { $0.headers["If-None-Match"] == nil })
  }

  @Test(arguments: [(HTTPMethod.post, 1), (.put, 3), (.get, 3)])
  func `only idempotent methods are retried`(method: HTTPMethod, attempts: Int) async throws {
    let fixture = fixture({ $0.options.retryStrategy = ExponentialBackoff(firstDelay: .zero) }) { _ in
      .response(status: 503, body: Data())
    }
    var request = post(fixture.url)
    request.method = method
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    #expect(fixture.transport.requests.count == attempts)
  }

  @Test func `an interrupted download is not resumed`() async throws {
    let image = image
    let headers: HTTPHeaders = [
      "ETag": "\"1\"", "Accept-Ranges": "bytes", "Content-Length": "\(image.count)", "Cache-Control": "max-age=600",
    ]
    let fixture = fixture({ $0.options.retryStrategy = ExponentialBackoff(attemptLimit: 2, firstDelay: .zero) }) { _ in
      .cut(
        body: image, afterBytes: 80_000, headers: headers, error: .connectionLost(received: 80_000, expected: nil))
    }
    var request = post(fixture.url, memoryAccess: .readWrite)
    request.method = .put
    for _ in 1...2 {
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
      await fixture.pipeline.cache.flush()
    }
    #expect(fixture.transport.requests.count == 4)
    #expect(fixture.transport.requests.allSatisfy { $0.headers["Range"] == nil && $0.body == body })
    #expect(fixture.store.count == 0)
  }

  @Test func `a failure is not remembered`() async throws {
    let fixture = fixture { _ in .response(status: 404, body: Data()) }
    for _ in 1...2 {
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: post(fixture.url)) }
    }
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `a method is a token`() {
    for name in ["QUERY", "POST", "PATCH", "CONNECT", "get"] { #expect(HTTPMethod(name)?.isIdempotent == false) }
    for name in ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"] { #expect(HTTPMethod(name)?.isIdempotent == true) }
    for name in ["", "GET ", "A\r\nB", "é", "A:B"] { #expect(HTTPMethod(name) == nil) }
  }
}
