import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonPipeline
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

/// Responses with status 206: which of them continue a body, and which are rejected.
@Suite(.unitTest)
struct PartialContentTests {
  private static let body = InterruptedDownload.body
  private static let rest = InterruptedDownload.restHeaders(from: 50_000)

  @Test(
    arguments: [
      .rest(from: 40_000), .rest(from: 50_000, tag: "\"b\""), .rest(from: 50_000, total: body.count + 1),
      .response(status: 416, body: Data()), .cutRest(.badContentEncoding(reason: "cut")),
    ]
      + [
        [:], ["Content-Range": "bytes 50000-*/*", "ETag": "\"a\""],
        ["Content-Range": "bytes 50000-\(body.count - 1)/\(body.count)"],
        ["Content-Range": "bytes 50000-\(body.count - 51)/*", "ETag": "\"a\""],
        rest.adding(["Content-Length": "\(body.count - 50_050)"]), rest.adding(["Content-Encoding": "gzip"]),
      ].map { .response(status: 206, body: body.dropFirst(50_000), headers: $0) } as [ScriptedTransport.Reply])
  func `a partial response that does not match is discarded and the whole image is requested`(
    wrong: ScriptedTransport.Reply
  ) async throws {
    let fixture = PipelineFixture.replying(.cut(at: 50_000), wrong, .whole)
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == [nil, "bytes=50000-", nil])
  }

  @Test(arguments: [(body.count, true), (body.count + 9, false)])
  func `the rest of a body whose length was not stated is all that its Content-Range says`(
    total: Int, isResumed: Bool
  ) async throws {
    let cut = ScriptedTransport.Reply.cut(
      body: Self.body, afterBytes: 50_000, headers: InterruptedDownload.headers, error: InterruptedDownload.lost)
    let fixture = PipelineFixture.replying(cut, .rest(from: 50_000, total: total), .whole)
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == [nil, "bytes=50000-"] + (isResumed ? [] : [nil]))
  }

  @Test func `a resumed body that ends before its Content-Range is resumed again`() async throws {
    let short = ScriptedTransport.Reply.response(
      status: 206, body: Self.body[50_000..<(Self.body.count - 50)], headers: Self.rest)
    let fixture = PipelineFixture.replying(.cut(at: 50_000), short, .rest(from: Self.body.count - 50))
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
  }

  @Test func `a resumed body that goes on after its Content-Range is downloaded again`() async throws {
    let long = ScriptedTransport.Reply.response(
      status: 206, body: Self.body.dropFirst(50_000) + Data(count: 500), headers: Self.rest)
    let fixture = PipelineFixture.replying(.cut(at: 50_000), long, .whole)
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == [nil, "bytes=50000-", nil])
  }

  @Test(
    arguments: [
      ("bytes 0-\(body.count - 1)/\(body.count)", true), ("bytes 0-\(body.count - 1)/*", false),
      ("bytes 0-\(body.count - 1)/\(body.count + 9)", false), ("bytes 9-\(body.count + 8)/\(body.count + 9)", false),
      ("items 0-1/2", false), (nil, false),
    ] as [(String?, Bool)])
  func `a 206 without a range request is a 200, and stored if it is whole`(range: String?, isStored: Bool) async throws
  {
    var headers = InterruptedDownload.headers
    headers["Content-Range"] = range
    let fixture = PipelineFixture.replying(.response(status: 206, body: Self.body, headers: headers))
    #expect(try await fixture.pipeline.response(for: fixture.request).origin == .network)
    await fixture.pipeline.cache.flush()
    #expect((fixture.pipeline[cached: fixture.request] != nil) == isStored)
    let entry = try await fixture.storedEntry()
    #expect(entry?.body == (isStored ? Self.body : nil))
    #expect(entry?.metadata.status ?? 200 == 200 && entry?.metadata.headers["Content-Range"] == nil)
  }

  @Test func `a 206 to a range that the caller asked for is rejected`() async throws {
    let fixture = PipelineFixture.replying(.rest(from: 0))
    let request = ImageRequest(url: fixture.url, headers: ["Range": "bytes=0-"])
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
    #expect(error?.name == "httpStatus")
  }

  @Test(arguments: [204, 300, 304, 400, 401, 403, 404, 405, 406, 410, 412, 416, 417, 429, 500, 501, 502, 503, 505])
  func `a refused range is requested once more as a whole, and its partial body is dropped`(status: Int) async throws {
    let fixture = PipelineFixture {
      $0.options.retryStrategy = ExponentialBackoff.never
    } script: { request in
      if request.headers["Range"] != nil { return .response(status: status, body: Data()) }
      return .whole
    }
    try await fixture.storePart()
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == ["bytes=50000-", nil])
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 1, "the whole body alone")
  }

  @Test(arguments: [403, 404, 503])
  func `a status without a range too is the error, and the partial body is kept if it may be over`(status: Int)
    async throws
  {
    let fixture = PipelineFixture {
      $0.options.retryStrategy = ExponentialBackoff.never
      $0.failureLifetimes = .none
    } script: { _ in
      .response(status: status, body: Data())
    }
    try await fixture.storePart()
    for _ in 1...2 { await fixture.loadInVain() }
    let isKept = status == 503
    #expect(fixture.ranges == ["bytes=50000-", nil] + (isKept ? ["bytes=50000-", nil] : [nil]))
    #expect(fixture.store.count == (isKept ? 1 : 0))
  }

  @Test func `a range that a page or a redirect to one answers is requested once more as a whole`() async throws {
    // The last page redirects to itself.
    for page in [Data("<html>No ranges</html>".utf8), Data(), nil] as [Data?] {
      let fixture = PipelineFixture {
        $0.options.retryStrategy = ExponentialBackoff.never
        $0.redirectLimit = 1
      } script: { request in
        if request.headers["Range"] == nil, request.url.path() != "/page" { return .whole }
        if request.url.path() == "/page", let page { return .response(body: page) }
        return .response(status: 302, body: Data(), headers: ["Location": "/page"])
      }
      try await fixture.storePart()
      #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
      #expect(fixture.ranges == ["bytes=50000-", nil, nil])
    }
  }

  @Test func `a server that closes the connection at a range gets the last attempt without one`() async throws {
    let fixture = PipelineFixture {
      $0.options.retryStrategy = ExponentialBackoff(firstDelay: .zero)
    } script: { request in
      request.headers["Range"] != nil ? .failure(InterruptedDownload.lost) : .whole
    }
    try await fixture.storePart()
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == ["bytes=50000-", "bytes=50000-", nil])
  }
}

extension PipelineFixture {
  /// Stores the first bytes of the body, as an interrupted load does.
  fileprivate func storePart() async throws {
    let key = ImagePipeline.cacheKey(for: request).ofPartialBody
    let headers = InterruptedDownload.headers.adding(["Content-Length": "\(InterruptedDownload.body.count)"])
    let metadata = EntryMetadata(url: url, status: 200, headers: headers, requestDate: .now, responseDate: .now)
    try await store.store(StoredEntry(body: InterruptedDownload.body.prefix(50_000), metadata: metadata), for: key)
  }
}
