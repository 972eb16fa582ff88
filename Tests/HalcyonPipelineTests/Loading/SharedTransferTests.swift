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

/// Requests in flight at once that differ in their rules for the store, or in their decoder.
@Suite(.integrationTest)
struct SharedTransferTests {
  /// How a request differs from others for the same URL.
  struct Rules: Hashable, CustomStringConvertible {
    var access = CacheAccess.readWrite
    var policy = CachePolicy.standard
    var hasDecoder = false

    var description: String { "\(access) \(policy)\(hasDecoder ? " decoder" : "")" }
    var writes: Bool { access == .readWrite || access == .writeOnly }

    static func all(_ policies: [CachePolicy]) -> [Rules] {
      [CacheAccess.readWrite, .readOnly, .writeOnly, .disabled].flatMap { access in
        policies.flatMap { policy in
          [false, true].map { Rules(access: access, policy: policy, hasDecoder: $0) }
        }
      }
    }
  }

  /// A decoder that is not the one of the pipeline, and marks its images.
  private struct OtherDecoder: ImageDecoder {
    var formats: Set<ImageFormat> { [.bmp] }
    var identifier: String { "other" }
    var refuses = false

    func probe(_ bytes: Data, isComplete: Bool) throws -> ImageInfo? {
      if refuses { throw ImageDecodingError.truncated(.bmp) }
      return try SolidDecoder().probe(bytes, isComplete: isComplete)
    }

    func decode(_ bytes: Data, options: DecodingOptions) throws -> DecodedImage {
      let bitmap = try Bitmap(size: PixelSize(width: 1, height: 1), isOpaque: true) { _ in }
      return DecodedImage(bitmap: bitmap, info: ImageInfo(format: .bmp, storedSize: bitmap.size))
    }
  }

  private let gate = Signal()
  private let begun = Counter()
  private let joined = Counter()

  private func fixture(
    _ replies: @escaping @Sendable (Int) -> ScriptedTransport.Reply = { _ in
      .response(body: SolidImage(width: 8, height: 4).data)
    }
  ) -> PipelineFixture {
    PipelineFixture { [joined] configuration in
      configuration.eventHandler = { if case .joined = $0.kind { joined.increment() } }
      configuration.options.retryStrategy = .never
      configuration.failureLifetimes = FailureLifetimes(unusable: .seconds(10_000))
    } script: { [gate, begun] _ in
      begun.increment()
      await gate.wait()
      return replies(begun.count)
    }
  }

  private func request(_ url: URL, _ rules: Rules, refuses: Bool = false) -> ImageRequest {
    ImageRequest(url: url) {
      ($0.storeAccess, $0.cachePolicy) = (rules.access, rules.policy)
      if rules.hasDecoder { $0.decoder = OtherDecoder(refuses: refuses) }
    }
  }

  /// Starts two loads, the second one while the first one's transfer is in flight.
  private func tasks(_ fixture: PipelineFixture, _ first: ImageRequest, _ second: ImageRequest) async -> [ImageTask] {
    let earlier = fixture.pipeline.task(for: first)
    await begun.wait(for: 1)
    let later = fixture.pipeline.task(for: second)
    await joined.wait(for: 1)
    return [earlier, later]
  }

  @Test(arguments: [
    Rules.all([.standard, .cacheFirst, .staleFirst]), Rules.all([.reload]),
  ])
  func `requests that are sent alike share a transfer, and keep their own rules`(group: [Rules]) async throws {
    for first in group {
      for second in group {
        let test = SharedTransferTests()
        let fixture = test.fixture()
        let requests = [first, second].map { test.request(fixture.url, $0) }
        let tasks = await test.tasks(fixture, requests[0], requests[1])
        test.gate.set()
        for (task, rules) in zip(tasks, [first, second]) {
          #expect(try await task.image.size.width == (rules.hasDecoder ? 1 : 8), "\(first), \(second)")
        }
        await fixture.pipeline.cache.flush()
        #expect(fixture.transport.requests.count == 1, "\(first), \(second)")
        #expect(fixture.store.count == (first.writes || second.writes ? 1 : 0), "\(first), \(second)")
      }
    }
  }

