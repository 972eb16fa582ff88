import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// URLs and requests that closures of the program make, and that are valid for two seconds.
@Suite(.unitTest)
struct ExpiringRequestTests {
  /// What the closure makes.
  enum Kind: CaseIterable {
    case url
    case modification
  }

  private static let image = SolidImage(width: 10, height: 10).data
  private let clock = TestClock()

  /// Adds the time at which a request is modified.
  private struct DatingModifier: RequestModifier {
    let clock: TestClock
    let count = Counter()
    let identity: String? = "anna"

    func modify(_ request: TransportRequest) async throws -> TransportRequest {
      count.increment()
      var request = request
      request.headers["X-Signed"] = "\(clock.uptime() / .seconds(1))"
      return request
    }
  }

  /// A pipeline whose requests are dated, and a request for a path.
  private func pipeline(
    _ kind: Kind, limit: Int = 1, script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply
  ) -> (fixture: PipelineFixture, closureCount: Counter, request: (String) -> ImageRequest) {
    let modifier = DatingModifier(clock: clock)
    let count = kind == .url ? Counter() : modifier.count
    let fixture = PipelineFixture {
      $0.time = clock
      $0.connectionLimits = ConnectionLimits(total: limit, perHost: limit)
      $0.options.retryStrategy = ExponentialBackoff(random: { 0.5 })
      if kind == .modification { $0.options.requestModifier = modifier }
    } script: { [clock] request in
      let query = request.url.query().flatMap { Double($0) }
      let signed = query ?? request.headers["X-Signed"].flatMap { Double($0) } ?? 0
      guard clock.uptime() / .seconds(1) - signed <= 2 else { return .response(status: 403, body: Data()) }
      return try await script(request)
    }
    return (
      fixture, count,
      { [clock] path in
        let url = fixture.url.appending(path: path)
        guard kind == .url else { return ImageRequest(url: url) }
        return ImageRequest(
          source: .url(key: path) {
            count.increment()
            return URL(string: "\(url.absoluteString)?\(clock.uptime() / .seconds(1))") ?? url
          })
      }
    )
  }

  @Test(arguments: Kind.allCases)
  func `a request that waits for a connection is made after the wait`(_ kind: Kind) async throws {
    let (started, release) = (Signal(), Signal())
    let (fixture, _, request) = pipeline(kind) { request in
      if request.url.path().hasSuffix("first") {
        started.set()
        await release.wait()
      }
      return .response(body: Self.image)
    }
    let first = fixture.pipeline.task(for: request("first"))
    await started.wait()
    let others = (1...3).map { fixture.pipeline.task(for: request("\($0)")) }
    while fixture.pipeline.loader.bytes.http.limiter.waitingCount < 3 { try await Task.yieldUnlessCancelled() }
    clock.advance(by: .seconds(10))
    release.set()
    for task in [first] + others { _ = try await task.image }
    #expect(fixture.transport.requests.count == 4)
  }

