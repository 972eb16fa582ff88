import Foundation
import HalcyonBackend
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// Images that are decoded, processed and encoded for a server: in which order, in how much memory, and for how long.
@Suite(.unitTest)
struct PlannedEncodingTests {
  /// An encoder that reports each call.
  private struct ReportingEncoder: ImageEncoder {
    let format = ImageFormat.bmp
    let onEncode: @Sendable () -> Void

    func encode(_ bitmap: Bitmap, options: EncodingOptions) -> Data {
      onEncode()
      return SolidEncoder().encode(bitmap, options: options)
    }
  }

  private func fixture(
    width: Int, _ budget: MemoryBudget = MemoryBudget(), beforeDecode: @escaping @Sendable () -> Void = {},
    onEncode: @escaping @Sendable () -> Void = {}
  ) -> PipelineFixture {
    PipelineFixture(decoder: SolidDecoder(beforeDecode: beforeDecode)) {
      $0.decodingThreads = width
      $0.memoryBudget = budget
      $0.encoders = [ReportingEncoder(onEncode: onEncode)]
    } script: { _ in
      .response(body: SolidImage(width: 100, height: 50).data)
    }
  }

  private func load(
    _ number: Int, _ fixture: PipelineFixture, processors: [any ImageProcessor] = [], byteLimit: Int? = nil,
    onPlan: @escaping @Sendable () -> Void = {}
  ) -> Task<Data, any Error> {
    Task {
      try await fixture.pipeline.plannedResponse(
        for: ImageRequest(url: fixture.url), planIdentifier: "plan \(number)"
      ) { _ in
        onPlan()
        return Rendition(processors: processors, encoding: .init(as: .bmp, byteLimit: byteLimit))
      }.data
    }
  }

  @Test func `an image is encoded before the next one is decoded on the same thread`() async throws {
    let (gate, steps, plans) = (Gate(), EventLog<String>(), Monitor(0))
    let fixture = fixture(width: 1) {
      gate.waitBlocking()
      steps.record("decode")
    } onEncode: {
      steps.record("encode")
    }
    let loads = (0..<4).map { load($0, fixture, processors: [BuiltInProcessor.invert]) { plans.update { $0 += 1 } } }
    try await plans.wait { $0 == 4 }
    gate.open()
    for load in loads { _ = try await load.value }
    #expect(steps.events == (0..<8).map { $0.isMultiple(of: 2) ? "decode" : "encode" })
  }

  @Test func `a file is not made again of a source that the server confirms`() async throws {
    // The server confirms the source at the very time at which it is asked.
    let (encodings, clock) = (EventLog<String>(), TestClock())
    let fixture = PipelineFixture {
      $0.encoders = [ReportingEncoder { encodings.record("encode") }]
      ($0.httpCaching, $0.time) = (HTTPCacheRules(), clock)
    } script: { request in
      request.headers["If-None-Match"] == "\"a\""
        ? .response(status: 304, body: Data())
        : .response(
          body: SolidImage(width: 100, height: 50).data, headers: ["ETag": "\"a\"", "Cache-Control": "max-age=0"])
    }
    func response(_ policy: CachePolicy?) async throws -> EncodedImageResponse {
      let response = try await fixture.pipeline.plannedResponse(
        for: ImageRequest(url: fixture.url), planIdentifier: "a", sourcePolicy: policy
      ) { _ in Rendition(encoding: .init(as: .bmp)) }
      await fixture.pipeline.cache.flush()
      return response
    }
    let first = try await response(nil)
    #expect(!first.wasStored && encodings.events.count == 1)
    for policy in [nil, .revalidate] as [CachePolicy?] {
      let again = try await response(policy)
      #expect(again.wasStored && again.data == first.data && again.freshness == .zero)
    }
    #expect(encodings.events.count == 1 && fixture.transport.requests.count == 3)
  }