  @Test func `requests that are sent differently share none`() async throws {
    let fixture = fixture()
    let earlier = fixture.pipeline.task(for: request(fixture.url, Rules()))
    await begun.wait(for: 1)
    let later = fixture.pipeline.task(for: request(fixture.url, Rules(policy: .reload)))
    while begun.count + joined.count < 2 { try await Task.yieldUnlessCancelled() }
    gate.set()
    for task in [earlier, later] { _ = try await task.image }
    #expect(fixture.transport.requests.map { $0.headers["Cache-Control"] } == [nil, "no-cache"])
  }

  @Test(arguments: [0, 1])
  func `a transfer goes on for the other when the load that began it or one that joined is cancelled`(
    cancelled: Int
  ) async throws {
    let fixture = fixture()
    let rules = [Rules(), Rules(access: .disabled, policy: .cacheFirst)]
    let tasks = await tasks(fixture, request(fixture.url, rules[0]), request(fixture.url, rules[1]))
    tasks[cancelled].cancel()
    await #expect(throws: ImageError.self) { try await tasks[cancelled].image }
    gate.set()
    #expect(try await tasks[1 - cancelled].image.size.width == 8)
    await fixture.pipeline.cache.flush()
    #expect(fixture.transport.requests.count == 1 && fixture.pipeline.activeJobCount == 0)
  }

  @Test func `a transfer that one has left may be joined by others`() async throws {
    let fixture = fixture()
    let first = fixture.pipeline.task(for: request(fixture.url, Rules()))
    await begun.wait(for: 1)
    let jobCount = fixture.pipeline.activeJobCount
    let second = fixture.pipeline.task(for: request(fixture.url, Rules(access: .readOnly)))
    await joined.wait(for: 1)
    second.cancel()
    await #expect(throws: ImageError.self) { try await second.image }
    while fixture.pipeline.activeJobCount > jobCount { try await Task.yieldUnlessCancelled() }
    let last = fixture.pipeline.task(for: request(fixture.url, Rules(access: .disabled)))
    while begun.count + joined.count < 3 { try await Task.yieldUnlessCancelled() }
    gate.set()
    for task in [first, last] { #expect(try await task.image.size.width == 8) }
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `the failure of a shared transfer is the failure of all`() async throws {
    let fixture = fixture { _ in .response(status: 404, body: Data()) }
    let tasks = await tasks(
      fixture, request(fixture.url, Rules()), request(fixture.url, Rules(policy: .cacheFirst, hasDecoder: true)))
    gate.set()
    for task in tasks {
      let error = await #expect(throws: ImageError.self) { try await task.image }
      #expect(error?.name == "httpStatus")
    }
    #expect(fixture.transport.requests.count == 1)
  }

  /// Whether the decoder of the load that began the transfer refuses the bytes, and that of the load that joined, and how
  /// often the bytes are transferred.
  @Test(arguments: [(true, false, 2), (true, true, 1), (false, true, 1)])
  func `bytes that one decoder refuses are transferred again for another only`(
    first: Bool, second: Bool, transferCount: Int
  ) async throws {
    let fixture = fixture()
    let requests = zip([first, second], [CacheAccess.readWrite, .readOnly]).map { refuses, access in
      request(fixture.url, Rules(access: access, hasDecoder: refuses), refuses: refuses)
    }
    let tasks = await tasks(fixture, requests[0], requests[1])
    gate.set()
    for (task, refuses) in zip(tasks, [first, second]) {
      if refuses {
        let error = await #expect(throws: ImageError.self) { try await task.image }
        #expect(error?.name == "decoding")
      } else {
        #expect(try await task.image.size.width == 8)
      }
    }
    #expect(fixture.transport.requests.count == transferCount)
    // The failure is remembered for the decoder that had it.
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: requests[first ? 0 : 1]) }
    #expect(fixture.transport.requests.count == transferCount)
  }

  @Test(arguments: [true, false]) func `loads hear of the header that their own decoder reads`(hasDecoder: Bool)
    async throws
  {
    let (body, rest) = (SolidImage(width: 8, height: 4, paddingByteCount: 2000).data, Signal())
    let fixture = fixture { _ in .response(body: body, pieceByteCount: 1000, beforeRest: { await rest.wait() }) }
    let tasks = await tasks(
      fixture, request(fixture.url, Rules()), request(fixture.url, Rules(access: .disabled, hasDecoder: hasDecoder)))
    let (first, second) = (tasks[0].events, tasks[1].events)
    gate.set()
    for await event in first { if case .info = event { break } }
    rest.set()
    var sizes: [PixelSize] = []
    for await event in second { if case .info(let info) = event { sizes.append(info.storedSize) } }
    #expect(sizes.isEmpty == hasDecoder, "\(sizes)")
    _ = try await tasks[0].image
  }

