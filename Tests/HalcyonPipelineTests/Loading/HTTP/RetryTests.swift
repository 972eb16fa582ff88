import HalcyonCache
import HalcyonSupport
import HalcyonHTTP
import HalcyonImaging
import Foundation
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.unitTest)
struct RetryTests {
  private static let image = SolidImage(width: 10, height: 10).data
  private let clock = TestClock()

  /// A pipeline whose n-th request receives the n-th reply, the last one repeated.
  private func fixture(
    _ replies: ScriptedTransport.Reply..., configure: @escaping (inout PipelineConfiguration) -> Void = { _ in }
  ) -> PipelineFixture {
    let next = Lock(0)
    return PipelineFixture { configuration in
      configuration.time = clock
      configuration.options.retryStrategy = ExponentialBackoff(random: { 0.5 })
      configure(&configuration)
    } script: { _ in
      replies[
        next.withLock { next in
          defer { next += 1 }
          return min(next, replies.count - 1)
        }]
    }
  }

  @Test(arguments: [
    ScriptedTransport.Reply.response(status: 503, body: Data()), .response(status: 429, body: Data()),
    .failure(.connectionLost(received: 0, expected: nil)), .failure(.idleTimedOut(.seconds(1))),
    .failure(.hostNotFound("a")), .cut(body: image, afterBytes: 7, error: .connectionLost(received: 7, expected: 14)),
  ])
  func `transient failures are retried with backoff`(failure: ScriptedTransport.Reply) async throws {
    let fixture = fixture(failure, failure, .response(body: Self.image))
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await clock.waitForSleepers()
    #expect(fixture.transport.requests.count == 1)
    clock.advance(by: .milliseconds(374))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(1))
    await clock.waitForSleepers()
    #expect(fixture.transport.requests.count == 2)
    clock.advance(by: .milliseconds(750))
    let response = try await task.response
    #expect(fixture.transport.requests.count == 3)
    #expect(response.trace.steps.filter { $0.kind == .retryWait }.count == 2)
  }

  @Test(arguments: [
    ScriptedTransport.Reply.response(status: 404, body: Data()), .response(status: 403, body: Data()),
    .response(body: Data("<html>".utf8)), .failure(.secureConnectionFailed(host: "a", reason: "expired")),
    .failure(.headersTooLarge(byteLimit: 1)), .failure(.badContentEncoding(reason: "cut")),
  ])
  func `permanent failures are not retried`(failure: ScriptedTransport.Reply) async throws {
    let fixture = fixture(failure)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(fixture.transport.requests.count == 1)
  }

  @Test(arguments: [("7", 7), ("Tue, 14 Nov 2023 22:13:29 GMT", 9)])
  func `a retry waits as long as Retry-After says`(field: String, seconds: Int) async throws {
    let fixture = fixture(
      .response(status: 503, body: Data(), headers: ["Retry-After": field]), .response(body: Self.image))
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await clock.waitForSleepers()
    // The wait is a twentieth longer, so that clients do not return in step.
    clock.advance(by: .seconds(seconds) * 1.05 - .milliseconds(1))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .milliseconds(1))
    _ = try await task.image
  }

  @Test func `a Retry-After over 30 seconds is not waited for`() async throws {
    let fixture = fixture(.response(status: 503, body: Data(), headers: ["Retry-After": "31"]))
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(error?.description.contains("HTTP 503") == true && error?.description.contains("31.0 seconds") == true)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test(arguments: [(429, "retryLater"), (503, "retryLater"), (404, "httpStatus"), (403, "httpStatus")])
  func `only a server that is busy is asked later`(status: Int, name: String) async throws {
    let fixture = fixture(.response(status: status, body: Data(), headers: ["Retry-After": "31"]))
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(error?.name == name)
  }

  @Test(arguments: ["Tue, 14 Nov 2023 22:13:20 GMT", "Sun, 01 Jan 2017 00:00:00 GMT"])
  func `a date in Retry-After counts from the date of the response`(date: String) async throws {
    let now = try #require(HTTPDate.parse(date, now: clock.now()))
    let later = HTTPDate.text(now + 9)
    let fixture = fixture(
      .response(status: 429, body: Data(), headers: ["Date": date, "Retry-After": later]), .response(body: Self.image))
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(9))
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    _ = try await task.image
  }

  @Test func `a load cancelled during its backoff is not retried`() async throws {
    let fixture = fixture(.response(status: 503, body: Data()))
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await clock.waitForSleepers()
    task.cancel()
    await #expect(throws: ImageError.self) { try await task.image }
    while fixture.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
    #expect(clock.sleeperCount == 0)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `loads that succeed refill the retry budget`() async throws {
    let fixture = PipelineFixture {
      ($0.retryBudget, $0.options.retryStrategy) = (1, ExponentialBackoff(firstDelay: .zero))
    } script: { request in
      request.url.path() == "/bad" ? .response(status: 500, body: Data()) : .response(body: Self.image)
    }
    let bad = try #require(URL(string: "http://example.com/bad"))
    for sent in [2, 1] {
      let before = fixture.transport.requests.count
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: bad) }
      #expect(fixture.transport.requests.count == before + sent)
    }
    for number in 0..<11 { _ = try await fixture.pipeline.image(for: fixture.url.appending(path: "\(number)")) }
    let before = fixture.transport.requests.count
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: bad) }
    #expect(fixture.transport.requests.count == before + 2)
  }

  @Test func `retries that succeed are not limited by the budget`() async throws {
    let seen = Lock<Set<URL>>([])
    let fixture = PipelineFixture {
      $0.options.retryStrategy = ExponentialBackoff(firstDelay: .zero)
    } script: { request in
      seen.withLock { $0.insert(request.url).inserted }
        ? .failure(.connectionLost(received: 0, expected: nil)) : .response(body: Self.image)
    }
    let tasks = (0..<60).map { fixture.pipeline.task(for: ImageRequest(url: fixture.url.appending(path: "\($0)"))) }
    for task in tasks { _ = try await task.image }
    #expect(fixture.transport.requests.count == 120)
  }

  @Test func `a misdirected request is sent once more, over a new connection, and without a delay`() async throws {
    for count in [1, 2] {
      let misdirected = ScriptedTransport.Reply.response(status: 421, body: Data())
      let fixture = fixture(misdirected, count == 1 ? .response(body: Self.image) : misdirected)
      let image = try? await fixture.pipeline.image(for: fixture.url)
      #expect((image != nil) == (count == 1))
      #expect(fixture.transport.requests.map(\.usesNewConnection) == [false, true])
    }
  }

  @Test func `a retry after a silent connection opens a new one`() async throws {
    let fixture = fixture(.failure(.idleTimedOut(.seconds(1))), .response(body: Self.image)) {
      $0.options.retryStrategy = ExponentialBackoff(firstDelay: .zero)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(fixture.transport.requests.map(\.usesNewConnection) == [false, true])
  }

  @Test func `backoff delays double up to the maximum, with jitter between half and all of each`() async throws {
    let url = try #require(URL(string: "http://example.com/a"))
    let (least, most) = (
      ExponentialBackoff(attemptLimit: 20, random: { 0 }), ExponentialBackoff(attemptLimit: 20, random: { 1 })
    )
    for (count, ceiling) in [(1, 0.5), (2, 1), (3, 2), (6, 16), (7, 30), (19, 30)] {
      let failure = FailedAttempt(error: .httpStatus(503, url: url), attemptCount: count)
      #expect(await least.delay(after: failure) == .seconds(ceiling / 2))
      #expect(await most.delay(after: failure) == .seconds(ceiling))
      for (retryAfter, delay) in [(Duration.zero, ceiling / 2), (.milliseconds(1), ceiling / 2), (.seconds(30), 30)] {
        let asked = FailedAttempt(error: .httpStatus(503, url: url), attemptCount: count, retryAfter: retryAfter)
        #expect(await least.delay(after: asked) == .seconds(delay))
      }
    }
    #expect(await most.delay(after: FailedAttempt(error: .httpStatus(503, url: url), attemptCount: 20)) == nil)
    let patient = ExponentialBackoff(attemptLimit: .max, random: { 1 })
    for count in [20, 40, 64, 65, 66, 1000] {
      let failure = FailedAttempt(error: .httpStatus(503, url: url), attemptCount: count)
      #expect(await patient.delay(after: failure) == .seconds(30), "\(count)")
    }
  }

  @Test(arguments: [
    ScriptedTransport.Reply.response(status: 404, body: Data()), .response(status: 410, body: Data()),
    .response(status: 451, body: Data()), .response(body: Data("<html>".utf8)), .response(body: image.prefix(13)),
    .response(body: Data()), .failure(.hostNotFound("a")),
    .response(status: 302, body: Data(), headers: ["Location": "x:"]),
  ])
  func `a revalidation or reload requests an image whose failure is remembered`(failure: ScriptedTransport.Reply)
    async throws
  {
    for freshness in [CachePolicy.revalidate, .reload] {
      for isProcessed in [false, true] {
        let fixture = fixture(failure, failure, .response(body: Self.image)) { $0.options.retryStrategy = .never }
        var request = ImageRequest(url: fixture.url, processors: isProcessed ? [.exposure(stops: 1)] : [])
        var names: Set<String?> = []
        for _ in 0..<2 {
          let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
          names.insert(error?.name)
        }
        #expect(names.count == 1 && fixture.transport.requests.count == 1)
        request.cachePolicy = freshness
        await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
        #expect(fixture.transport.requests.count == 2)
        _ = try await fixture.pipeline.image(for: request)
        #expect(fixture.transport.requests.count == 3)
      }
    }
  }

  @Test(arguments: [
    ScriptedTransport.Reply.response(status: 404, body: Data()), .response(body: image.prefix(13)),
  ])
  func `a remembered failure is not that of a request for which a part of the image is enough`(
    failure: ScriptedTransport.Reply
  ) async throws {
    let fixture = fixture(failure)
    for (isPartEnough, count) in [(false, 1), (true, 2), (false, 2), (true, 2)] {
      let request = ImageRequest(url: fixture.url) { $0.allowsPartialImage = isPartEnough }
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
      #expect(fixture.transport.requests.count == count)
    }
  }

  @Test(arguments: [
    ScriptedTransport.Reply.response(status: 404, body: Data()), .response(body: image.prefix(13)),
  ])
  func `a success replaces a remembered failure`(failure: ScriptedTransport.Reply) async throws {
    let fixture = fixture(failure, .response(body: Self.image))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url) { $0.cachePolicy = .revalidate })
    await fixture.pipeline.cache.flush()
    fixture.memory.removeAll()
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(fixture.transport.requests.count == 2)
    // The same holds if the image is in no cache.
    _ = try await fixture.pipeline.image(
      for: ImageRequest(url: fixture.url) {
        ($0.memoryAccess, $0.storeAccess) = (.disabled, .disabled)
      })
    #expect(fixture.transport.requests.count == 3)
  }

  @Test func `when no server was reached a retry can wait for a network`() async throws {
    let online = Signal()
    let fixture = fixture(.failure(.hostNotFound("a")), .response(body: Self.image)) { configuration in
      configuration.options.retryStrategy = ExponentialBackoff(firstDelay: .zero)
      configuration.waitsForConnectivity = true
      configuration.connectivity = SignalledConnectivity(online: online)
    }
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await online.waitForWaiter()
    #expect(fixture.transport.requests.count == 1)
    online.set()
    _ = try await task.image
  }

  @Test(arguments: [
    ScriptedTransport.Reply.response(status: 503, body: Data()), .failure(.connectionLost(received: 0, expected: nil)),
  ])
  func `a retry waits for no network when a server was reached`(failure: ScriptedTransport.Reply) async throws {
    let fixture = fixture(failure, .response(body: Self.image)) { configuration in
      configuration.options.retryStrategy = ExponentialBackoff(firstDelay: .zero)
      configuration.waitsForConnectivity = true
      configuration.connectivity = SignalledConnectivity(online: Signal())
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
  }

  @Test(arguments: [(404, 16 << 10, 16), (404, (16 << 10) + 1, 0), (302, 16 << 10, 16)])
  func `a short body of an error or a redirect is read, so that its connection can be reused`(
    status: Int, byteCount: Int, count: Int
  ) async throws {
    let reads = Counter()
    let fixture = fixture(
      .response(
        status: status, body: Data(count: byteCount), headers: ["Content-Length": "\(byteCount)", "Location": "/b"],
        pieceByteCount: 1 << 10, beforeRest: { reads.increment() }),
      .response(status: 404, body: Data()))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(reads.count == count)
  }

  @Test func `a timeout does not count the time in the queue`() async throws {
    let (first, second) = (Signal(), Signal())
    let fixture = PipelineFixture { [clock] in
      ($0.time, $0.connectionLimits) = (clock, ConnectionLimits(total: 1, perHost: 1))
    } script: { request in
      if request.url.path() == "/first" {
        await first.wait()
        return .response(body: Self.image)
      }
      await withTaskCancellationHandler {
        await second.wait()
      } onCancel: {
        second.set()
      }
      return .failure(.cancelled)
    }
    let occupied = try #require(URL(string: "http://example.com/first"))
    let occupying = fixture.pipeline.task(for: ImageRequest(url: occupied))
    while fixture.transport.requests.isEmpty { try await Task.yieldUnlessCancelled() }
    var request = ImageRequest(url: fixture.url)
    request.timeout = .seconds(5)
    // The second task joins the load of the first while that load waits.
    let tasks = [fixture.pipeline.task(for: request), fixture.pipeline.task(for: request)]
    await clock.waitForSleepers(2)
    while fixture.pipeline.loader.bytes.http.limiter.waitingCount == 0 { try await Task.yieldUnlessCancelled() }
    for _ in 1...3 {
      clock.advance(by: .seconds(60))
      await clock.waitForSleepers(2)
    }
    clock.advance(by: .seconds(2))
    first.set()
    _ = try await occupying.image
    while fixture.transport.requests.count < 2 { try await Task.yieldUnlessCancelled() }
    clock.advance(by: .milliseconds(4999))
    await clock.waitForSleepers(2)
    clock.advance(by: .milliseconds(1))
    for task in tasks {
      let error = await #expect(throws: ImageError.self) { try await task.image }
      #expect(error?.name == "timedOut")
    }
    await second.wait()
  }
}

private struct SignalledConnectivity: Connectivity {
  let online: Signal
  func waitUntilOnline() async throws { await online.wait() }
}
