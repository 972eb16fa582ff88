import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonPipeline
import HalcyonSupport
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Interrupted downloads that are resumed: when, and with what request.
@Suite(.unitTest)
struct ResumeTests {
  private static let body = InterruptedDownload.body

  @Test func `an interrupted download resumes where it stopped, twice`() async throws {
    let fixture = PipelineFixture.replying(.cut(at: 50_000), .cutRest(), .rest(from: 70_000))
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == [nil, "bytes=50000-", "bytes=70000-"])
    #expect(fixture.transport.requests.map { $0.headers["If-Range"] } == [nil, "\"a\"", "\"a\""])
  }

  @Test func `progress continues from the resumed offset`() async throws {
    let fixture = PipelineFixture.replying(.cut(at: 50_000), .rest(from: 50_000))
    let progress = EventLog<LoadProgress>()
    _ = try await fixture.pipeline.data(for: fixture.request) { progress.record($0) }
    #expect(progress.events.map(\.receivedByteCount) == [50_000, Self.body.count])
    #expect(progress.events.map(\.expectedByteCount) == [Self.body.count, Self.body.count])
  }

  @Test func `the error of a resumed download counts the bytes of the whole body`() async throws {
    let lost = TransportError.connectionLost(received: 20_000, expected: Self.body.count - 50_000)
    let fixture = PipelineFixture.replying(
      .cut(at: 50_000), .cutRest(lost), retry: ExponentialBackoff(attemptLimit: 2, firstDelay: .zero))
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    let whole = TransportError.connectionLost(received: 70_000, expected: Self.body.count)
    #expect(error?.description == ImageError.transport(whole, url: fixture.url).description)
  }

  @Test(arguments: [
    ["ETag": "W/\"a\"", "Accept-Ranges": "bytes"] as HTTPHeaders, ["ETag": "\"a\""], ["Accept-Ranges": "bytes"],
    ["ETag": "\"a\"", "Accept-Ranges": "none"],
    ["ETag": "\"a\"", "Accept-Ranges": "bytes", "Content-Encoding": "gzip"],
    [
      "Accept-Ranges": "bytes", "Date": "Tue, 14 Nov 2023 22:13:20 GMT",
      "Last-Modified": "Tue, 14 Nov 2023 22:13:19 GMT",
    ],
    [
      "ETag": "W/\"a\"", "Accept-Ranges": "bytes", "Date": "Tue, 14 Nov 2023 22:13:20 GMT",
      "Last-Modified": "Mon, 13 Nov 2023 22:13:20 GMT",
    ],
  ])
  func `without a strong validator and range support an interrupted download starts over`(headers: HTTPHeaders)
    async throws
  {
    let fixture = PipelineFixture.replying(.cut(at: 50_000, headers), .whole)
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.transport.requests.last?.headers["Range"] == nil)
  }

  @Test(arguments: ["Mon, 13 Nov 2023 22:13:20 GMT", "Tue, 14 Nov 2023 22:12:20 GMT"])
  func `a Last-Modified a minute before the Date is a strong validator`(modified: String) async throws {
    let headers: HTTPHeaders = [
      "Accept-Ranges": "bytes", "Date": "Tue, 14 Nov 2023 22:13:20 GMT", "Last-Modified": modified,
    ]
    let newer = "Tue, 14 Nov 2023 22:13:21 GMT"
    for sent in [nil, modified, newer] {
      var fields = HTTPHeaders()
      fields["Last-Modified"] = sent
      let fixture = PipelineFixture.replying(.cut(at: 50_000, headers), .rest(from: 50_000, adding: fields), .whole)
      #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
      #expect(fixture.transport.requests.dropFirst().first?.headers["If-Range"] == modified)
      #expect(fixture.ranges == [nil, "bytes=50000-"] + (sent == newer ? [nil] : []))
    }
  }

  @Test(arguments: [(203, body.count), (200, 50_000), (200, 49_999)])
  func `only an incomplete response with status 200 is resumed`(status: Int, length: Int) async throws {
    let headers = InterruptedDownload.headers.adding(["Content-Length": "\(length)"])
    let cut = ScriptedTransport.Reply.cut(
      body: Self.body, afterBytes: 50_000, headers: headers, error: InterruptedDownload.lost, status: status)
    let fixture = PipelineFixture.replying(cut, .whole)
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == [nil, nil])
  }

  @Test func `without ETags a download is resumed only if its response has none`() async throws {
    let dated: HTTPHeaders = [
      "Accept-Ranges": "bytes", "Date": "Tue, 14 Nov 2023 22:13:20 GMT",
      "Last-Modified": "Mon, 13 Nov 2023 22:13:20 GMT",
    ]
    let tagged = dated.adding(["ETag": "\"a\""])
    for (headers, reply, range) in [
      (tagged, .whole, nil), (dated, .rest(from: 50_000), "bytes=50000-"),
    ] as [(HTTPHeaders, ScriptedTransport.Reply, String?)] {
      for isRetried in [true, false] {
        let retry = isRetried ? ExponentialBackoff(firstDelay: .zero) : .never
        let fixture = PipelineFixture.replying(.cut(at: 50_000, headers), reply, retry: retry)
        var request = fixture.request
        request.usesETags = false
        if !isRetried { await fixture.loadInVain(request) }
        #expect(try await fixture.pipeline.data(for: request) == Self.body)
        #expect(fixture.transport.requests.last?.headers["Range"] == range)
      }
    }
  }

  @Test func `a changed image replaces the partial response`() async throws {
    let changed = SolidImage(width: 9, height: 9).data
    let fixture = PipelineFixture.replying(.cut(at: 50_000), .response(body: changed))
    #expect(try await fixture.pipeline.data(for: fixture.request) == changed)
  }

  @Test(arguments: [false, true])
  func `the rest of a body is requested only from the URL that it came from`(isRetried: Bool) async throws {
    for end in ["/b", "/c"] {
      let target = Lock("/b")
      let requests = Counter()
      let fixture = PipelineFixture {
        $0.options.retryStrategy = isRetried ? ExponentialBackoff(firstDelay: .zero) : ExponentialBackoff.never
      } script: { request in
        let isRest = request.headers["Range"] != nil
        switch request.url.path() {
        case "/a": return .response(status: 302, body: Data(), headers: ["Location": target.withLock { $0 }])
        case "/b" where requests.count == 0:
          requests.increment()
          target.withLock { $0 = end }
          return .cut(at: 50_000)
        default: return isRest ? .rest(from: 50_000) : .whole
        }
      }
      if !isRetried { await fixture.loadInVain() }
      #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
      #expect(fixture.transport.requests.map { $0.url.path() } == ["/a", "/b", "/a", end])
      let range = end == "/b" ? "bytes=50000-" : nil
      #expect(fixture.ranges == [nil, nil, nil, range])
      await fixture.pipeline.cache.flush()
      let entry = try await fixture.storedEntry()
      #expect(entry?.metadata.url?.path() == end && entry?.metadata.redirects.count == 1)
    }
  }

  @Test func `a download with validators is resumed with both, and a 304 then confirms the stored image`() async throws
  {
    for (last, status) in [
      (ScriptedTransport.Reply.rest(from: 50_000), 206), (.response(status: 304, body: Data()), 304),
    ] {
      let clock = TestClock()
      let old: HTTPHeaders = ["ETag": "\"old\"", "Cache-Control": "max-age=1"]
      let changed = SolidImage(width: 9, height: 9).data
      let fixture = PipelineFixture.replying(
        .response(body: changed, headers: old), .cut(at: 50_000), last, time: clock)
      _ = try await fixture.pipeline.data(for: fixture.request)
      await fixture.pipeline.cache.flush()
      clock.advance(by: .seconds(2))
      #expect(try await fixture.pipeline.data(for: fixture.request) == (status == 304 ? changed : Self.body))
      #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"old\"", "\"old\""])
      #expect(fixture.transport.requests.map { $0.headers["If-Range"] } == [nil, nil, "\"a\""])
    }
  }

  @Test func `a request with validators is not a request for the rest of a body`() async throws {
    let clock = TestClock()
    let old: HTTPHeaders = ["ETag": "\"old\"", "Cache-Control": "max-age=1"]
    let fixture = PipelineFixture.replying(
      .response(body: Self.body, headers: old), .cut(at: 50_000), .response(status: 304, body: Data()), retry: .never,
      time: clock)
    _ = try await fixture.pipeline.data(for: fixture.request)
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(2))
    await fixture.loadInVain()
    #expect(fixture.store.count == 2)
    _ = try await fixture.pipeline.data(for: fixture.request)
    #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"old\"", "\"old\""])
    #expect(fixture.ranges == [nil, nil, nil])
  }
}
