import Foundation
import Halcyon
import HalcyonCache
import HalcyonCodecs
import HalcyonHTTP
import HalcyonImaging
import HalcyonPipeline
import HalcyonTesting
import HalcyonViews
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Views that are set to an image twice, against a real server with each kind of caching fields.
@Suite(.integrationTest)
@MainActor
struct ViewFreshnessTests {
  /// A view that records the colours that it shows.
  private final class View: ImageDisplay {
    let displaySize = ViewSize(width: 20, height: 20)
    let displayScale = 1.0
    let displayMode = ImageDisplayMode.fit
    let log = EventLog<String>()
    let ends = EventLog<String>()
    private(set) lazy var binder = ImageViewBinder(display: self, pipeline: pipeline)
    private let pipeline: ImagePipeline

    init(_ pipeline: ImagePipeline) { self.pipeline = pipeline }

    func show(_ content: DisplayContent, transition: ImageTransition) {
      log.record(content.image.map { ViewFreshnessTests.color($0) } ?? "nothing")
    }

    func showIndicator(_ indicator: LoadingIndicator) { log.record("indicator") }
    func updateIndicator(_ progress: LoadProgress) {}
    func hideIndicator() {}

    func set(_ url: URL) {
      binder.hc.setImage(with: ImageRequest(url: url)) { [ends] result in
        ends.record((try? result.get()).map { "\(ViewFreshnessTests.color($0.image)) from \($0.origin)" } ?? "failure")
      }
    }

    /// Sets the image, and waits for the completion.
    func load(_ url: URL) async throws {
      let count = ends.events.count
      set(url)
      try await ends.waitForEvents(count: count + 1)
    }
  }

  /// A server with one image, which is red until ``turnGreen()``; it responds with 304 where a validator matches.
  private final class Origin: Sendable {
    let url: URL
    private let server: ImageServer
    /// Holds the green image.
    let gate = Gate()
    /// Holds all responses after the first, until ``turnGreen()`` or a test opens it.
    let revalidations = Gate()
    private let arrivals = EventLog<Void>()
    private let isGreen = EventLog<Bool>()

    init(_ server: ImageServer, _ fields: HeaderFields) throws {
      self.server = server
      let (red, green) = (try ViewFreshnessTests.png(255, 0), try ViewFreshnessTests.png(0, 255))
      url = server.serve("/a.png") { [isGreen, gate, revalidations, arrivals] request in
        arrivals.record(())
        func held(_ reply: Reply) -> Reply { arrivals.events.count > 1 ? reply.held(by: revalidations) : reply }
        let isGreen = !isGreen.events.isEmpty
        var fields = fields
        let validators = [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")]
        for (validator, condition) in validators where fields[validator] != nil {
          if isGreen { fields[validator] = validator == "ETag" ? "\"2\"" : "Tue, 01 Jan 2030 00:00:00 GMT" }
          if request.headers[condition] == fields[validator] { return held(.status(304, headers: fields)) }
        }
        return isGreen ? .body(green, headers: fields).held(by: gate) : held(.body(red, headers: fields))
      }
    }

    var requests: [RecordedRequest] { server.requests }

    func turnGreen() {
      isGreen.record(true)
      revalidations.open()
    }
  }

  nonisolated private static func png(_ red: UInt8, _ green: UInt8) throws -> Data {
    let bitmap = try Bitmap(size: PixelSize(width: 20, height: 20), isOpaque: true) { pixels in
      for index in pixels.indices { pixels[index] = [red, green, 0, 255][index % 4] }
    }
    return try PNGEncoder().encode(bitmap, options: EncodingOptions())
  }

  nonisolated private static func color(_ image: DecodedImage) -> String {
    image.bitmap[10, 10].red > 128 ? "red" : "green"
  }

