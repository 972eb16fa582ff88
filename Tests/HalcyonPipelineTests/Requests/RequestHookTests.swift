import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Hooks of one request, which replace the pipeline's.
@Suite(.unitTest)
struct RequestHookTests {
  private let image = SolidImage(width: 10, height: 10).data
  private let clock = TestClock()

  private final class Retry: RetryStrategy {
    let attempts: Int
    let failures = Lock<[String]>([])

    init(_ attempts: Int) { self.attempts = attempts }

    func delay(after failure: FailedAttempt) async -> Duration? {
      failures.withLock { $0.append(failure.error.name) }
      return failure.attemptCount < attempts ? .zero : nil
    }
  }

  private struct Refused: Error {}

  private func fixture(
    _ configure: (inout PipelineConfiguration) -> Void = { _ in },
    script: @escaping @Sendable (TransportRequest) async throws -> ScriptedTransport.Reply
  ) -> PipelineFixture {
    PipelineFixture(
      configure: {
        $0.failureLifetimes = .none
        configure(&$0)
      }, script: script)
  }

  private func request(_ fixture: PipelineFixture, _ change: (inout RequestOptions) -> Void) -> ImageRequest {
    var request = ImageRequest(url: fixture.url)
    change(&request.options)
    return request
  }

  @Test func `a retry strategy is asked about every failure, whichever it is`() async throws {
    let html = Data("<html>".utf8)
    let cases: [(ScriptedTransport.Reply, String)] = [
      (.response(status: 404, body: Data()), "httpStatus"), (.response(body: Data()), "emptyResponse"),
      (.response(body: html), "notAnImage"), (.failure(.hostNotFound("a")), "transport"),
    ]
    for (reply, name) in cases {
      let fixture = fixture { _ in reply }
      let (own, pipelines) = (Retry(3), Retry(1))
      let pipeline = ImagePipeline(
        configuration: {
          var configuration = fixture.pipeline.configuration
          configuration.options.retryStrategy = pipelines
          return configuration
        }())
      _ = try? await pipeline.image(for: request(fixture) { $0.retryStrategy = own })
      #expect(own.failures.withLock { $0 } == [name, name, name])
      #expect(pipelines.failures.withLock { $0 }.isEmpty)
      #expect(fixture.transport.requests.count == 3)
    }
  }

  @Test func `a failure is transient if the same request may succeed a little later`() throws {
    let url = try #require(URL(string: "http://example.com"))
    let statuses = (300..<600).filter { ImageError.httpStatus($0, url: url).isTransient }
    #expect(statuses == [408, 425, 429, 500, 502, 503, 504])
    let passing: [TransportError] = [
      .hostNotFound("a"), .connectionFailed(host: "a", reason: "b"), .connectTimedOut(.seconds(1)),
      .idleTimedOut(.seconds(1)), .connectionLost(received: 0, expected: nil),
    ]
    let lasting: [TransportError] = [
      .addressRejected(address: "a", host: "b", reason: "c"), .totalTimedOut(.seconds(1)),
      .headersTooLarge(byteLimit: 1),
      .secureConnectionFailed(host: "a", reason: "b"), .malformedResponse(reason: "a"), .cancelled,
      .failed(reason: "a"),
      .badContentEncoding(reason: "a"),
    ]
    #expect(passing.allSatisfy { ImageError.transport($0, url: url).isTransient })
    #expect(!lasting.contains { ImageError.transport($0, url: url).isTransient })
  }

  @Test func `a body is read with a permit again after its validator has run without one`() async throws {
    let (image, gate) = (image, Gate())
    let validated = Counter()
    let fixture = fixture { _ in .response(body: image, pieceByteCount: 7) { try? await gate.wait() } }
    var validating = request(fixture) { $0.responseValidator = { _ in validated.increment() } }
    validating.memoryAccess = .disabled; validating.storeAccess = .disabled
    let limiter = fixture.pipeline.loader.bytes.http.limiter
    let task = fixture.pipeline.task(for: validating)
    try await gate.waitUntilHolding()
    #expect(validated.count == 1)
    #expect(limiter.activeCount == 1)
    gate.open()
    _ = try await task.image
    #expect(limiter.activeCount == 0)
  }

