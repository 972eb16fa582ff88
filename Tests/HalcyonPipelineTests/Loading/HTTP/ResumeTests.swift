import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTesting
import TestSupport
import TestDoubles
import TestTraits
import Testing

@Suite(.unitTest)
struct ResumeTests {
  private static let body = SolidImage(width: 30, height: 30, paddingByteCount: 100_000).data
  private static let strong: HTTPHeaders = ["ETag": "\"a\"", "Accept-Ranges": "bytes"]
  private static let lost = TransportError.connectionLost(received: 0, expected: nil)

  private func cut(at count: Int, _ headers: HTTPHeaders = strong) -> ScriptedTransport.Reply {
    var headers = headers
    headers["Content-Length"] = "\(Self.body.count)"
    return .cut(body: Self.body, afterBytes: count, headers: headers, error: Self.lost)
  }

  private func rest(from first: Int, tag: String = "\"a\"", total: Int = body.count) -> ScriptedTransport.Reply {
    .response(
      status: 206, body: Self.body.dropFirst(first),
      headers: [
        "ETag": tag, "Content-Range": "bytes \(first)-\(Self.body.count - 1)/\(total)",
        "Content-Length": "\(Self.body.count - first)",
      ])
  }

  private func fixture(
    _ replies: ScriptedTransport.Reply..., retry: any RetryStrategy = ExponentialBackoff(firstDelay: .zero)
  ) -> PipelineFixture {
    let next = Lock(replies)
    return PipelineFixture {
      $0.options.retryStrategy = retry
      $0.progressInterval = .zero
    } script: { _ in
      next.withLock { $0.isEmpty ? .failure(.failed(reason: "too many requests")) : $0.removeFirst() }
    }
  }

  @Test func `an interrupted download resumes where it stopped, twice`() async throws {
    let second = ScriptedTransport.Reply.cut(
      body: Self.body.dropFirst(50_000), afterBytes: 20_000,
      headers: ["ETag": "\"a\"", "Content-Range": "bytes 50000-\(Self.body.count - 1)/\(Self.body.count)"],
      error: Self.lost, status: 206)
    let fixture = fixture(cut(at: 50_000), second, rest(from: 70_000))
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
    let requests = fixture.transport.requests.map(\.headers)
    #expect(requests.map { $0["Range"] } == [nil, "bytes=50000-", "bytes=70000-"])
    #expect(requests.map { $0["If-Range"] } == [nil, "\"a\"", "\"a\""])
  }

