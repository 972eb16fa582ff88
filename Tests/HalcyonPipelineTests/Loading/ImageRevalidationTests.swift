import HalcyonSupport
import HalcyonImaging
import HalcyonHTTP
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// When the pipeline serves a cached image, and when it contacts the server.
@Suite(.unitTest)
struct ImageRevalidationTests {
  private static let old = SolidImage(width: 10, height: 10, color: (1, 1, 1)).data
  private static let new = SolidImage(width: 10, height: 10, color: (2, 2, 2)).data
  private let clock = TestClock()

  /// A server that responds with 304 when `If-None-Match` is its current `ETag`.
  private final class Origin: Sendable {
    struct State {
      var body = ImageRevalidationTests.old
      var headers: HTTPHeaders
      var failure: ScriptedTransport.Reply?
    }

    let state: Lock<State>
    let requests = Counter()
    /// Holds all responses while it is not `nil`.
    let gate = Lock<Signal?>(nil)

    init(_ headers: HTTPHeaders) { state = Lock(State(headers: headers)) }

    func respond(to request: TransportRequest) -> ScriptedTransport.Reply {
      defer { requests.increment() }
      return state.withLock { state in
        if let failure = state.failure { return failure }
        let isKnown = request.headers["If-None-Match"].map { $0 == state.headers["ETag"] } ?? false
        return isKnown
          ? .response(status: 304, body: Data(), headers: state.headers)
          : .response(body: state.body, headers: state.headers)
      }
    }

    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    func changeImage() { change { ($0.body, $0.headers["ETag"]) = (ImageRevalidationTests.new, "\"2\"") } }
  }

  private func fixture(_ origin: Origin) -> PipelineFixture {
    PipelineFixture { [clock] configuration in
      configuration.time = clock
      configuration.options.retryStrategy = .never
      configuration.failureLifetimes = .none
    } script: { request in
      await origin.gate.withLock { $0 }?.wait()
      return origin.respond(to: request)
    }
  }