  @Test func `a redirect handler sees each redirect with the URL that it leaves`() async throws {
    let image = image
    let fixture = fixture { request in
      switch request.url.path() {
      case "/a": .response(status: 302, body: Data(), headers: ["Location": "/b"])
      case "/b": .response(status: 302, body: Data(), headers: ["Location": "/c"])
      default: .response(body: image)
      }
    }
    let redirects = Lock<[String]>([])
    let handled = request(fixture) { options in
      options.redirectHandler = { url, next in
        redirects.withLock { $0.append(url.path() + next.url.path()) }
        return next
      }
    }
    _ = try await fixture.pipeline.image(for: handled)
    #expect(redirects.withLock { $0 } == ["/a/b", "/b/c"])
  }

  @Test func `a transform changes the bytes before they are inspected and stored`() async throws {
    let image = image
    let key: UInt8 = 0x5A
    let fixture = fixture { _ in .response(body: Data(image.map { $0 ^ key }), pieceByteCount: 7) }
    let decrypted = request(fixture) { $0.dataTransform = { data, _ in Data(data.map { $0 ^ key }) } }
    #expect(try await fixture.pipeline.image(for: decrypted).size == PixelSize(width: 10, height: 10))
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.pipeline.data(for: decrypted) == image)
    #expect(fixture.transport.requests.count == 1)
    let transforms: [@Sendable (Data, ResponseHead) async throws -> Data] = [
      { _, _ in throw Refused() }, { _, _ in Data() }, { data, _ in data },
    ]
    for (transform, name) in zip(transforms, ["responseRejected", "emptyResponse", "notAnImage"]) {
      var failing = request(fixture) { $0.dataTransform = transform }
      failing.cachePolicy = .reload
      let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: failing) }
      #expect(error?.name == name)
    }
  }

  @Test(arguments: [(20_000, true), (20_001, false)])
  func `a transform may not return more bytes than the limit`(byteCount: Int, isAllowed: Bool) async throws {
    let image = image
    let fixture = fixture({ $0.limits.encodedByteCount = 20_000 }) { _ in .response(body: image) }
    let expanding = request(fixture) { $0.dataTransform = { data, _ in data + Data(count: byteCount - data.count) } }
    if isAllowed {
      #expect(try await fixture.pipeline.data(for: expanding).count == byteCount)
    } else {
      let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: expanding) }
      #expect(error?.name == "responseTooLarge")
    }
  }

  @Test func `strategies with other limits or random numbers of their own are not equal`() {
    let random: @Sendable () -> Double = { 0.5 }
    let own = ExponentialBackoff(random: random)
    let strategies: [ExponentialBackoff] = [
      .never, ExponentialBackoff(), ExponentialBackoff(attemptLimit: 4), ExponentialBackoff(firstDelay: .seconds(9)),
      ExponentialBackoff(longestDelay: .seconds(9)), own, ExponentialBackoff(random: random),
    ]
    #expect(Set(strategies + [own]).count == strategies.count)
  }

  @Test func `the event handler is told which other source is tried, and why`() async throws {
    let image = image
    let log = Lock<[String]>([])
    let fixture = fixture({ configuration in
      configuration.options.retryStrategy = .never
      configuration.prefersLowData = { true }
      configuration.eventHandler = { event in
        guard case .fallback(let source, let error) = event.kind, let url = source.url else { return }
        log.withLock { $0.append("\(url.path()) after \(error.name)") }
      }
    }) { request in
      request.url.path() == "/c" ? .response(body: image) : .response(status: 404, body: Data())
    }
    var request = ImageRequest(url: fixture.url)
    request.alternatives = ["b", "c"].map { .url(fixture.url.deletingLastPathComponent().appending(path: $0)) }
    _ = try await fixture.pipeline.image(for: request)
    _ = try await fixture.pipeline.data(for: request)
    #expect(
      log.withLock { $0 } == [
        "/b after httpStatus", "/c after httpStatus", "/b after httpStatus", "/c after httpStatus",
      ])
    request = ImageRequest(url: fixture.url) { $0.lowDataSource = request.alternatives.last }
    _ = try await fixture.pipeline.image(for: request)
    #expect(log.withLock { $0.last } == "/c after notCached")
  }
}