  @Test(arguments: [true, false]) func `a load that joins hears of the transfer, and of bytes for its own decoder`(
    hasDecoder: Bool
  ) async throws {
    let body = SolidImage(width: 8, height: 4, paddingByteCount: 2000).data
    let fixture = PipelineFixture {
      ($0.eventHandler, $0.progressInterval) = ({ _ in }, .zero)
    } script: { [gate, begun] _ in
      begun.increment()
      await gate.wait()
      return .response(body: body, pieceByteCount: 1000)
    }
    let first = fixture.pipeline.task(for: request(fixture.url, Rules()))
    await begun.wait(for: 1)
    let (progress, parts) = (Counter(), Counter())
    let subscription = LoadSubscription(priority: .normal) { [joined] event in
      switch event {
      case .step(.joined): joined.increment()
      case .progress: progress.increment()
      case .partial: parts.increment()
      default: break
      }
    }
    subscription.requestPartialData()
    let loader = fixture.pipeline.loader
    let joining = fixture.pipeline.resolved(request(fixture.url, Rules(access: .disabled, hasDecoder: hasDecoder)))
    let second = Task { try await loader.bytes.encodedImage(for: loader.newLoad(joining, for: subscription)) }
    await joined.wait(for: 1)
    gate.set()
    #expect(try await second.value.data == body)
    _ = try await first.image
    #expect(progress.count > 0)
    #expect((parts.count > 0) == !hasDecoder)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test(arguments: [(CacheAccess.readWrite, CacheAccess.readOnly), (.readOnly, .readWrite), (.readOnly, .disabled)])
  func `the part of a shared transfer that failed is stored if one of its loads writes`(
    first: CacheAccess, second: CacheAccess
  ) async throws {
    let body = SolidImage(width: 8, height: 4, paddingByteCount: 100_000).data
    let fixture = fixture { _ in
      .cut(
        body: body, afterBytes: 50_000,
        headers: ["ETag": "\"1\"", "Accept-Ranges": "bytes", "Content-Length": "\(body.count)"],
        error: .connectionLost(received: 50_000, expected: body.count))
    }
    let tasks = await tasks(
      fixture, request(fixture.url, Rules(access: first)), request(fixture.url, Rules(access: second)))
    gate.set()
    for task in tasks { await #expect(throws: ImageError.self) { try await task.image } }
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == ([first, second].contains(.readWrite) ? 1 : 0))
    #expect(fixture.transport.requests.count == 1)
  }

  @Test(arguments: [true, false])
  func `a shared transfer is as urgent as the most urgent load, also if that is raised later`(isLater: Bool)
    async throws
  {
    let fixture = PipelineFixture { [joined] configuration in
      configuration.connectionLimits = ConnectionLimits(total: 1, perHost: 1)
      configuration.eventHandler = { if case .joined = $0.kind { joined.increment() } }
    } script: { [gate, begun] _ in
      begun.increment()
      await gate.wait()
      return .response(body: SolidImage(width: 8, height: 4).data)
    }
    let urls = ["first", "low", "normal"].map { fixture.url.appending(path: $0) }
    var tasks = [fixture.pipeline.task(for: ImageRequest(url: urls[0]))]
    await begun.wait(for: 1)
    for (url, priority) in zip(urls.dropFirst(), [ImagePriority.low, .normal]) {
      tasks.append(fixture.pipeline.task(for: ImageRequest(url: url) { $0.priority = priority }))
      while fixture.pipeline.loader.bytes.http.limiter.waitingCount < tasks.count - 1 {
        try await Task.yieldUnlessCancelled()
      }
    }
    let joining = fixture.pipeline.task(
      for: ImageRequest(url: urls[1]) { ($0.storeAccess, $0.priority) = (.disabled, isLater ? .low : .high) })
    await joined.wait(for: 1)
    if isLater { joining.priority = .high }
    gate.set()
    for task in tasks + [joining] { _ = try await task.image }
    #expect(fixture.transport.requests.map(\.url) == urls)
  }
}
