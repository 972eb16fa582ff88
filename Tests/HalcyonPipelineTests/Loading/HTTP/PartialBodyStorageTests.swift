import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Beginnings of bodies in the store, from which a later load resumes.
@Suite(.unitTest)
struct PartialBodyStorageTests {
  private static let body = InterruptedDownload.body

  @Test(arguments: [
    (CacheAccess.readWrite, true, true), (.writeOnly, true, true), (.readOnly, true, false), (.disabled, true, false),
    (.readWrite, false, false),
  ])
  func `a cancelled load is waited for if it may store what it has received`(
    access: CacheAccess, hasStore: Bool, isWaitedFor: Bool
  ) throws {
    let fixture = PipelineFixture(configure: {
      if !hasStore { $0.cache = ImageCache(disk: nil) }
    }) { _ in .failure(.cancelled) }
    let (pipeline, loader) = (fixture.pipeline, fixture.pipeline.loader)
    for (source, isOverHTTP) in [
      (ImageSource.url(fixture.url), true), (.data(key: "a") { Data() }, false),
      (.image(key: "a") { throw CancellationError() }, false),
    ] {
      let request = pipeline.resolved(ImageRequest(source: source) { $0.storeAccess = access })
      let writes = loader.bytes.partialWrites(of: loader.newLoad(request, for: request.newSubscription))
      #expect(writes === (isWaitedFor && isOverHTTP ? pipeline.cache.writes : nil))
    }
  }

  @Test
  func `another process resumes from the partial response in the store, and replaces it by an entry as any other`()
    async throws
  {
    let fixture = PipelineFixture.replying(.cut(at: 50_000), retry: .never)
    await fixture.loadInVain()
    #expect(fixture.store.count == 1)
    let part = try #require(try await fixture.storedPart()?.metadata)
    #expect(part.expiration == .days(1))
    #expect(part.tags == ["partial"])
    let transport = ScriptedTransport { _ in .rest(from: 50_000) }
    let next = ImagePipeline(
      configuration: PipelineConfiguration(
        transport: transport, decoders: [SolidDecoder()], cache: ImageCache(store: fixture.store)))
    let response = try await next.response(for: fixture.request)
    #expect(response.encodedByteCount == Self.body.count)
    #expect(transport.requests.first?.headers["Range"] == "bytes=50000-")
    await next.cache.flush()
    #expect(fixture.store.count == 1)
    let stored = try #require(try await fixture.storedEntry())
    #expect(stored.body == Self.body)
    #expect(stored.metadata.status == 200)
    #expect(stored.metadata.headers["Content-Range"] == nil)
    #expect(stored.metadata.headers["Content-Length"] == "\(Self.body.count)")
    #expect(stored.metadata.tags == [] && stored.metadata.expiration == nil && stored.metadata.url == fixture.url)
  }