  /// A server, and a pipeline that has loaded its image some seconds ago.
  private func loaded(_ cacheControl: String, secondsAgo: Int = 0) async throws -> (Origin, PipelineFixture) {
    let origin = Origin(["ETag": "\"1\"", "Cache-Control": cacheControl])
    let fixture = fixture(origin)
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(secondsAgo))
    return (origin, fixture)
  }

  /// The colours of the images that a new task delivers. Their stream is opened before the load can end.
  private func colors(
    of request: ImageRequest, _ fixture: PipelineFixture, _ origin: Origin
  ) async throws -> [UInt8] {
    let gate = Signal()
    origin.gate.withLock { $0 = gate }
    let events = fixture.pipeline.task(for: request).events
    gate.set()
    var colors: [UInt8] = []
    for await event in events {
      switch event {
      case .preview(let image): colors.append(color(image))
      case .finished(let result): colors.append(color(try result.get().image))
      default: break
      }
    }
    return colors
  }

  private func color(_ image: DecodedImage) -> UInt8 { image.bitmap[0, 0].red }

  @Test func `a stale image is revalidated, not downloaded or decoded again, and fresh afterwards`() async throws {
    let origin = Origin(["ETag": "\"1\"", "Cache-Control": "max-age=60"])
    let fixture = fixture(origin)
    let request = ImageRequest(url: fixture.url, processors: [NumberedProcessor()])
    let first = try await fixture.pipeline.response(for: request)
    clock.advance(by: .seconds(59))
    #expect(try await fixture.pipeline.response(for: request).origin == .memory)
    clock.advance(by: .seconds(2))
    #expect(fixture.pipeline[cached: request] == nil)
    let renewed = try await fixture.pipeline.response(for: request)
    #expect(renewed.origin == .store)
    #expect(renewed.image.bitmap[0, 0] == first.image.bitmap[0, 0])
    #expect(fixture.decoder.decodedSizes.count == 1)
    clock.advance(by: .seconds(59))
    #expect(try await fixture.pipeline.response(for: request).origin == .memory)
    #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\""])
  }

  @Test func `a changed image replaces the old one at every size and in every tier`() async throws {
    let origin = Origin(["ETag": "\"1\"", "Cache-Control": "max-age=60"])
    let fixture = fixture(origin)
    let requests = [TargetSize.original, .fit(width: 5, height: 5)].map { ImageRequest(url: fixture.url, size: $0) }
    for request in requests { #expect(color(try await fixture.pipeline.image(for: request)) == 1) }
    origin.changeImage()
    clock.advance(by: .seconds(61))
    for request in requests { #expect(color(try await fixture.pipeline.image(for: request)) == 2) }
    await fixture.pipeline.cache.flush()
    fixture.memory.removeAll()
    for request in requests { #expect(color(try await fixture.pipeline.image(for: request)) == 2) }
    #expect(origin.requests.count == 2)
  }

  @Test func `without caching headers an image is fresh for seven days`() async throws {
    let origin = Origin([:])
    let fixture = fixture(origin)
    for (days, expected) in [(0, 1), (6, 1), (2, 2)] {
      clock.advance(by: .seconds(days * 86_400))
      fixture.memory.removeAll()
      _ = try await fixture.pipeline.image(for: fixture.url)
      await fixture.pipeline.cache.flush()
      #expect(origin.requests.count == expected)
    }
  }

  @Test(arguments: [(Duration.seconds(Int64.max), 1), (.seconds(1_500_000_000), 2), (.zero, 3)])
  func `without caching headers an image is fresh for as long as the program says`(
    lifetime: Duration, requestCount: Int
  ) async throws {
    let origin = Origin([:])
    let fixture = PipelineFixture { [clock] in
      ($0.time, $0.httpCaching.defaultLifetime) = (clock, lifetime)
    } script: {
      origin.respond(to: $0)
    }
    for _ in 0..<3 {
      _ = try await fixture.pipeline.image(for: fixture.url)
      await fixture.pipeline.cache.flush()
      clock.advance(by: .seconds(1_000_000_000))
    }
    #expect(origin.requests.count == requestCount)
  }

  /// What is stored of a closure's image has no header fields, to which the rules of HTTP would give seven days.
  @Test(arguments: [false, true]) func `an image of a closure stays fresh, also in its stored form`(
    isEncoded: Bool
  ) async throws {
    let fixture = PipelineFixture { [clock] in
      ($0.time, $0.encoders) = (clock, [SolidEncoder()])
    } script: { _ in
      .failure(.cancelled)
    }
    let calls = Counter()
    let size = TargetSize.fit(width: 5, height: 5)
    let source = ImageSource.data(key: "a") {
      calls.increment()
      return Self.old
    }
    let request = ImageRequest(source: source, size: size) { if isEncoded { $0.storage = .encoded(as: .bmp) } }
    for origin in [ImageOrigin.provider, .store, .memory] {
      let response = try await fixture.pipeline.response(for: request)
      #expect(response.origin == origin)
      #expect(response.image.facts.isStoredVariant == (isEncoded && origin != .provider))
      await fixture.pipeline.cache.flush()
      clock.advance(by: .seconds(30 * 86_400))
      if origin == .provider { fixture.memory.removeAll() }
    }
    #expect(fixture.decoder.decodedSizes == [size, isEncoded ? .original : size])
    #expect(calls.count == 1)
  }

  @Test func `a no-store response is cached neither on disk nor in memory, and is delivered to coalesced requests`()
    async throws
  {
    let origin = Origin(["Cache-Control": "no-store"])
    let fixture = fixture(origin)
    let tasks = (0..<10).map { _ in fixture.pipeline.task(for: ImageRequest(url: fixture.url)) }
    for task in tasks { #expect(color(try await task.image) == 1) }
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 0)
    let before = origin.requests.count
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: fixture.url)).origin == .network)
    #expect(origin.requests.count == before + 1)
    for policy in [CachePolicy.revalidate, .reload] {
      _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url) { $0.cachePolicy = policy })
      #expect(fixture.memory.count == 0)
    }
  }

  @Test(arguments: [CachePolicy.revalidate, .reload])
  func `a reload downloads a changed image once, even when memory has the old one`(
    policy: CachePolicy
  ) async throws {
    for processors in [[], [NumberedProcessor()]] {
      let origin = Origin(["ETag": "\"1\"", "Cache-Control": "max-age=60"])
      let fixture = fixture(origin)
      var request = ImageRequest(url: fixture.url, processors: processors)
      let old = color(try await fixture.pipeline.image(for: request))
      await fixture.pipeline.cache.flush()
      origin.changeImage()
      request.cachePolicy = policy
      #expect(color(try await fixture.pipeline.image(for: request)) != old)
      #expect(origin.requests.count == 2)
    }
  }

  @Test func `with stale-while-revalidate a stale image is served at once and revalidated once`() async throws {
    let (origin, fixture) = try await loaded("max-age=1, stale-while-revalidate=60", secondsAgo: 2)
    origin.changeImage()
    let release = Signal()
    origin.gate.withLock { $0 = release }
    for _ in 0..<3 { #expect(color(try await fixture.pipeline.image(for: fixture.url)) == 1) }
    release.set()
    await fixture.pipeline.cache.flush()
    #expect(origin.requests.count == 2)
    #expect(color(try await fixture.pipeline.image(for: fixture.url)) == 2)
    clock.advance(by: .seconds(100))
    let before = origin.requests.count
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(origin.requests.count == before + 1)
  }

  @Test(arguments: [
    ("max-age=1, stale-if-error=60", ScriptedTransport.Reply.response(status: 503, body: Data()), true),
    ("max-age=1, stale-if-error=60", .failure(.connectionLost(received: 0, expected: nil)), true),
    ("max-age=1", .response(status: 503, body: Data()), false),
    ("max-age=1", .failure(.connectionLost(received: 0, expected: nil)), false),
    ("max-age=1", .failure(.hostNotFound("a")), true),
    ("max-age=1, must-revalidate", .failure(.hostNotFound("a")), false),
    ("max-age=1, must-revalidate, stale-if-error=60", .response(status: 503, body: Data()), false),
    ("max-age=1, stale-if-error=60", .response(status: 404, body: Data()), false),
  ])
  func `a stale image is served when the server fails, where stale-if-error allows it`(
    field: String, failure: ScriptedTransport.Reply, servesStale: Bool
  ) async throws {
    let (origin, fixture) = try await loaded(field, secondsAgo: 10)
    origin.change { $0.failure = failure }
    if servesStale {
      #expect(try await fixture.pipeline.response(for: ImageRequest(url: fixture.url)).origin == .store)
    } else {
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    }
  }

  @Test func `a stale image is not served for a server that cannot be reached if the program says so`() async throws {
    let (origin, fixture) = try await loaded("max-age=1", secondsAgo: 10)
    var configuration = fixture.pipeline.configuration
    configuration.showsStaleWhenUnreachable = false
    let strict = ImagePipeline(configuration: configuration)
    origin.change { $0.failure = .failure(.hostNotFound("a")) }
    let error = await #expect(throws: ImageError.self) { try await strict.image(for: fixture.url) }
    #expect(error?.name == "transport")
  }

  @Test(arguments: [(404, 0), (410, 0), (403, 2), (503, 2)])
  func `what was made of an image goes once the server says that the image is gone`(
    status: Int, count: Int
  ) async throws {
    let (origin, fixture) = try await loaded("max-age=1")
    _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url, size: .fit(width: 5, height: 5)))
    #expect(fixture.memory.count == 2)
    clock.advance(by: .seconds(10))
    origin.change { $0.failure = .response(status: status, body: Data()) }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    #expect(fixture.memory.count == count)
  }

  @Test(arguments: [
    ScriptedTransport.Reply.response(status: 503, body: Data()), .failure(.hostNotFound("a")),
    .failure(.connectionLost(received: 0, expected: nil)),
  ])
  func `a reload that ignores the cache fails when the server does, whatever is stored`(
    failure: ScriptedTransport.Reply
  ) async throws {
    let (origin, fixture) = try await loaded("max-age=1, stale-if-error=60")
    origin.change { $0.failure = failure }
    for seconds in [0, 10] {
      clock.advance(by: .seconds(seconds))
      let request = ImageRequest(url: fixture.url) { $0.cachePolicy = .reload }
      await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: request) }
      #expect(fixture.store.count == 1)
    }
    #expect(try await fixture.pipeline.response(for: ImageRequest(url: fixture.url)).origin == .store)
  }

  @Test func `the image of an error leaves what was made of the image in both tiers`() async throws {
    let (origin, fixture) = try await loaded("max-age=60")
    origin.change { $0.failure = .response(status: 503, body: Self.new) }
    let request = ImageRequest(url: fixture.url) { ($0.allowsErrorImage, $0.cachePolicy) = (true, .reload) }
    #expect(color(try await fixture.pipeline.image(for: request)) == 2)
    await fixture.pipeline.cache.flush()
    #expect(fixture.pipeline[cached: ImageRequest(url: fixture.url)].map { color($0) } == 1)
    #expect(fixture.store.count == 1)
  }

  @Test func `a 304 with another ETag is ignored and the image is downloaded again`() async throws {
    let fixture = PipelineFixture.replying(
      .response(body: Self.old, headers: ["ETag": "\"1\"", "Cache-Control": "max-age=1"]),
      .response(status: 304, body: Data(), headers: ["ETag": "\"9\""]), .response(body: Self.new), retry: .never,
      time: clock)
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(10))
    fixture.memory.removeAll()
    #expect(color(try await fixture.pipeline.image(for: fixture.url)) == 2)
    #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", nil])
  }

  @Test func `after a 304 with another ETag a revalidation in the background downloads the image`() async throws {
    let headers: HTTPHeaders = ["ETag": "\"1\"", "Cache-Control": "max-age=1, stale-while-revalidate=60"]
    let fixture = PipelineFixture.replying(
      .response(body: Self.old, headers: headers), .response(status: 304, body: Data(), headers: ["ETag": "\"9\""]),
      .response(body: Self.new, headers: headers), retry: .never, time: clock)
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    clock.advance(by: .seconds(2))
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == [nil, "\"1\"", nil])
    let entry = try await fixture.store.entry(for: ImagePipeline.cacheKey(for: ImageRequest(url: fixture.url)))
    #expect(entry?.body == Self.new && entry?.metadata.responseDate == clock.now())
  }

  @Test func `a task can deliver the stale image first and the fresh one after it`() async throws {
    let origin = Origin(["ETag": "\"1\"", "Cache-Control": "max-age=1"])
    let fixture = fixture(origin)
    var request = ImageRequest(url: fixture.url)
    request.cachePolicy = .staleFirst
    for forgetsMemory in [false, true] {
      origin.change { ($0.body, $0.headers["ETag"]) = (Self.old, "\"old\"") }
      _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url) { $0.cachePolicy = .revalidate })
      await fixture.pipeline.cache.flush()
      clock.advance(by: .seconds(10))
      if forgetsMemory { fixture.memory.removeAll() }
      origin.change { ($0.body, $0.headers["ETag"]) = (Self.new, "\"new\"") }
      #expect(try await colors(of: request, fixture, origin) == [1, 2])
    }
    await fixture.pipeline.cache.flush()
    fixture.memory.removeAll()
    #expect(try await colors(of: request, fixture, origin) == [2], "the stored image is fresh")
  }

  @Test(arguments: [CacheAccess.readWrite, .readOnly])
  func `an unchanged image from the store that a task shows while it is stale is decoded and processed once`(
    memoryAccess: CacheAccess
  ) async throws {
    let origin = Origin(["ETag": "\"1\"", "Cache-Control": "max-age=1"])
    let fixture = fixture(origin)
    for processors in [[], [NumberedProcessor()]] {
      var request = ImageRequest(url: fixture.url, processors: processors) { $0.memoryAccess = memoryAccess }
      request.cachePolicy = .staleFirst
      _ = try await fixture.pipeline.image(for: request)
      await fixture.pipeline.cache.flush()
      clock.advance(by: .seconds(10))
      fixture.memory.removeAll()
      let (decodes, requests) = (fixture.decoder.decodedSizes.count, origin.requests.count)
      let colors = try await colors(of: request, fixture, origin)
      #expect(colors.count == 2 && colors.first == colors.last)
      #expect(fixture.decoder.decodedSizes.count == decodes + 1)
      #expect(origin.requests.count == requests + 1)
    }
  }
}

/// Fills the image with the number of its run, which shows whether it ran again.
private struct NumberedProcessor: ImageProcessor {
  let identifier = "numbered"
  private static let runs = Lock(UInt8(0))

  func process(_ bitmap: Bitmap) throws -> Bitmap {
    let run = Self.runs.withLock { runs in
      runs += 1
      return runs
    }
    return try Bitmap(size: bitmap.size, isOpaque: true) { pixels in
      pixels.initializeMemory(as: UInt8.self, repeating: run)
    }
  }
}
