import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import Testing

/// The function of a pipeline that changes its requests.
@Suite(.unitTest)
struct RequestMapperTests {
  private struct Refused: Error {}

  private final class Calls: Sendable {
    private let counted = Lock(0)
    var count: Int { counted.withLock(\.self) }
    func add() { counted.withLock { $0 += 1 } }
  }

  private static let image = SolidImage(width: 40, height: 30)

  /// A pipeline with a scheme of its own, keys without tokens, a tenant in each key, and URLs that it refuses.
  private func fixture(
    _ configure: (inout PipelineConfiguration) -> Void = { _ in }, calls: Calls = Calls()
  ) -> PipelineFixture {
    PipelineFixture {
      $0.encoders = [SolidEncoder()]
      $0.requestMapper = { request in
        calls.add()
        guard let url = request.source.url else { return }
        switch url.scheme {
        case "asset": request.source = .data(key: url.absoluteString) { Self.image.data }
        case "gs":
          request.source = .url(key: url.absoluteString) {
            try #require(URL(string: "http://storage.example/\(url.lastPathComponent)?token=1"))
          }
        case "refused": throw Refused()
        case "gone": throw ImageError.notCached(key: "gone")
        default:
          var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
          parts.query = nil
          request.source = .url(url, key: try #require(parts.string))
          request.headers["X-Tenant"] = "7"
          request.identity = "tenant 7"
          request.processors.append(.invert)
        }
      }
      configure(&$0)
    } script: { _ in
      .response(body: Self.image.data, headers: ["Cache-Control": "max-age=1000"])
    }
  }

  private func request(_ text: String) throws -> ImageRequest { ImageRequest(url: try #require(URL(string: text))) }

  /// The calls that take a request; each returns whether it has found an image, and throws what it throws.
  private static let doors: [(name: String, call: @Sendable (ImagePipeline, ImageRequest) async throws -> Bool)] = [
    (
      "image",
      {
        _ = try await $0.image(for: $1)
        return true
      }
    ),
    (
      "response",
      {
        _ = try await $0.response(for: $1)
        return true
      }
    ),
    (
      "task",
      {
        _ = try await $0.task(for: $1).image
        return true
      }
    ),
    (
      "data",
      {
        _ = try await $0.data(for: $1)
        return true
      }
    ),
    (
      "file",
      { pipeline, request in
        let file = try await pipeline.file(for: request)
        try FileManager.default.removeItem(at: file.deletingLastPathComponent())
        return true
      }
    ),
    (
      "info",
      {
        _ = try await $0.info(for: $1)
        return true
      }
    ),
    (
      "encodedData",
      {
        _ = try await $0.encodedData(for: $1, as: .bmp)
        return true
      }
    ),
    (
      "batch",
      {
        _ = try await $0.batch(for: [$1]).images
        return true
      }
    ),
    (
      "results",
      { pipeline, request in
        for await item in pipeline.results(for: [request]) { _ = try item.result.get() }
        return true
      }
    ),
    (
      "prefetching",
      { pipeline, request in
        let result = await ImagePrefetcher(pipeline: pipeline).start([request]).result
        if let failed = result.failed.first { throw failed.error }
        return true
      }
    ),
    (
      "prefetching to the store",
      { pipeline, request in
        let result = await ImagePrefetcher(pipeline: pipeline, destination: .store).start([request]).result
        if let failed = result.failed.first { throw failed.error }
        return true
      }
    ),
    (
      "view",
      { pipeline, request in
        let lookup = pipeline.lookUpMemory(for: request)
        if lookup.isHit { return true }
        if let error = pipeline.sourceError(of: request) { throw error }
        _ = try await pipeline.viewTask(for: request, after: lookup).image
        return true
      }
    ),
    ("subscript", { $0[cached: $1] != nil }),
    ("tier", { await $0.cachedTier(for: $1) != nil }),
    ("metadata in the store", { try await $0.storedMetadata(for: $1) != nil }),
    ("placeholder", { await $0.placeholder(for: $1) != nil }),
    (
      "removal",
      {
        try await $0.removeImage(for: $1)
        return true
      }
    ),
    (
      "storing",
      {
        try await $0.store(original: Self.image.data, for: $1)
        return true
      }
    ),
    (
      "storing an image",
      { pipeline, request in
        var request = request
        request.storage = .encoded(as: .bmp)
        try await pipeline.store(solidImage(40, 30), for: request)
        return true
      }
    ),
  ]

  @Test func `every call goes through it, so that one image is found by all`() async throws {
    for (index, source) in ["gs://bucket/a.jpg", "asset:17", "http://example.com/a?token="].enumerated() {
      let fixture = fixture()
      for (name, call) in Self.doors {
        // A token that rotates.
        let request = try request(source + (index == 2 ? name.filter(\.isLetter) : ""))
        _ = try await fixture.pipeline.image(for: request)
        await fixture.pipeline.cache.flush()
        #expect(try await call(fixture.pipeline, request), "\(name) of \(source)")
        await fixture.pipeline.cache.flush()
      }
      // The removal; everything else was found.
      #expect(fixture.transport.requests.count == (index == 1 ? 0 : 2))
      let keys = fixture.store.keys.map(\.text)
      #expect(keys.allSatisfy { $0.contains(["gs://bucket/a.jpg", "asset:17", "http://example.com/a|"][index]) })
    }
  }

  @Test func `what it throws arrives at the caller of every call, and nothing is cached or found`() async throws {
    let fixture = fixture()
    for (name, call) in Self.doors {
      for text in ["refused:a", "gone:a"] {
        var thrown: (any Error)?
        var isFound = true
        do { isFound = try await call(fixture.pipeline, request(text)) } catch { thrown = error }
        if ["subscript", "tier", "placeholder"].contains(name) {
          #expect(!isFound && thrown == nil, "\(name)")
          continue
        }
        switch thrown as? ImageError {
        case .requestRejected(let cause, let url)?:
          #expect(text == "refused:a" && cause is Refused && url.absoluteString == text, "\(name)")
        case .notCached(key: "gone")?: #expect(text == "gone:a", "\(name)")
        default: Issue.record("\(name): \(String(describing: thrown))")
        }
      }
    }
    fixture.pipeline[cached: try request("refused:a")] = try solidImage()
    #expect(fixture.pipeline[cached: try request("refused:a")] == nil)
    #expect(fixture.store.keys.isEmpty && fixture.transport.requests.isEmpty)
  }

  @Test func `the sent request has the URL and the headers, the image the processors`() async throws {
    let fixture = fixture()
    let image = try await fixture.pipeline.image(for: request("http://example.com/a?token=1"))
    let sent = try #require(fixture.transport.requests.first)
    #expect(sent.url.absoluteString == "http://example.com/a?token=1" && sent.headers["X-Tenant"] == "7")
    #expect(image.bitmap[0, 0].red == 255 - Self.image.color.0)
  }

  @Test func `a changed request is not changed again`() async throws {
    let calls = Calls()
    let pipeline = fixture(calls: calls).pipeline
    let task = pipeline.task(for: try request("http://example.com/a"))
    #expect(try await task.image.bitmap[0, 0].red == 245)
    #expect(task.request.processors.count == 1)
    #expect(try await pipeline.image(for: task.request).bitmap[0, 0].red == 245)
    _ = try await pipeline.encodedData(for: task.request, as: .bmp)
    #expect(calls.count == 1)
    // Another source is another request.
    var other = task.request
    other.source = .string("asset:1")
    _ = try await pipeline.image(for: other)
    #expect(calls.count == 2)
    // Another pipeline has a function of its own.
    let otherCalls = Calls()
    _ = try await fixture(calls: otherCalls).pipeline.image(for: task.request)
    #expect(otherCalls.count == 1)
  }

  @Test func `alternatives and the source for low data are changed, each with its headers`() async throws {
    let fixture = fixture { $0.prefersLowData = { true } }
    var first = try request("refused:a")
    first.alternatives = [.string("asset:17")]
    #expect(try await fixture.pipeline.image(for: first).size == PixelSize(width: 40, height: 30))
    var low = try request("asset:18")
    low.headers = ["Authorization": "secret"]
    low.cachePolicy = .reload
    low.lowDataSource = .string("http://example.com/small?token=3")
    _ = try await fixture.pipeline.image(for: low)
    let sent = try #require(fixture.transport.requests.first)
    #expect(sent.url.absoluteString == "http://example.com/small?token=3" && sent.headers["X-Tenant"] == "7")
    // Of those that fail, all errors arrive.
    var failing = try request("refused:a")
    failing.alternatives = [.string("refused:b")]
    let error = await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: failing) }
    if case .allSourcesFailed(let errors)? = error {
      #expect(errors.map(\.name) == ["requestRejected", "requestRejected"])
    } else {
      Issue.record("\(String(describing: error))")
    }
  }

  @Test func `an alternative has the headers of the request, not those that its first source got`() async throws {
    let fixture = PipelineFixture {
      $0.options.retryStrategy = .never
      $0.requestMapper = { if $0.source.url?.path() == "/a" { $0.headers["X-Key"] = "of a" } }
    } script: {
      $0.url.path() == "/a" ? .response(status: 503, body: Data()) : .response(body: Self.image.data)
    }
    var request = try request("http://example.com/a")
    request.headers["X-Tenant"] = "7"
    request.alternatives = [.string("http://example.com/b")]
    _ = try await fixture.pipeline.image(for: request)
    #expect(fixture.transport.requests.map { $0.headers["X-Key"] } == ["of a", nil])
    #expect(fixture.transport.requests.map { $0.headers["X-Tenant"] } == ["7", "7"])
  }

  @Test func `a request that takes the place of another one has the options of the pipeline`() async throws {
    let url = try #require(URL(string: "http://example.com/17"))
    let fixture = PipelineFixture {
      $0.options.scale = 3
      $0.requestMapper = { $0 = ImageRequest(url: url) }
    } script: { _ in
      .response(body: Self.image.data)
    }
    #expect(try await fixture.pipeline.image(for: request("asset:17")).scale == 3)
    #expect(try await fixture.pipeline.response(for: request("asset:17")).image.scale == 3)
  }

  @Test func `loads of a scheme of its own are cancelled by it`() async throws {
    let (asked, respond) = (Signal(), Signal())
    let pipeline = PipelineFixture {
      $0.requestMapper = { $0.source = .url(try #require(URL(string: "http://example.com/17"))) }
    } script: { _ in
      asked.set()
      await respond.wait()
      return .response(body: Self.image.data)
    }.pipeline
    let task = pipeline.task(for: ImageRequest(source: .string("asset:17")))
    await asked.wait()
    pipeline.cancelLoads(of: .string("asset:17"))
    let error = await #expect(throws: ImageError.self) { try await task.image }
    #expect(error?.name == "cancelled")
    respond.set()
  }
}
