import HalcyonHTTP
import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import HalcyonPipeline
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ImagePipelineTests {
  @Test func `several sizes of one URL share a transfer, and each is decoded at its own size`() async throws {
    let fixture = PipelineFixture.serving()
    let sizes = (1...10).map { TargetSize.fit(width: $0 * 10, height: 1000) }
    try await withThrowingTaskGroup { group in
      for (index, size) in sizes.enumerated() {
        group.addTask {
          let image = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url, size: size))
          #expect(image.size.width == (index + 1) * 10)
        }
      }
      try await group.waitForAll()
    }
    #expect(fixture.transport.requests.count == 1)
    #expect(Set(fixture.decoder.decodedSizes) == Set(sizes))
    #expect(fixture.decoder.decodedSizes.count == sizes.count)
  }

  @Test func `processors run in order, coalesced requests run each once, and only the final image is cached`()
    async throws
  {
    let fixture = PipelineFixture.serving()
    let runs = Lock<[String]>([])
    let steps = ["a", "b", "c"].map { name in
      NamedProcessor(identifier: name) { runs.withLock { $0.append(name) } }
    }
    try await withThrowingTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          _ = try await fixture.pipeline.image(for: ImageRequest(url: fixture.url, processors: steps))
        }
      }
      try await group.waitForAll()
    }
    #expect(runs.withLock { $0 } == ["a", "b", "c"])
    #expect(fixture.memory.count == 1)
  }

  @Test func `a stored entry that is not a valid image is downloaded again`() async throws {
    let misses = EventLog<CacheMiss>()
    let fixture = PipelineFixture {
      $0.eventHandler = { if case .storeMiss(let miss) = $0.kind { misses.record(miss) } }
    } script: { _ in
      .response(body: SolidImage(width: 100, height: 50).data)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    let key = try #require(fixture.store.keys.first)
    let metadata = try #require(try await fixture.store.entry(for: key)).metadata
    for damage in [SolidImage(width: 100, height: 50).data.prefix(12), Data("no image".utf8)] {
      try await fixture.store.store(StoredEntry(body: Data(damage), metadata: metadata), for: key)
      fixture.memory.removeAll()
      #expect(try await fixture.pipeline.response(for: ImageRequest(url: fixture.url)).origin == .network)
      await fixture.pipeline.cache.flush()
    }
    #expect(try await fixture.store.entry(for: key)?.body == SolidImage(width: 100, height: 50).data)
    #expect(misses.events == [.absent, .notRead, .damaged], "the first damage is found once the entry is decoded")
  }

  @Test func `a response has a trace of the steps of its load`() async throws {
    let fixture = PipelineFixture.serving()
    let response = try await fixture.pipeline.response(
      for: ImageRequest(url: fixture.url, processors: [NamedProcessor(identifier: "n")]))
    #expect(response.trace.steps.map(\.kind) == [.storeRead, .queue, .transfer, .decode, .process])
    #expect(response.trace.description.hasPrefix("storeRead "))
    #expect(response.url == fixture.url)
    #expect(response.encodedByteCount == SolidImage(width: 100, height: 50).data.count)
    var provided = ImageRequest(source: .data(key: "a") { SolidImage(width: 5, height: 5).data })
    provided.options.waitsForStore = true
    let steps = try await fixture.pipeline.response(for: provided).trace.steps
    #expect(steps.map(\.kind) == [.storeRead, .transfer, .decode, .storeWrite])
  }

  @Test func `releasing a pipeline releases its transport and memory cache`() async throws {
    weak var weakTransport: ScriptedTransport?
    weak var weakMemory: MemoryCache?
    do {
      let fixture = PipelineFixture.serving()
      (weakTransport, weakMemory) = (fixture.transport, fixture.memory)
      _ = try await fixture.pipeline.image(for: fixture.url)
      await fixture.pipeline.cache.flush()
      #expect(fixture.transport.requests.count == 1)
      #expect(fixture.memory.count == 1)
    }
    // The task may still be finishing after it has delivered its result.
    while weakTransport != nil || weakMemory != nil { try await Task.yieldUnlessCancelled() }
    #expect(weakTransport == nil)
    #expect(weakMemory == nil)
  }
}