  @Test func `a plan makes one file for all sizes, and a stored file has the tier that held it`() async throws {
    let encodings = EventLog<String>()
    let source = SolidImage(width: 100, height: 50).data
    let fixture = PipelineFixture {
      $0.encoders = [ReportingEncoder { encodings.record("encode") }]
      $0.cache = ImageCache(store: TieredStore([TieredStore.Tier(name: "near", store: MemoryDataStore())]))
    } script: { _ in
      .response(body: source, headers: ["Cache-Control": "max-age=60"])
    }
    let whole = ImageRequest(url: fixture.url)
    let small = ImageRequest(url: fixture.url, size: .fit(width: 10, height: 10), processors: [.invert])
    for (request, plan, wasStored, tier) in [
      (whole, "a", false, nil), (small, "a", true, "near"), (whole, "b", false, nil), (whole, "as it is", true, "near"),
    ] as [(ImageRequest, String, Bool, String?)] {
      let response = try await fixture.pipeline.plannedResponse(for: request, planIdentifier: plan) { _ in
        plan == "as it is" ? nil : Rendition(encoding: .init(as: .bmp))
      }
      #expect(response.wasStored == wasStored, "\(plan)")
      #expect(response.storeTier == tier, "\(plan)")
      await fixture.pipeline.cache.flush()
      // Other loads share the response until the first one has released it.
      while !fixture.pipeline.loader.bytes.inFlight.isEmpty { try await Task.yieldUnlessCancelled() }
    }
    #expect(encodings.events.count == 2)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `a plan with a size that no image can have is an error`() async throws {
    let fixture = fixture(width: 1)
    let error = await #expect(throws: ImageError.self) {
      try await fixture.pipeline.plannedResponse(for: ImageRequest(url: fixture.url), planIdentifier: "a") { _ in
        Rendition(size: .fit(width: 0, height: 5), encoding: .init(as: .bmp))
      }
    }
    #expect(error?.name == "invalidTargetSize")
  }

  @Test func `nothing is made of a source over a limit, also where the source is stored`() async throws {
    let data = SolidImage(width: 100, height: 50).data
    let fixture = PipelineFixture {
      $0.encoders = [ReportingEncoder {}]
    } script: { _ in
      .response(body: data, headers: ["Cache-Control": "max-age=60"])
    }
    for (index, limit) in [data.count - 1, data.count, data.count - 1].enumerated() {
      do {
        _ = try await fixture.pipeline.plannedResponse(
          for: ImageRequest(url: fixture.url), planIdentifier: "\(index)", sourceByteLimit: limit
        ) { _ in Rendition(encoding: .init(as: .bmp)) }
        #expect(limit == data.count)
      } catch ImageError.responseTooLarge(let byteLimit, let url) {
        #expect(limit < data.count)
        #expect(byteLimit == limit)
        #expect(url == fixture.url)
      }
      await fixture.pipeline.cache.flush()
    }
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `images beyond the budget of memory wait, and one that exceeds it is made alone`() async throws {
    let (gate, counts, budget) = (Gate(), Monitor((now: 0, most: 0)), MemoryBudget(byteLimit: 1))
    let fixture = fixture(width: 8, budget) {
      gate.waitBlocking()
      counts.update { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
    } onEncode: {
      counts.update { $0.now -= 1 }
    }
    let loads = (0..<8).map { load($0, fixture) }
    while budget.waitingCount < 7 { try await Task.yieldUnlessCancelled() }
    try await gate.waitUntilHolding()
    #expect(gate.heldCount == 1)
    gate.open()
    for load in loads { _ = try await load.value }
    #expect(counts.read { $0.most } == 1)
  }

  @Test func `a load that is cancelled while it waits for memory leaves the queue`() async throws {
    let budget = MemoryBudget(byteLimit: 1)
    try await budget.reserve(1)
    let fixture = fixture(width: 8, budget)
    let (first, second) = (load(1, fixture), load(2, fixture))
    while budget.waitingCount < 2 { try await Task.yieldUnlessCancelled() }
    first.cancel()
    await #expect(throws: ImageError.self) { try await first.value }
    while budget.waitingCount > 1 { try await Task.yieldUnlessCancelled() }
    budget.release(1)
    _ = try await second.value
    #expect(fixture.decoder.decodedSizes.count == 1)
  }

  @Test func `a load that is cancelled while a processor runs runs no other, and does not encode`() async throws {
    let (gate, runs) = (Gate(), EventLog<String>())
    let fixture = fixture(width: 1, onEncode: { runs.record("encode") })
    let processors = ["a", "b"].map { name in
      BuiltInProcessor.custom(identifier: name) { bitmap in
        runs.record(name)
        gate.waitBlocking()
        return bitmap
      }
    }
    let load = load(1, fixture, processors: processors)
    try await gate.waitUntilHolding()
    load.cancel()
    await #expect(throws: ImageError.self) { try await load.value }
    gate.open()
    // The next load has the only thread, so that the cancelled one has ended.
    _ = try await self.load(2, fixture).value
    #expect(runs.events == ["a", "encode"])
  }

  @Test func `nothing is stored of a load that is cancelled while its encoder runs`() async throws {
    let gate = Gate()
    let fixture = fixture(width: 1, onEncode: { gate.waitBlocking() })
    let load = load(1, fixture)
    try await gate.waitUntilHolding()
    load.cancel()
    await #expect(throws: ImageError.self) { try await load.value }
    gate.open()
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.keys.isEmpty)
  }

  @Test(arguments: [true, false])
  func `the search for a limit of bytes ends when its load is cancelled`(isPlanned: Bool) async throws {
    let (gate, runs) = (Gate(), EventLog<String>())
    let fixture = fixture(
      width: 1,
      onEncode: {
        runs.record("encode")
        gate.waitBlocking()
      })
    let cancelled =
      isPlanned
      ? load(1, fixture, byteLimit: 1)
      : Task { try await fixture.pipeline.encodedData(for: ImageRequest(url: fixture.url), as: .bmp, byteLimit: 1) }
    try await gate.waitUntilHolding()
    cancelled.cancel()
    let error = await #expect(throws: ImageError.self) { try await cancelled.value }
    #expect(error?.name == "cancelled")
    gate.open()
    _ = try await load(2, fixture).value
    #expect(runs.events.count == 2)
  }
}
