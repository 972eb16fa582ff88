import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Loads of encoded bytes: what they store, their progress, and how they end.
@Suite(.unitTest)
struct DataLoadTests {
  private let body = SolidImage(width: 4, height: 4, paddingByteCount: 1000).data

  private func fixture(
    _ configure: (inout PipelineConfiguration) -> Void = { _ in },
    script: (@Sendable (TransportRequest) async throws -> ScriptedTransport.Reply)? = nil
  ) -> PipelineFixture {
    let body = body
    return PipelineFixture(configure: configure, script: script ?? { _ in .response(body: body) })
  }

  @Test func `encoded bytes are transferred once, whether data, info or the image is loaded`() async throws {
    let fixture = fixture()
    let request = ImageRequest(url: fixture.url)
    #expect(try await fixture.pipeline.data(for: request) == body)
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.pipeline.data(for: request) == body)
    #expect(try await fixture.pipeline.info(for: request).pixelSize == PixelSize(width: 4, height: 4))
    #expect(try await fixture.pipeline.response(for: request).origin == .store)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `encoded bytes are not stored where the request, its options or the server forbid it`() async throws {
    let cases: [(CacheAccess, StoragePolicy?, HTTPHeaders)] = [
      (.disabled, nil, [:]), (.readWrite, .encoded(as: .jpeg, keepsOriginal: false), [:]),
      (.readWrite, nil, ["Cache-Control": "no-store"]),
    ]
    for (access, storage, headers) in cases {
      let body = body
      let fixture = fixture(script: { _ in .response(body: body, headers: headers) })
      _ = try await fixture.pipeline.data(
        for: ImageRequest(url: fixture.url) { ($0.storeAccess, $0.storage) = (access, storage) })
      await fixture.pipeline.cache.flush()
      #expect(fixture.store.count == 0)
    }
  }

  @Test func `stored bytes that only begin like an image are fetched again when they are decoded`() async throws {
    var damaged = body
    damaged[13] = 0
    let isRepaired = Lock(false)
    let (bytes, body) = (damaged, body)
    let fixture = fixture(script: { _ in .response(body: isRepaired.withLock { $0 } ? body : bytes) })
    _ = try await fixture.pipeline.data(for: ImageRequest(url: fixture.url))
    await fixture.pipeline.cache.flush()
    isRepaired.withLock { $0 = true }
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: fixture.url)).origin == .network)
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `a cut file that arrives in the background does not replace the stored one`() async throws {
    let isCut = Lock(false)
    let (clock, head) = (TestClock(), Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0])
    let (whole, cut) = (Data(head + [0x3B]), Data(head + [0x2C]))
    let fixture = fixture {
      ($0.time, $0.decoders) = (clock, [NumberedFramesDecoder(frameCount: 1)])
    } script: { _ in
      .response(
        body: isCut.withLock { $0 } ? cut : whole, headers: ["Cache-Control": "max-age=1, stale-while-revalidate=60"])
    }
    let request = ImageRequest(url: fixture.url)
    _ = try await fixture.pipeline.data(for: request)
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(2))
    isCut.withLock { $0 = true }
    for count in [2, 3] {
      #expect(try await fixture.pipeline.data(for: request) == whole)
      await fixture.pipeline.cache.flush()
      #expect(fixture.transport.requests.count == count)
    }
  }

  @Test func `a cut animation is refused, although its first frame can be decoded`() async throws {
    let cut = Data(Array("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x2C])
    let fixture = fixture({ $0.decoders = [NumberedFramesDecoder(frameCount: 2)] }) { _ in .response(body: cut) }
    let error = await #expect(throws: ImageError.self) {
      try await fixture.pipeline.data(for: ImageRequest(url: fixture.url))
    }
    #expect(error?.name == "decoding")
  }

  @Test func `stored bytes are fetched again only if they may be damaged, and not at each request`() async throws {
    let errors: [(ImageDecodingError, requestCount: Int)] = [
      (.corrupt(.bmp, reason: "a bit"), 2), (.truncated(.bmp), 2), (.unsupportedFeature(.bmp, feature: "scaling"), 1),
      (.unsupportedFormat(.bmp), 1), (.tooManyPixels(PixelSize(width: 9, height: 9), limit: 1), 1),
      (.sideTooLong(PixelSize(width: 9, height: 9), limit: 1), 1), (.tooManyBytes(9, limit: 1), 1),
      (.outOfMemory(PixelSize(width: 9, height: 9)), 1),
    ]
    for (error, requestCount) in errors {
      for isEncoded in [false, true] {
        let body = body
        let fixture = fixture({ $0.decoders = [FailingDecoder(error: error)] }) { _ in
          .response(body: body, headers: ["Cache-Control": "max-age=1000"])
        }
        let request = ImageRequest(url: fixture.url)
        _ = try await fixture.pipeline.data(for: request)
        await fixture.pipeline.cache.flush()
        for _ in 1...3 {
          let thrown = await #expect(throws: ImageError.self) {
            if isEncoded {
              _ = try await fixture.pipeline.plannedResponse(for: request, planIdentifier: "a") { _ in
                Rendition(encoding: .init(as: .bmp))
              }
            } else {
              _ = try await fixture.pipeline.image(for: request)
            }
          }
          #expect(thrown?.name == "decoding")
        }
        #expect(fixture.transport.requests.count == requestCount, "\(error)")
      }
    }
  }

  /// Reads headers, and decodes nothing.
  private struct FailingDecoder: ImageDecoder {
    let formats: Set<ImageFormat> = SolidDecoder().formats
    let error: ImageDecodingError

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
      try SolidDecoder().probe(bytes, isComplete: isComplete)
    }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage { throw error }
  }

  @Test(arguments: ["no-cache", "must-revalidate", "private", "no-store"])
  func `an encoded image behind a redirect keeps the directives of its response`(directive: String) async throws {
    let body = body
    let headers: HTTPHeaders = [
      "Cache-Control": "max-age=600, \(directive)", "Expires": "Thu, 01 Jan 2099 00:00:00 GMT",
    ]
    let fixture = fixture(script: { request in
      request.url.path() == "/a"
        ? .response(status: 301, body: Data(), headers: ["Location": "/b"])
        : .response(body: body, headers: headers)
    })
    let request = ImageRequest(url: fixture.url)
    let response = try await fixture.pipeline.plannedResponse(for: request, planIdentifier: "as it is") { _ in nil }
    #expect(response.head?.headers["Cache-Control"]?.hasSuffix(", \(directive)") == true)
    #expect(response.head?.headers["Expires"] == nil, "it would outlast the redirect")
  }

  @Test func `the progress of encoded bytes is reported`() async throws {
    let body = body
    let fixture = fixture(
      { $0.progressInterval = .zero },
      script: { _ in
        .response(body: body, headers: ["Content-Length": "\(body.count)"], pieceByteCount: 100)
      })
    let fractions = Lock<[Double]>([])
    _ = try await fixture.pipeline.data(for: ImageRequest(url: fixture.url)) { progress in
      fractions.withLock { $0.append(progress.fraction ?? -1) }
    }
    #expect(fractions.withLock { $0 }.count == 11)
    #expect(fractions.withLock { $0 }.last == 1)
  }

  @Test func `a stream of events that is opened during the load begins with what is known`() async throws {
    let (body, halfway, release) = (body, Signal(), Signal())
    let fixture = fixture({ $0.progressInterval = .zero }) { _ in
      .response(
        body: body, headers: ["Content-Length": "\(body.count)"], pieceByteCount: body.count / 2 + 1,
        beforeRest: {
          halfway.set()
          await release.wait()
        })
    }
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await halfway.wait()
    #expect(task.latestProgress?.receivedByteCount == body.count / 2 + 1)
    var events = task.events.makeAsyncIterator()
    guard case .info(let info)? = await events.next(), case .progress(let progress)? = await events.next() else {
      Issue.record("the stream does not begin with the format and the progress")
      return
    }
    #expect(info.pixelSize == PixelSize(width: 4, height: 4))
    #expect(progress == task.latestProgress)
    release.set()
    _ = try await task.image
  }

  private func load(_ request: ImageRequest, by pipeline: ImagePipeline, asData: Bool) async throws {
    if asData { _ = try await pipeline.data(for: request) } else { _ = try await pipeline.image(for: request) }
  }

  @Test func `a caller that waits for the store ends when it is cancelled or its time is over`() async throws {
    let clock = TestClock()
    for isData in [true, false] {
      let store = HeldStore()
      let pipeline = fixture {
        $0.cache = ImageCache(store: store)
        $0.time = clock
      }.pipeline
      var request = ImageRequest(url: try #require(URL(string: "http://example.com/a")))
      request.options.waitsForStore = true
      let waiting = request
      let cancelled = Task { try await load(waiting, by: pipeline, asData: isData) }
      try await store.gate.waitUntilHolding()
      cancelled.cancel()
      await #expect(throws: ImageError.self) { try await cancelled.value }
      request.timeout = .seconds(5)
      request.source = .url(try #require(URL(string: "http://example.com/b")))
      let limited = request
      let late = Task { try await load(limited, by: pipeline, asData: isData) }
      try await store.gate.waitUntilHolding(2)
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(6))
      let error = await #expect(throws: ImageError.self) { try await late.value }
      #expect(error?.name == "timedOut")
      store.gate.open()
      await pipeline.cache.flush()
    }
  }
}