  @Test(
    arguments: Kind.allCases,
    [
      ScriptedTransport.Reply.response(status: 500, body: Data()),
      .response(status: 503, body: Data(), headers: ["Retry-After": "9"]),
      .response(status: 429, body: Data(), headers: ["Retry-After": "9"]),
      .failure(.connectionLost(received: 0, expected: nil)),
      .cut(
        body: image, afterBytes: 7, headers: ["Accept-Ranges": "bytes", "ETag": "\"1\""],
        error: .connectionLost(received: 7, expected: nil)),
    ])
  func `a request that is sent again is made again`(_ kind: Kind, _ failure: ScriptedTransport.Reply) async throws {
    let next = Lock([failure])
    let (fixture, count, request) = pipeline(kind) { _ in
      next.withLock { $0.popLast() } ?? .response(body: Self.image)
    }
    let task = fixture.pipeline.task(for: request("a"))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(20))
    _ = try await task.image
    #expect(fixture.transport.requests.count == 2)
    #expect(count.count == 2)
  }

  @Test func `a URL that has expired when it arrives is resolved once more`() async throws {
    for status in [401, 403] {
      for failureCount in [1, 2] {
        let left = Lock(failureCount)
        let (fixture, count, request) = pipeline(.url) { _ in
          let fails = left.withLock { left in
            left -= 1
            return left >= 0
          }
          return fails ? .response(status: status, body: Data()) : .response(body: Self.image)
        }
        let image = try? await fixture.pipeline.image(for: request("a"))
        #expect((image != nil) == (failureCount == 1))
        #expect(fixture.transport.requests.count == 2 && count.count == 2)
      }
    }
  }

  @Test func `a redirect to a URL that expires in the queue of its host is requested again`() async throws {
    let (started, release) = (Signal(), Signal())
    let held = try #require(URL(string: "http://storage.example/held"))
    let (fixture, _, _) = pipeline(.modification) { [clock] request in
      switch (request.url.host(), request.url.path()) {
      case (_, "/held"):
        started.set()
        await release.wait()
        return .response(body: Self.image)
      case ("storage.example", _): return .response(body: Self.image)
      default:
        let location = "http://storage.example/a?\(clock.uptime() / .seconds(1))"
        return .response(status: 302, body: Data(), headers: ["Location": location])
      }
    }
    fixture.pipeline.connectionLimits = ConnectionLimits(total: 2, perHost: 1)
    let first = fixture.pipeline.task(for: ImageRequest(url: held))
    await started.wait()
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    while fixture.pipeline.loader.bytes.http.limiter.waitingCount < 1 { try await Task.yieldUnlessCancelled() }
    clock.advance(by: .seconds(10))
    release.set()
    _ = try await task.image
    _ = try await first.image
    #expect(
      fixture.transport.requests.map(\.url.host) == [
        "storage.example", "example.com", "storage.example", "example.com", "storage.example",
      ])
  }

  @Test func `a refusal that has nothing to do with waiting is not requested again`() async throws {
    let (fixture, count, request) = pipeline(.modification) { _ in .response(status: 403, body: Data()) }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request("a")) }
    #expect(fixture.transport.requests.count == 1 && count.count == 1)
  }

  @Test(arguments: Kind.allCases)
  func `a closure that makes a request can load from its host`(_ kind: Kind) async throws {
    let loading = Lock<ImagePipeline?>(nil)
    let (started, release) = (Signal(), Signal())
    @Sendable func loadOther(besides url: URL) async throws {
      guard !url.path().hasSuffix("token"), let pipeline = loading.withLock({ $0 }) else { return }
      _ = try await pipeline.data(for: ImageRequest(url: url.appending(path: "token")) { $0.cachePolicy = .reload })
    }
    let fixture = PipelineFixture {
      $0.connectionLimits = ConnectionLimits(total: 1, perHost: 1)
      if kind == .modification { $0.options.requestModifier = LoadingModifier(load: loadOther) }
    } script: { request in
      if request.url.path().hasSuffix("held") {
        started.set()
        await release.wait()
      }
      return .response(body: Self.image)
    }
    loading.withLock { $0 = fixture.pipeline }
    defer { loading.withLock { $0 = nil } }
    let held = fixture.pipeline.task(
      for: ImageRequest(url: fixture.url.appending(path: "held")) { $0.requestModifier = PlainModifier() })
    await started.wait()
    let (url, calls) = (fixture.url, Counter())
    let resolved = ImageSource.url(key: "a") {
      calls.increment()
      // After the wait.
      if calls.count == 2 { try await loadOther(besides: url) }
      return url
    }
    let request = ImageRequest(source: kind == .url ? resolved : .url(url))
    let task = fixture.pipeline.task(for: request)
    while fixture.pipeline.loader.bytes.http.limiter.waitingCount < 1 { try await Task.yieldUnlessCancelled() }
    release.set()
    _ = try await task.image
    _ = try await held.image
    #expect(fixture.transport.requests.map { $0.url.lastPathComponent } == ["held", "token", "a"])
  }

  private struct LoadingModifier: RequestModifier {
    let load: @Sendable (URL) async throws -> Void
    let identity: String? = nil

    func modify(_ request: TransportRequest) async throws -> TransportRequest {
      try await load(request.url)
      return request
    }
  }

  private struct PlainModifier: RequestModifier {
    let identity: String? = nil
    func modify(_ request: TransportRequest) async throws -> TransportRequest { request }
  }
}