  @Test func `progress continues from the resumed offset`() async throws {
    let fixture = fixture(cut(at: 50_000), rest(from: 50_000))
    let progress = EventLog<LoadProgress>()
    _ = try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) { progress.record($0) }
    #expect(progress.events.map(\.receivedByteCount) == [50_000, Self.body.count])
    #expect(progress.events.map(\.expectedByteCount) == [Self.body.count, Self.body.count])
  }

  @Test func `another process resumes from the partial response in the store, and removes it afterwards`() async throws
  {
    let fixture = fixture(cut(at: 50_000), retry: ExponentialBackoff.never)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 1)
    let transport = ScriptedTransport { _ in self.rest(from: 50_000) }
    let next = ImagePipeline(
      configuration: PipelineConfiguration(
        transport: transport, decoders: [SolidDecoder()], cache: ImageCache(store: fixture.store)))
    let response = try await next.response(for: ImageRequest(url: fixture.url))
    #expect(response.encodedByteCount == Self.body.count)
    #expect(transport.requests.first?.headers["Range"] == "bytes=50000-")
    await next.cache.flush()
    #expect(fixture.store.count == 1)
    let key = ImagePipeline.cacheKey(for: ImageRequest(url: fixture.url))
    let stored = try #require(try await fixture.store.entry(for: key))
    #expect(stored.body == Self.body)
    #expect(stored.metadata.status == 200)
    #expect(stored.metadata.headers["Content-Range"] == nil)
    #expect(stored.metadata.headers["Content-Length"] == "\(Self.body.count)")
  }

  @Test func `a cancelled load stores its partial response for the next`() async throws {
    let (arrived, ended) = (Signal(), Signal())
    let fixture = PipelineFixture { _ in
      .response(body: Self.body, headers: Self.strong, pieceByteCount: 50_000) {
        arrived.set()
        await withTaskCancellationHandler {
          await ended.wait()
        } onCancel: {
          ended.set()
        }
      }
    }
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await arrived.wait()
    task.cancel()
    // The load has ended for its subscribers; it stores the partial response after that.
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 1)
    // The partial response is not an image, and has a separate key.
    let key = ImagePipeline.cacheKey(for: ImageRequest(url: fixture.url))
    #expect(try await fixture.store.entry(for: key) == nil)
  }

  @Test(arguments: [
    ["ETag": "W/\"a\"", "Accept-Ranges": "bytes"] as HTTPHeaders, ["ETag": "\"a\""], ["Accept-Ranges": "bytes"],
    ["ETag": "\"a\"", "Accept-Ranges": "none"],
    ["ETag": "\"a\"", "Accept-Ranges": "bytes", "Content-Encoding": "gzip"],
    [
      "Accept-Ranges": "bytes", "Date": "Tue, 14 Nov 2023 22:13:20 GMT",
      "Last-Modified": "Tue, 14 Nov 2023 22:13:19 GMT",
    ],
  ])
  func `without a strong validator and range support an interrupted download starts over`(headers: HTTPHeaders)
    async throws
  {
    let fixture = fixture(cut(at: 50_000, headers), .response(body: Self.body))
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
    #expect(fixture.transport.requests.last?.headers["Range"] == nil)
  }

  @Test(arguments: ["Mon, 13 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:12:20 GMT"])
  func `a Last-Modified a minute before the Date is a strong validator`(modified: String) async throws {
    let headers: HTTPHeaders = [
      "Accept-Ranges": "bytes", "Date": "Tue, 14 Nov 2023 22:13:20 GMT", "Last-Modified": modified,
    ]
    let fixture = fixture(cut(at: 50_000, headers), rest(from: 50_000))
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
    #expect(fixture.transport.requests.last?.headers["If-Range"] == modified)
  }

  @Test(arguments: [(203, body.count), (200, 50_000), (200, 49_999)])
  func `only an incomplete response with status 200 is resumed`(status: Int, length: Int) async throws {
    let headers = Self.strong.adding(["Content-Length": "\(length)"])
    let cut = ScriptedTransport.Reply.cut(
      body: Self.body, afterBytes: 50_000, headers: headers, error: Self.lost, status: status)
    let fixture = fixture(cut, .response(body: Self.body))
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
    #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, nil])
  }

  @Test func `a partial response that does not match is discarded and the whole image is requested`() async throws {
    for wrong in [
      rest(from: 40_000), rest(from: 50_000, tag: "\"b\""), rest(from: 50_000, total: Self.body.count + 1),
      .response(status: 206, body: Self.body.dropFirst(50_000)), .response(status: 416, body: Data()),
    ] {
      let fixture = fixture(cut(at: 50_000), wrong, .response(body: Self.body))
      #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
      #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, "bytes=50000-", nil])
    }
  }

  @Test(arguments: [
    ["Content-Range": "bytes 50000-*/*", "ETag": "\"a\""] as HTTPHeaders,
    ["Content-Range": "bytes 50000-\(body.count - 1)/\(body.count)"],
    ["Content-Range": "bytes 50000-\(body.count - 51)/*", "ETag": "\"a\""],
    [
      "Content-Range": "bytes 50000-\(body.count - 1)/\(body.count)", "ETag": "\"a\"",
      "Content-Length": "\(body.count - 50_050)",
    ],
    [
      "Content-Range": "bytes 50000-\(body.count - 1)/\(body.count)", "ETag": "\"a\"",
      "Content-Encoding": "gzip",
    ],
  ])
  func `a partial response without the validator or with the wrong end is discarded`(headers: HTTPHeaders) async throws
  {
    let wrong = ScriptedTransport.Reply.response(status: 206, body: Self.body.dropFirst(50_000), headers: headers)
    let fixture = fixture(cut(at: 50_000), wrong, .response(body: Self.body))
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
    #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, "bytes=50000-", nil])
  }

  @Test func `a resumed body that ends before its Content-Range is resumed again`() async throws {
    let headers: HTTPHeaders = [
      "ETag": "\"a\"", "Content-Range": "bytes 50000-\(Self.body.count - 1)/\(Self.body.count)",
    ]
    let short = ScriptedTransport.Reply.response(
      status: 206, body: Self.body[50_000..<(Self.body.count - 50)], headers: headers)
    let fixture = fixture(cut(at: 50_000), short, rest(from: Self.body.count - 50))
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
  }

  @Test func `a resumed body that goes on after its Content-Range is downloaded again`() async throws {
    let headers: HTTPHeaders = [
      "ETag": "\"a\"", "Content-Range": "bytes 50000-\(Self.body.count - 1)/\(Self.body.count)",
    ]
    let long = ScriptedTransport.Reply.response(
      status: 206, body: Self.body.dropFirst(50_000) + Data(count: 500), headers: headers)
    let fixture = fixture(cut(at: 50_000), long, .response(body: Self.body))
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
    #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, "bytes=50000-", nil])
  }

  @Test func `the error of a resumed download counts the bytes of the whole body`() async throws {
    let lost = TransportError.connectionLost(received: 20_000, expected: Self.body.count - 50_000)
    let second = ScriptedTransport.Reply.cut(
      body: Self.body.dropFirst(50_000), afterBytes: 20_000,
      headers: ["ETag": "\"a\"", "Content-Range": "bytes 50000-\(Self.body.count - 1)/\(Self.body.count)"],
      error: lost, status: 206)
    let fixture = fixture(cut(at: 50_000), second, retry: ExponentialBackoff(attemptLimit: 2, firstDelay: .zero))
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    let whole = TransportError.connectionLost(received: 70_000, expected: Self.body.count)
    #expect(error?.description == ImageError.transport(whole, url: fixture.url).description)
  }

  @Test func `without ETags a download is resumed only if its response has none`() async throws {
    let dated: HTTPHeaders = [
      "Accept-Ranges": "bytes", "Date": "Tue, 14 Nov 2023 22:13:20 GMT",
      "Last-Modified": "Mon, 13 Nov 2023 22:13:20 GMT",
    ]
    let tagged = dated.adding(["ETag": "\"a\""])
    for (headers, reply, range) in [
      (tagged, .response(body: Self.body), nil), (dated, rest(from: 50_000), "bytes=50000-"),
    ] as [(HTTPHeaders, ScriptedTransport.Reply, String?)] {
      for isRetried in [true, false] {
        let retry = isRetried ? ExponentialBackoff(firstDelay: .zero) : .never
        let fixture = fixture(cut(at: 50_000, headers), reply, retry: retry)
        var request = ImageRequest(url: fixture.url)
        request.usesETags = false
        if !isRetried {
          await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: request) }
          await fixture.pipeline.cache.flush()
        }
        #expect(try await fixture.pipeline.data(for: request) == Self.body)
        #expect(fixture.transport.requests.last?.headers["Range"] == range)
      }
    }
  }

  @Test func `a reload that ignores the cache does not resume an earlier download`() async throws {
    let fixture = fixture(cut(at: 50_000), .response(body: Self.body), retry: ExponentialBackoff.never)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    await fixture.pipeline.cache.flush()
    var request = ImageRequest(url: fixture.url)
    request.cachePolicy = .reload
    #expect(try await fixture.pipeline.data(for: request) == Self.body)
    #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, nil])
  }

  @Test func `a body of empty pieces ends when its load is cancelled`() async throws {
    let (asked, pieces) = (Signal(), Counter())
    let transport = EmptyPieces {
      pieces.increment()
      if pieces.count == 3 { asked.set() }
    }
    let fixture = PipelineFixture {
      $0.transport = transport
    } script: { _ in
      .failure(.cancelled)
    }
    let load = Task { try await fixture.pipeline.image(for: fixture.url) }
    await asked.wait()
    load.cancel()
    let error = await #expect(throws: ImageError.self) { try await load.value }
    #expect(error?.name == "cancelled")
    while fixture.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
  }

  private static let always = AlwaysRetry(attemptLimit: 2)

  @Test(
    arguments: [
      .cut(body: Data("<html>".utf8) + body, afterBytes: 50_000, headers: strong, error: lost),
      .cut(body: body, afterBytes: 50_000, headers: strong, error: .badContentEncoding(reason: "cut")),
    ] as [ScriptedTransport.Reply])
  func `bytes that were rejected are neither stored nor continued`(reply: ScriptedTransport.Reply) async throws {
    let fixture = fixture(reply, .response(body: Self.body), retry: Self.always)
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == Self.body)
    #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, nil])
    let other = self.fixture(reply, retry: ExponentialBackoff.never)
    await #expect(throws: ImageError.self) { try await other.pipeline.data(for: ImageRequest(url: other.url)) }
    await other.pipeline.cache.flush()
    #expect(other.store.count == 0)
  }

  @Test func `a stored partial response whose rest is rejected is removed`() async throws {
    let fixture = fixture(
      cut(at: 50_000), rest(from: 50_000), .response(body: Self.body), retry: ExponentialBackoff.never)
    let request = ImageRequest(url: fixture.url)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: request) }
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 1)
    var refusing = request
    refusing.options.dataTransform = { _, _ in throw Refused() }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: refusing) }
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 0)
    #expect(try await fixture.pipeline.data(for: request) == Self.body)
    #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, "bytes=50000-", nil])
  }

  @Test func `a stored partial response remains while its server cannot be reached`() async throws {
    let fixture = fixture(
      cut(at: 50_000), .failure(.connectionLost(received: 0, expected: nil)), .response(status: 503, body: Data()),
      rest(from: 50_000), retry: ExponentialBackoff.never)
    let request = ImageRequest(url: fixture.url)
    for _ in 0..<3 {
      await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: request) }
      await fixture.pipeline.cache.flush()
      #expect(fixture.store.count == 1)
    }
    #expect(try await fixture.pipeline.data(for: request) == Self.body)
    let part = "bytes=50000-"
    #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, part, part, part])
  }

  @Test func `a long body is stored in part while it arrives, for a process that is killed`() async throws {
    let body = SolidImage(width: 30, height: 30, paddingByteCount: 9 << 20).data
    let (gate, pieces) = (Gate(), Counter())
    let fixture = PipelineFixture { _ in
      .response(body: body, headers: Self.strong, pieceByteCount: 1 << 20) {
        pieces.increment()
        if pieces.count == 9 { try? await gate.wait() }
      }
    }
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    try await gate.waitUntilHolding()
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 1)
    gate.open()
    _ = try await task.image
  }

  @Test func `the response to the last range request renews the head of a resumed body`() async throws {
    let clock = TestClock()
    let next = Lock([
      cut(at: 50_000, Self.strong.adding(["Cache-Control": "no-cache", "X-Kept": "1"])),
      .response(
        status: 206, body: Self.body.dropFirst(50_000),
        headers: [
          "ETag": "\"a\"", "Content-Range": "bytes 50000-\(Self.body.count - 1)/\(Self.body.count)",
          "Cache-Control": "max-age=60",
        ]),
    ])
    let fixture = PipelineFixture {
      ($0.time, $0.options.retryStrategy) = (clock, ExponentialBackoff.never)
    } script: { _ in
      next.withLock { $0.removeFirst() }
    }
    let request = ImageRequest(url: fixture.url)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: request) }
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(100))
    _ = try await fixture.pipeline.data(for: request)
    await fixture.pipeline.cache.flush()
    let stored = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: request))
    let metadata = try #require(stored?.metadata)
    #expect(metadata.headers["Cache-Control"] == "max-age=60" && metadata.headers["X-Kept"] == "1")
    #expect(metadata.responseDate == clock.now() && metadata.requestDate == clock.now())
  }

  @Test func `a request with validators is not a request for the rest of a body`() async throws {
    let clock = TestClock()
    let old: HTTPHeaders = ["ETag": "\"old\"", "Cache-Control": "max-age=1"]
    let next = Lock([.response(body: Self.body, headers: old), cut(at: 50_000), .response(status: 304, body: Data())])
    let fixture = PipelineFixture {
      ($0.time, $0.options.retryStrategy) = (clock, ExponentialBackoff.never)
    } script: { _ in
      next.withLock { $0.removeFirst() }
    }
    let request = ImageRequest(url: fixture.url)
    _ = try await fixture.pipeline.data(for: request)
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(2))
    await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: request) }
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 2)
    _ = try await fixture.pipeline.data(for: request)
    #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"old\"", "\"old\""])
    #expect(fixture.transport.requests.allSatisfy { $0.headers["Range"] == nil })
  }

  @Test func `only bodies of some size are stored in part, and none that must not be`() async throws {
    for (count, access, stored) in [
      (32 << 10, CacheAccess.readWrite, 1), ((32 << 10) - 1, .readWrite, 0), (50_000, .disabled, 0),
    ] {
      let fixture = fixture(cut(at: count), retry: ExponentialBackoff.never)
      var request = ImageRequest(url: fixture.url)
      request.storeAccess = access
      await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: request) }
      await fixture.pipeline.cache.flush()
      #expect(fixture.store.count == stored)
    }
  }

  @Test func `a changed image replaces the partial response`() async throws {
    let changed = SolidImage(width: 9, height: 9).data
    let fixture = fixture(cut(at: 50_000), .response(body: changed))
    #expect(try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) == changed)
  }

  @Test(
    arguments: [
      ("bytes 0-\(body.count - 1)/\(body.count)", true), ("bytes 0-\(body.count - 1)/*", false),
      ("bytes 0-\(body.count - 1)/\(body.count + 9)", false), ("bytes 9-\(body.count + 8)/\(body.count + 9)", false),
      ("items 0-1/2", false), (nil, false),
    ] as [(String?, Bool)])
  func `a 206 without a range request is a 200, and stored if it is whole`(range: String?, isStored: Bool) async throws
  {
    var headers = Self.strong
    headers["Content-Range"] = range
    let fixture = fixture(.response(status: 206, body: Self.body, headers: headers))
    let request = ImageRequest(url: fixture.url)
    #expect(try await fixture.pipeline.response(for: request).origin == .network)
    await fixture.pipeline.cache.flush()
    #expect((fixture.pipeline[cached: request] != nil) == isStored)
    let entry = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: request))
    #expect(entry?.body == (isStored ? Self.body : nil))
    #expect(entry?.metadata.status ?? 200 == 200 && entry?.metadata.headers["Content-Range"] == nil)
  }

  @Test func `a 206 to a range that the caller asked for is rejected`() async throws {
    let fixture = fixture(rest(from: 0))
    let request = ImageRequest(url: fixture.url, headers: ["Range": "bytes=0-"])
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    #expect(error?.name == "httpStatus")
  }

  @Test func `a body that was resumed from the store is stored as any other`() async throws {
    let fixture = fixture(cut(at: 50_000), rest(from: 50_000), retry: ExponentialBackoff.never)
    let request = ImageRequest(url: fixture.url)
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    await fixture.pipeline.cache.flush()
    _ = try await fixture.pipeline.image(for: request)
    await fixture.pipeline.cache.flush()
    let entry = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: request))
    let metadata = try #require(entry?.metadata)
    #expect(metadata.tags == [] && metadata.expiration == nil && metadata.url == fixture.url)
    #expect(fixture.store.count == 1)
  }

  @Test(arguments: [false, true])
  func `the rest of a body is requested only from the URL that it came from`(isRetried: Bool) async throws {
    for end in ["/b", "/c"] {
      let target = Lock("/b")
      let requests = Counter()
      let fixture = PipelineFixture {
        $0.options.retryStrategy = isRetried ? ExponentialBackoff(firstDelay: .zero) : ExponentialBackoff.never
      } script: { [body = Self.body] request in
        let isRest = request.headers["Range"] != nil
        switch request.url.path() {
        case "/a": return .response(status: 302, body: Data(), headers: ["Location": target.withLock { $0 }])
        case "/b" where requests.count == 0:
          requests.increment()
          target.withLock { $0 = end }
          return self.cut(at: 50_000)
        default: return isRest ? self.rest(from: 50_000) : .response(body: body)
        }
      }
      let request = ImageRequest(url: fixture.url)
      if !isRetried {
        await #expect(throws: ImageError.self) { try await fixture.pipeline.data(for: request) }
        await fixture.pipeline.cache.flush()
      }
      #expect(try await fixture.pipeline.data(for: request) == Self.body)
      #expect(fixture.transport.requests.map { $0.url.path() } == ["/a", "/b", "/a", end])
      let range = end == "/b" ? "bytes=50000-" : nil
      #expect(fixture.transport.requests.map { $0.headers["Range"] } == [nil, nil, nil, range])
      await fixture.pipeline.cache.flush()
      let entry = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: request))
      #expect(entry?.metadata.url?.path() == end && entry?.metadata.redirects.count == 1)
    }
  }

  @Test func `a download with validators is resumed with both, and a 304 then confirms the stored image`() async throws
  {
    for (last, status) in [(rest(from: 50_000), 206), (.response(status: 304, body: Data()), 304)] {
      let clock = TestClock()
      let old: HTTPHeaders = ["ETag": "\"old\"", "Cache-Control": "max-age=1"]
      let changed = SolidImage(width: 9, height: 9).data
      let next = Lock([.response(body: changed, headers: old), cut(at: 50_000), last])
      let fixture = PipelineFixture {
        ($0.time, $0.options.retryStrategy) = (clock, ExponentialBackoff(firstDelay: .zero))
      } script: { _ in
        next.withLock { $0.removeFirst() }
      }
      let request = ImageRequest(url: fixture.url)
      _ = try await fixture.pipeline.data(for: request)
      await fixture.pipeline.cache.flush()
      clock.advance(by: .seconds(2))
      #expect(try await fixture.pipeline.data(for: request) == (status == 304 ? changed : Self.body))
      #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"old\"", "\"old\""])
      #expect(fixture.transport.requests.map { $0.headers["If-Range"] } == [nil, nil, "\"a\""])
    }
  }
}

private struct Refused: Error {}

/// Retries after every failure.
private struct AlwaysRetry: RetryStrategy {
  let attemptLimit: Int

  func delay(after failure: FailedAttempt) async -> Duration? {
    failure.attemptCount < attemptLimit ? .zero : nil
  }
}

/// Sends bodies of empty pieces without end, and does not notice a cancellation.
private struct EmptyPieces: Transport {
  let onRead: @Sendable () -> Void

  func response(to request: TransportRequest) async throws -> TransportResponse {
    TransportResponse(
      status: 200, headers: HTTPHeaders(),
      body: TransportBody {
        onRead()
        return Data()
      })
  }
}