  private func run(
    _ fields: HeaderFields, _ body: (Origin, ImagePipeline, TestClock, EventLog<String>) async throws -> Void
  ) async throws {
    try await ImageServer.run { server in
      try await TemporaryDirectory.run { folder in
        let clock = TestClock()
        var limits = MemoryCacheConfiguration()
        limits.expiration = .never
        let memory = MemoryCache(configuration: limits, time: clock)
        var configuration = PipelineConfiguration()
        configuration.cache = ImageCache(memory: memory, store: DiskCache(directory: folder, time: clock))
        configuration.time = clock
        let loads = EventLog<String>()
        configuration.eventHandler = { event in
          switch event.kind {
          case .finished(let origin, _) where origin != .memory: loads.record(origin.rawValue)
          case .joined(.image): loads.record("joined")
          default: break
          }
        }
        let pipeline = ImagePipeline(configuration: configuration)
        try await body(try Origin(server, fields), pipeline, clock, loads)
        await pipeline.cache.flush()
      }
    }
  }

  /// The caching fields; the seconds between the two calls; the requests that follow the second one.
  nonisolated private static let cases: [(fields: HeaderFields, seconds: Int, requestCount: Int, isConditional: Bool)] =
    [
      ([:], 86_400, 0, false),
      (["Cache-Control": "max-age=0"], 1, 1, false),
      (["Cache-Control": "max-age=0", "ETag": "\"1\""], 1, 1, true),
      (["Cache-Control": "no-cache"], 1, 1, false),
      (["Cache-Control": "no-cache", "ETag": "\"1\""], 1, 1, true),
      (["Cache-Control": "no-store"], 3600, 0, false),
      (["ETag": "\"1\""], 299, 0, false),
      (["ETag": "\"1\""], 301, 1, true),
      (["Last-Modified": "Tue, 01 Jan 2030 00:00:00 GMT"], 299, 0, false),
      (["Last-Modified": "Mon, 01 Jan 2029 00:00:00 GMT"], 90_000, 1, true),
    ]

  @Test(arguments: cases)
  func `a view that is set again shows its image at once, and revalidates it where HTTP requires it`(
    fields: HeaderFields, seconds: Int, requestCount: Int, isConditional: Bool
  ) async throws {
    try await run(fields) { origin, pipeline, clock, loads in
      let (first, second) = (View(pipeline), View(pipeline))
      try await first.load(origin.url)
      await pipeline.cache.flush()
      clock.advance(by: .seconds(seconds))
      for view in [first, second] { view.set(origin.url) }
      #expect(first.log.events == ["red", "red"])
      #expect(second.log.events == ["red"])
      #expect(first.ends.events == ["red from network", "red from memory"])
      #expect(!first.binder.isLoading)
      // The first load; then the second view has joined the revalidation of the first.
      try await loads.waitForEvents(count: 1 + requestCount)
      origin.revalidations.open()
      try await loads.waitForEvents(count: 1 + 3 * requestCount)
      #expect(origin.requests.count == 1 + requestCount)
      if isConditional {
        let fields = origin.requests.last?.headers
        #expect(fields?["If-None-Match"] != nil || fields?["If-Modified-Since"] != nil)
      }
      #expect(first.log.events == ["red", "red"])
      #expect(first.ends.events.count == 2)
    }
  }

  @Test(
    arguments: [
      ["Cache-Control": "max-age=0"], ["Cache-Control": "no-cache", "ETag": "\"1\""], ["ETag": "\"1\""],
      ["Last-Modified": "Mon, 01 Jan 2029 00:00:00 GMT"],
    ] as [HeaderFields])
  func `an image that has changed is replaced in place, and the completion is called once`(
    fields: HeaderFields
  ) async throws {
    try await run(fields) { origin, pipeline, clock, _ in
      let view = View(pipeline)
      try await view.load(origin.url)
      await pipeline.cache.flush()
      clock.advance(by: .seconds(90_000))
      origin.turnGreen()
      view.set(origin.url)
      origin.gate.open()
      try await view.log.waitForEvents(count: 3)
      #expect(view.log.events == ["red", "red", "green"])
      #expect(view.ends.events == ["red from network", "red from memory"])
      #expect(origin.requests.count == 2)
    }
  }

}
