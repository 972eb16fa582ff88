import HalcyonCache
import HalcyonSupport
import HalcyonHTTP
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct RequestModifierTests {
  private static let image = SolidImage(width: 10, height: 10).data

  /// Adds bearer tokens numbered from 1; a renewal yields the next number.
  private final class TokenModifier: RequestModifier {
    let identity: String?
    let renewalCount = Counter()
    let challenges = EventLog<ResponseHead>()
    private let canRenew: Bool
    private let beforeRenewal: @Sendable () async -> Void

    init(
      identity: String? = "anna", canRenew: Bool = true, beforeRenewal: @escaping @Sendable () async -> Void = {}
    ) {
      self.identity = identity
      self.canRenew = canRenew
      self.beforeRenewal = beforeRenewal
    }

    func modify(_ request: TransportRequest) async throws -> TransportRequest {
      var request = request
      request.headers["Authorization"] = "Bearer \(renewalCount.count + 1)"
      return request
    }

    func renewCredentials(after response: ResponseHead) async throws -> Bool {
      challenges.record(response)
      await beforeRenewal()
      renewalCount.increment()
      return canRenew
    }
  }

  /// Adds a field, without an identity.
  private struct FieldModifier: RequestModifier {
    let identity: String? = nil
    let name: String
    var isNeeded: @Sendable (TransportRequest) -> Bool = { _ in true }

    func modify(_ request: TransportRequest) async throws -> TransportRequest {
      var request = request
      if isNeeded(request) { request.headers[name] = "secret" }
      return request
    }
  }

  private struct SigningModifier: RequestModifier {
    let identity: String? = nil

    func modify(_ request: TransportRequest) async throws -> TransportRequest {
      var request = request
      request.signature = RequestSignature(
        key: .init(id: "id", secret: "key"), region: "eu")
      return request
    }
  }

  private struct RefusingModifier: RequestModifier {
    struct Refusal: Error {}
    let identity: String? = nil
    func modify(_ request: TransportRequest) async throws -> TransportRequest { throw Refusal() }
  }

  private final class SuspendedModifier: RequestModifier {
    let identity: String? = nil
    let (started, release) = (Signal(), Signal())

    func modify(_ request: TransportRequest) async throws -> TransportRequest {
      started.set()
      await release.waitIgnoringCancellation()
      return request
    }
  }

  private func fixture(
    _ modifier: any RequestModifier,
    script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply
  ) -> PipelineFixture {
    PipelineFixture(configure: { $0.options.requestModifier = modifier }, script: script)
  }

  @Test func `the identity of a request takes the place of its modifier's`() async throws {
    let fixture = fixture(TokenModifier()) { _ in .response(body: Self.image) }
    var request = ImageRequest(url: fixture.url)
    request.identity = "bob"
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.pipeline[cached: request] != nil)
    #expect(fixture.pipeline[cached: ImageRequest(url: fixture.url)] == nil)
  }

  @Test func `a modifier that throws prevents the request`() async throws {
    let fixture = fixture(RefusingModifier()) { _ in .response(body: Self.image) }
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(error?.name == "requestRejected")
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `a load cancelled while the modifier suspends sends nothing`() async throws {
    let modifier = SuspendedModifier()
    let fixture = fixture(modifier) { _ in .response(body: Self.image) }
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await modifier.started.wait()
    task.cancel()
    while fixture.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
    modifier.release.set()
    await #expect(throws: ImageError.self) { try await task.image }
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `concurrent 401 responses share one credential renewal, and each request is sent once more`() async throws
  {
    let (arrived, release) = (Counter(), Signal())
    let modifier = TokenModifier { await release.wait() }
    let fixture = fixture(modifier) { request in
      guard request.headers["Authorization"] == "Bearer 1" else { return .response(body: Self.image) }
      arrived.increment()
      return .response(status: 401, body: Data(), headers: ["WWW-Authenticate": "Bearer"])
    }
    fixture.pipeline.connectionLimits = ConnectionLimits(total: 100, perHost: 100)
    let tasks = (0..<50).map { number in
      fixture.pipeline.task(for: ImageRequest(url: fixture.url.appending(path: "\(number)")))
    }
    await arrived.wait(for: 50)
    release.set()
    for task in tasks { _ = try await task.image }
    #expect(modifier.renewalCount.count == 1)
    #expect(fixture.transport.requests.count == 100)
  }

  @Test(arguments: [true, false])
  func `a second 401 is an error after at most one renewal`(canRenew: Bool) async throws {
    let modifier = TokenModifier(canRenew: canRenew)
    let fixture = fixture(modifier) { _ in .response(status: 401, body: Data()) }
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(error?.name == "httpStatus")
    #expect(modifier.renewalCount.count == 1)
    #expect(fixture.transport.requests.count == (canRenew ? 2 : 1))
  }

  @Test(arguments: [("Authorization", 0), ("Cookie", 0), ("Proxy-Authorization", 0), ("X-Trace", 1)])
  func `a response to credentials that a modifier without an identity adds is not stored`(name: String, count: Int)
    async throws
  {
    let fixture = fixture(FieldModifier(name: name)) { _ in .response(body: Self.image) }
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == count)
  }

  @Test func `a response to a signature that a modifier without an identity adds is not stored`() async throws {
    let fixture = fixture(SigningModifier()) { _ in .response(body: Self.image) }
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 0)
  }

  @Test(arguments: ["/b", "https://elsewhere.example/b"])
  func `a response behind a redirect is not stored if credentials led to it`(location: String) async throws {
    let modifier = FieldModifier(name: "Cookie") { $0.url.path() == "/a" }
    let fixture = fixture(modifier) { request in
      request.url.path() == "/a"
        ? .response(status: 302, body: Data(), headers: ["Location": location]) : .response(body: Self.image)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(fixture.transport.requests.map { $0.headers["Cookie"] }.first == "secret")
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 0)
  }

  @Test(
    arguments: [("Cookie", .readWrite, nil), ("X", .readOnly, nil), ("X", .readWrite, "1")]
      as [(String, CacheAccess, String?)], [0, 60])
  func `a 304 changes the stored head only if its load may store it`(
    given: (name: String, access: CacheAccess, expected: String?), seconds: Int
  ) async throws {
    let clock = TestClock()
    let fixture = PipelineFixture {
      $0.time = clock
      $0.options.requestModifier = FieldModifier(name: given.name) { $0.headers["If-None-Match"] != nil }
    } script: { request in
      let control = "max-age=1, stale-while-revalidate=\(seconds)"
      return request.headers["If-None-Match"] == nil
        ? .response(body: Self.image, headers: ["ETag": "\"a\"", "Cache-Control": control])
        : .response(status: 304, body: Data(), headers: ["X-New": "1"])
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(2))
    fixture.memory.removeAll()
    let request = ImageRequest(url: fixture.url) { $0.storeAccess = given.access }
    #expect(try await fixture.pipeline.response(for: request).origin == .store)
    await fixture.pipeline.cache.flush()
    let entry = try await fixture.store.entry(for: fixture.pipeline.cacheKey(for: request))
    #expect(fixture.transport.requests.count == 2)
    #expect(try #require(entry).metadata.headers["X-New"] == given.expected)
  }

  @Test(arguments: [("Cookie", CacheAccess.readWrite, "old"), ("X", .readOnly, "old"), ("X", .readWrite, "new")])
  func `a revalidation in the background stores only what its load may store`(
    name: String, access: CacheAccess, expected: String
  ) async throws {
    let clock = TestClock()
    let fixture = PipelineFixture {
      $0.time = clock
      $0.options.requestModifier = FieldModifier(name: name) { $0.headers["If-None-Match"] != nil }
    } script: { request in
      let tag = request.headers["If-None-Match"] == nil ? "old" : "new"
      return .response(
        body: Self.image,
        headers: ["ETag": "\"\(tag)\"", "Cache-Control": "max-age=1, stale-while-revalidate=60"])
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(2))
    var request = ImageRequest(url: fixture.url)
    request.storeAccess = access
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    #expect(fixture.transport.requests.count == 2)
    let stored = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: request))
    #expect(stored?.metadata.headers["ETag"] == "\"\(expected)\"")
  }

  @Test func `a renewal sees the URL and the headers of the response`() async throws {
    let modifier = TokenModifier()
    let fixture = fixture(modifier) { request in
      if request.url.path() == "/a" { return .response(status: 302, body: Data(), headers: ["Location": "/b"]) }
      return request.headers["Authorization"] == "Bearer 1"
        ? .response(status: 401, body: Data(), headers: ["WWW-Authenticate": "Bearer"]) : .response(body: Self.image)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(modifier.challenges.events.map { $0.url.path() } == ["/b"])
    #expect(modifier.challenges.events.map { $0.headers["WWW-Authenticate"] } == ["Bearer"])
    #expect(fixture.transport.requests.map { $0.url.path() } == ["/a", "/b", "/a", "/b"])
  }

  @Test func `a response to credentials of the request itself is stored under their key`() async throws {
    let fixture = fixture(FieldModifier(name: "X-Trace")) { _ in .response(body: Self.image) }
    let request = ImageRequest(url: fixture.url, headers: ["Authorization": "Basic eA=="])
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.keys == [ImagePipeline.cacheKey(for: request)])
    #expect(ImagePipeline.cacheKey(for: request) != ImagePipeline.cacheKey(for: ImageRequest(url: fixture.url)))
  }

  /// Loads from the origin whose credentials it renews, as a login page would be.
  private final class LoadingModifier: RequestModifier {
    let identity: String? = nil
    let pipeline = Lock<ImagePipeline?>(nil)
    let renewalCount = Counter()

    func modify(_ request: TransportRequest) async throws -> TransportRequest { request }

    func renewCredentials(after response: ResponseHead) async throws -> Bool {
      renewalCount.increment()
      let login = response.url.appending(path: "login")
      _ = try await pipeline.withLock { $0 }?.image(for: login)
      return true
    }
  }

  @Test func `a renewal that gets a 401 itself fails, and does not wait for itself`() async throws {
    let modifier = LoadingModifier()
    let fixture = fixture(modifier) { _ in .response(status: 401, body: Data()) }
    modifier.pipeline.withLock { $0 = fixture.pipeline }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(modifier.renewalCount.count == 1)
    #expect(fixture.transport.requests.map { $0.url.path() } == ["/a", "/a/login"])
    modifier.pipeline.withLock { $0 = nil }
  }

  @Test func `a 401 of another origin renews no credentials`() async throws {
    let modifier = TokenModifier()
    let fixture = fixture(modifier) { request in
      request.url.host() == "example.com"
        ? .response(status: 302, body: Data(), headers: ["Location": "https://elsewhere.example/c"])
        : .response(status: 401, body: Data())
    }
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(error?.name == "httpStatus")
    #expect(modifier.renewalCount.count == 0)
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `a renewal is not repeated for a load that was sent before it`() async throws {
    let (arrived, release) = (Counter(), Signal())
    let modifier = TokenModifier()
    let fixture = fixture(modifier) { request in
      guard request.headers["Authorization"] == "Bearer 1" else { return .response(body: Self.image) }
      arrived.increment()
      if request.url.path() == "/late" { await release.wait() }
      return .response(status: 401, body: Data())
    }
    let slow = try #require(URL(string: "http://example.com/late"))
    let task = fixture.pipeline.task(for: ImageRequest(url: slow))
    await arrived.wait(for: 1)
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(modifier.renewalCount.count == 1)
    release.set()
    _ = try await task.image
    #expect(modifier.renewalCount.count == 1)
  }

  @Test func `a redirect handler can change or reject a redirect`() async throws {
    let elsewhere = try #require(URL(string: "https://elsewhere.example/c"))
    let script: @Sendable (TransportRequest) -> ScriptedTransport.Reply = { request in
      request.url.host() == "example.com"
        ? .response(status: 302, body: Data(), headers: ["Location": elsewhere.absoluteString])
        : .response(body: Self.image)
    }
    let marking = PipelineFixture { configuration in
      configuration.options.redirectHandler = { _, next in
        var next = next
        next.headers["X-From"] = "handler"
        return next
      }
    } script: {
      script($0)
    }
    _ = try await marking.pipeline.image(for: marking.url)
    #expect(marking.transport.requests.last?.headers["X-From"] == "handler")
    let refusing = PipelineFixture {
      $0.options.redirectHandler = { _, _ in nil }
    } script: {
      script($0)
    }
    let error = await #expect(throws: ImageError.self) { try await refusing.pipeline.image(for: refusing.url) }
    #expect(error?.name == "redirectRejected")
    #expect(refusing.transport.requests.count == 1)
  }

  @Test func `a response validator can reject a response by its headers`() async throws {
    struct WrongServer: Error {}
    let fixture = PipelineFixture {
      $0.options.responseValidator = { head in if head.headers["X-Real"] == nil { throw WrongServer() } }
    } script: { request in
      .response(body: Self.image, headers: request.url.path() == "/a" ? [:] : ["X-Real": "yes"])
    }
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(error?.name == "responseRejected")
    _ = try await fixture.pipeline.image(for: fixture.url.appending(path: "b"))
  }
}
