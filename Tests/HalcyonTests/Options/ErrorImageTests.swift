import Foundation
import Halcyon
import HalcyonSupport
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The images of error statuses (``RequestOptions/allowsErrorImage``): when they are loaded, and for how long they are
/// cached.
@Suite(.integrationTest)
struct ErrorImageTests {
  /// Runs a test whose n-th response is the n-th reply, the last one repeated.
  private func run(
    _ replies: [ScriptedTransport.Reply], _ body: (OptionsFixture) async throws -> Void
  ) async throws {
    let next = Lock(0)
    try await OptionsFixture.run { _ in
      replies[
        next.withLock { next in
          defer { next += 1 }
          return min(next, replies.count - 1)
        }]
    } body: {
      try await body($0)
    }
  }

  private func request(_ fixture: OptionsFixture, _ change: (inout RequestOptions) -> Void = { _ in }) -> ImageRequest {
    fixture.request {
      $0.allowsErrorImage = true
      change(&$0)
    }
  }

  private func status(of error: ImageError?) -> Int? {
    if case .httpStatus(let status, _)? = error { status } else { nil }
  }

  @Test(arguments: [300, 302, 305, 401, 403, 404, 410, 416, 429, 500, 503])
  func `the image of any error status is loaded without a retry if allowed`(status: Int) async throws {
    try await run([.response(status: status, body: try TestImage.png())]) { fixture async throws in
      let request = request(fixture) { $0.retryStrategy = ExponentialBackoff() }
      #expect(try await fixture.pipeline.image(for: request).size.width == 40)
      #expect(fixture.transport.requests.count == 1)
      let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.request()) }
      #expect(self.status(of: error) == status)
    }
  }

  @Test func `a redirect is followed, and the image of its error is loaded`() async throws {
    let redirect = ScriptedTransport.Reply.response(
      status: 302, body: try TestImage.png(width: 10), headers: ["Location": "/b"])
    try await run([redirect, .response(status: 404, body: try TestImage.png())]) { fixture async throws in
      #expect(try await fixture.pipeline.image(for: request(fixture)).size.width == 40)
      #expect(fixture.transport.requests.map(\.url.path) == ["/image", "/b"])
    }
  }

  @Test func `a body that is not an image is the error of its status`() async throws {
    let image = try TestImage.png()
    let bodies: [ScriptedTransport.Reply] = [
      .response(status: 404, body: Data("<html>missing</html>".utf8)), .response(status: 404, body: Data()),
      .response(status: 404, body: image.prefix(60)),
      .cut(body: image, afterBytes: 40, error: .connectionLost(received: 40, expected: image.count), status: 404),
    ]
    for body in bodies {
      try await run([body]) { fixture async throws in
        for isAllowed in [true, false] {
          let error = await #expect(throws: ImageError.self) {
            try await fixture.pipeline.image(for: fixture.request { $0.allowsErrorImage = isAllowed })
          }
          #expect(status(of: error) == 404, "\(body)")
        }
        #expect(try await fixture.entries.isEmpty)
      }
    }
  }

  @Test(arguments: [404, 503])
  func `the image is cached if its response has a lifetime, and no longer`(status: Int) async throws {
    let fields: [HTTPHeaders] = [["Cache-Control": "max-age=60"], ["Expires": "Tue, 14 Nov 2023 22:14:20 GMT"]]
    for headers in fields {
      try await run([.response(status: status, body: try TestImage.png(), headers: headers)]) { fixture async throws in
        for policy in [CachePolicy.standard, .cacheFirst] {
          let count = fixture.transport.requests.count
          // Expirations of the request do not prolong it.
          let request = request(fixture) {
            ($0.cachePolicy, $0.memoryExpiration, $0.storeExpiration) = (policy, .never, .never)
          }
          for origin in [ImageOrigin.network, .memory, .store] {
            #expect(try await fixture.origin(request) == origin, "\(policy)")
            if origin == .memory { fixture.memory.removeAll() }
          }
          fixture.clock.advance(by: .seconds(61))
          if headers["Expires"] != nil { return }
          #expect(try await fixture.origin(request) == .network, "\(policy)")
          #expect(fixture.transport.requests.count == count + 2)
          fixture.clock.advance(by: .seconds(61))
        }
      }
    }
  }

  @Test(
    arguments: [
      [:], ["ETag": "\"1\""], ["Last-Modified": "Mon, 01 Jan 2001 00:00:00 GMT"], ["Cache-Control": "max-age=0"],
      ["Cache-Control": "public"], ["Cache-Control": "no-cache, max-age=60"], ["Cache-Control": "no-store, max-age=60"],
    ] as [HTTPHeaders])
  func `the image of a response without a lifetime is not cached`(headers: HTTPHeaders) async throws {
    try await run([.response(status: 404, body: try TestImage.png(), headers: headers)]) { fixture async throws in
      for policy in [CachePolicy.standard, .cacheFirst] {
        let request = request(fixture) { $0.cachePolicy = policy }
        for _ in 0..<2 where policy == .standard || headers["Cache-Control"]?.contains("no-store") != true {
          #expect(try await fixture.origin(request) == .network)
        }
        #expect(try await fixture.entries.isEmpty)
      }
    }
  }

  @Test func `requests without the option do not find the image`() async throws {
    let reply = ScriptedTransport.Reply.response(
      status: 404, body: try TestImage.png(), headers: ["Cache-Control": "max-age=60"])
    try await run([reply]) { fixture async throws in
      _ = try await fixture.origin(request(fixture))
      for freshness in [CachePolicy.standard, .cacheFirst, .cacheOnly] {
        await #expect(throws: ImageError.self) {
          try await fixture.origin(fixture.request { $0.cachePolicy = freshness })
        }
      }
      #expect(try await fixture.origin(request(fixture)) == .memory)
    }
  }

  @Test func `the image is not remembered as a failure, and other bodies are`() async throws {
    let body = Data("<html>".utf8)
    for (body, count) in [(try TestImage.png(), 2), (body, 1)] {
      try await run([.response(status: 404, body: body)]) { fixture async throws in
        fixture.pipeline.failureLifetimes = FailureLifetimes()
        for _ in 0..<2 { _ = try? await fixture.pipeline.image(for: request(fixture)) }
        #expect(fixture.transport.requests.count == count)
      }
    }
  }

  @Test func `a stored image that may be served instead of an error comes before the image of the error`() async throws
  {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=10, stale-if-error=600"]
    let replies: [ScriptedTransport.Reply] = [
      .response(body: try TestImage.png(width: 10), headers: headers),
      .response(status: 503, body: try TestImage.png()),
    ]
    try await run(replies) { fixture async throws in
      _ = try await fixture.origin(request(fixture))
      await fixture.pipeline.cache.flush()
      fixture.memory.removeAll()
      for (seconds, width) in [(60, 10), (600, 40)] {
        fixture.clock.advance(by: .seconds(seconds))
        #expect(try await fixture.pipeline.image(for: request(fixture)).size.width == width)
      }
      #expect(fixture.transport.requests.count == 3)
    }
  }

  @Test func `credentials are renewed before the image of a rejected request is loaded`() async throws {
    let replies: [ScriptedTransport.Reply] = [
      .response(status: 401, body: try TestImage.png(width: 10)), .response(body: try TestImage.png()),
    ]
    try await run(replies) { fixture async throws in
      let request = request(fixture) { $0.requestModifier = Renewal() }
      #expect(try await fixture.pipeline.image(for: request).size.width == 40)
      #expect(fixture.transport.requests.count == 2)
    }
  }
}

private struct Renewal: RequestModifier {
  var identity: String? { "anna" }

  func modify(_ request: TransportRequest) async throws -> TransportRequest { request }
  func renewCredentials(after response: ResponseHead) async throws -> Bool { true }
}
