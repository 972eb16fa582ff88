import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
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
    await begun.wait(for: 2)
    gate.set()
    for task in [earlier, later] { _ = try await task.image }
    #expect(fixture.transport.requests.map { $0.headers["Cache-Control"] } == [nil, "no-cache"])
  }

  @Test func `a transfer goes on for the others when the load that began it is cancelled`() async throws {
    let fixture = fixture()
    let rules = [Rules(), Rules(access: .disabled, policy: .cacheFirst)]
    let tasks = await tasks(fixture, request(fixture.url, rules[0]), request(fixture.url, rules[1]))
    tasks[0].cancel()
    await #expect(throws: ImageError.self) { try await tasks[0].image }
    gate.set()
    #expect(try await tasks[1].image.size.width == 8)
    await fixture.pipeline.cache.flush()
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `cancelling one that joined leaves the transfer, and cancelling all ends it`() async throws {
    let fixture = fixture()
    let tasks = await tasks(
      fixture, request(fixture.url, Rules()), request(fixture.url, Rules(access: .readOnly)))
    tasks[1].cancel()
    await #expect(throws: ImageError.self) { try await tasks[1].image }
    gate.set()
    #expect(try await tasks[0].image.size.width == 8)
    #expect(fixture.transport.requests.count == 1 && fixture.pipeline.activeJobCount == 0)
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

  @Test func `bytes that one decoder refuses are transferred again for another`() async throws {
    let fixture = fixture()
    let refusing = request(fixture.url, Rules(hasDecoder: true), refuses: true)
    let tasks = await tasks(fixture, refusing, request(fixture.url, Rules()))
    gate.set()
    let error = await #expect(throws: ImageError.self) { try await tasks[0].image }
    #expect(error?.name == "decoding")
    #expect(try await tasks[1].image.size.width == 8)
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `a shared transfer is as urgent as the most urgent load`() async throws {
    let fixture = fixture()
    var low = request(fixture.url, Rules())
    low.priority = .low
    let tasks = await tasks(fixture, low, request(fixture.url, Rules(access: .disabled)))
    tasks[1].priority = .high
    gate.set()
    for task in tasks { #expect(try await task.image.size.width == 8) }
    #expect(fixture.transport.requests.count == 1)
  }
}