  @Test func `a cancelled load stores its partial response for the next`() async throws {
    let (arrived, ended) = (Signal(), Signal())
    let fixture = PipelineFixture { _ in
      .response(body: Self.body, headers: InterruptedDownload.headers, pieceByteCount: 50_000) {
        arrived.set()
        await withTaskCancellationHandler {
          await ended.wait()
        } onCancel: {
          ended.set()
        }
      }
    }
    let task = fixture.pipeline.task(for: fixture.request)
    await arrived.wait()
    task.cancel()
    // The load has ended for its subscribers; it stores the partial response after that.
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 1)
    // The partial response is not an image, and has a separate key.
    #expect(try await fixture.storedEntry() == nil)
  }

  /// How many pieces of 64 KiB have arrived, and how many bytes are stored then.
  @Test(
    arguments: [
      (5, CacheAccess.readWrite, 262_144), (8, .readWrite, 524_288), (8, .readOnly, nil),
    ] as [(Int, CacheAccess, Int?)])
  func `a long body is stored in part while it arrives, for a process that is killed`(
    pieceCount: Int, access: CacheAccess, storedByteCount: Int?
  ) async throws {
    let body = SolidImage(width: 30, height: 30, paddingByteCount: 1 << 20).data
    let (gate, pieces) = (Gate(), Counter())
    let fixture = PipelineFixture { _ in
      .response(body: body, headers: InterruptedDownload.headers, pieceByteCount: 64 << 10) {
        pieces.increment()
        if pieces.count == pieceCount { try? await gate.wait() }
      }
    }
    let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url) { $0.storeAccess = access })
    try await gate.waitUntilHolding()
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.storedPart()?.body.count == storedByteCount)
    gate.open()
    _ = try await task.image
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.storedPart() == nil)
  }

  @Test func `a slow body is stored in part after two seconds`() async throws {
    let (gate, pieces, clock) = (Gate(), Counter(), TestClock())
    let fixture = PipelineFixture {
      $0.time = clock
    } script: { _ in
      .response(body: Self.body, headers: InterruptedDownload.headers, pieceByteCount: 40_000) {
        pieces.increment()
        if pieces.count == 1 { clock.advance(by: .seconds(2)) }
        if pieces.count == 2 { try? await gate.wait() }
      }
    }
    let task = fixture.pipeline.task(for: fixture.request)
    try await gate.waitUntilHolding()
    await fixture.pipeline.cache.flush()
    #expect(try await fixture.storedPart()?.body.count == 80_000)
    gate.open()
    _ = try await task.image
  }

  @Test func `only bodies of some size are stored in part, and none that must not be`() async throws {
    for (count, access, stored) in [
      (32 << 10, CacheAccess.readWrite, 1), ((32 << 10) - 1, .readWrite, 0), (50_000, .disabled, 0),
    ] {
      let fixture = PipelineFixture.replying(.cut(at: count), retry: .never)
      var request = fixture.request
      request.storeAccess = access
      await fixture.loadInVain(request)
      #expect(fixture.store.count == stored)
    }
  }

  @Test func `a reload that ignores the cache does not resume an earlier download`() async throws {
    let fixture = PipelineFixture.replying(.cut(at: 50_000), .whole, retry: .never)
    await fixture.loadInVain()
    var request = fixture.request
    request.cachePolicy = .reload
    #expect(try await fixture.pipeline.data(for: request) == Self.body)
    #expect(fixture.ranges == [nil, nil])
  }

  @Test(
    arguments: [
      .cut(
        body: Data("<html>".utf8) + body, afterBytes: 50_000, headers: InterruptedDownload.headers,
        error: InterruptedDownload.lost),
      .cut(at: 50_000, error: .badContentEncoding(reason: "cut")),
    ] as [ScriptedTransport.Reply])
  func `bytes that were rejected are neither stored nor continued`(reply: ScriptedTransport.Reply) async throws {
    let fixture = PipelineFixture.replying(reply, .whole, retry: AlwaysRetry(attemptLimit: 2))
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == [nil, nil])
    let other = PipelineFixture.replying(reply, retry: .never)
    await other.loadInVain()
    #expect(other.store.count == 0)
  }

  @Test func `a stored partial response whose rest is rejected is removed`() async throws {
    let fixture = PipelineFixture.replying(
      .cut(at: 50_000), .rest(from: 50_000), .whole, retry: .never)
    await fixture.loadInVain()
    #expect(fixture.store.count == 1)
    var refusing = fixture.request
    refusing.options.dataTransform = { _, _ in throw Refused() }
    await fixture.loadInVain(refusing)
    #expect(fixture.store.count == 0)
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    #expect(fixture.ranges == [nil, "bytes=50000-", nil])
  }

  @Test func `a stored partial response remains while its server cannot be reached`() async throws {
    let fixture = PipelineFixture.replying(
      .cut(at: 50_000), .failure(.connectionLost(received: 0, expected: nil)), .response(status: 503, body: Data()),
      .response(status: 503, body: Data()), .rest(from: 50_000), retry: .never)
    for _ in 0..<3 {
      await fixture.loadInVain()
      #expect(fixture.store.count == 1)
    }
    #expect(try await fixture.pipeline.data(for: fixture.request) == Self.body)
    let part = "bytes=50000-"
    #expect(fixture.ranges == [nil, part, part, nil, part])
  }

  @Test func `the response to the last range request renews the head of a resumed body`() async throws {
    let clock = TestClock()
    let fixture = PipelineFixture.replying(
      .cut(at: 50_000, InterruptedDownload.headers.adding(["Cache-Control": "no-cache", "X-Kept": "1"])),
      .rest(from: 50_000, adding: ["Cache-Control": "max-age=60"]), retry: .never, time: clock)
    await fixture.loadInVain()
    clock.advance(by: .seconds(100))
    _ = try await fixture.pipeline.data(for: fixture.request)
    await fixture.pipeline.cache.flush()
    let stored = try await fixture.storedEntry()
    let metadata = try #require(stored?.metadata)
    #expect(metadata.headers["Cache-Control"] == "max-age=60" && metadata.headers["X-Kept"] == "1")
    #expect(metadata.responseDate == clock.now() && metadata.requestDate == clock.now())
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
