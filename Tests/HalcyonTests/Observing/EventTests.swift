import HalcyonImaging
import Foundation
import Halcyon
import HalcyonSupport
import HalcyonCache
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The events of a pipeline, load by load, over real connections.
@Suite(.integrationTest)
struct EventTests {
  @Test func `a load reports each step, from the network, from memory and from disk`() async throws {
    try await withObservedPipeline { server, observed in
      let count = observed.image.count
      let url = server.serve("/a.png", .body(observed.image))
      let pipeline = observed.pipeline
      _ = try await pipeline.image(for: url)
      await pipeline.cache.flush()
      _ = try await pipeline.image(for: url)
      pipeline.cache.memory.removeAll()
      _ = try await pipeline.image(for: url)
      #expect(
        observed.events(of: 1) == [
          "created", "started", "memory miss: absent", "store miss: absent", "response: 200",
          "progress: \(count) of \(count)", "decoded: 8x8", "stored in memory: 256 bytes", "finished: network",
        ])
      #expect(observed.events(of: 2) == ["created", "started", "memory hit", "finished: memory"])
      #expect(
        observed.events(of: 3) == [
          "created", "started", "memory miss: absent", "store hit: \(count) bytes", "decoded: 8x8",
          "stored in memory: 256 bytes", "finished: store",
        ])
      #expect(observed.cacheEvents == ["stored in store: \(count) bytes"])
    }
  }

  @Test func `a coalesced load reports where it joined, and then the same steps`() async throws {
    try await withObservedPipeline { server, observed in
      let gate = Gate()
      let url = server.serve("/a.png", .body(observed.image).held(by: gate))
      let progress = "progress: \(observed.image.count) of \(observed.image.count)"
      let first = observed.pipeline.task(for: ImageRequest(url: url))
      try await observed.log.waitForEvents(count: 4)
      let second = observed.pipeline.task(for: ImageRequest(url: url))
      try await observed.log.waitForEvents(count: 8)
      let smaller = observed.pipeline.task(for: ImageRequest(url: url, size: .fit(width: 4, height: 4)))
      try await observed.log.waitForEvents(count: 12)
      gate.open()
      for task in [first, second, smaller] { _ = try await task.image }
      #expect(
        observed.events(of: 2) == [
          "created", "started", "memory miss: absent", "joined: image", "response: 200", progress, "decoded: 8x8",
          "stored in memory: 256 bytes", "finished: network",
        ])
      #expect(
        observed.events(of: 3) == [
          "created", "started", "memory miss: absent", "joined: bytes", "response: 200", progress, "decoded: 4x4",
          "stored in memory: 64 bytes", "finished: network",
        ])
    }
  }

  @Test func `processors are reported in order`() async throws {
    try await withObservedPipeline { server, observed in
      let url = server.serve("/a.png", .body(observed.image))
      let processors = ["one", "two"].map { BuiltInProcessor.custom(identifier: $0) { $0 } }
      _ = try await observed.pipeline.image(for: ImageRequest(url: url, processors: processors))
      #expect(
        observed.events(of: 1).suffix(5) == [
          "decoded: 8x8", "processed: \(processors[0].identifier)", "processed: \(processors[1].identifier)",
          "stored in memory: 256 bytes", "finished: network",
        ])
    }
  }

  @Test func `failed attempts and retries are reported`() async throws {
    try await withObservedPipeline { server, observed in
      let url = server.serve("/a.png", .status(503), .status(503), .body(observed.image))
      _ = try await observed.pipeline.image(for: url)
      let middle = observed.events(of: 1).dropFirst(4).prefix(5).map { String($0.prefix(24)) }
      #expect(
        middle == [
          "response: 503", "retrying after attempt 1", "response: 503", "retrying after attempt 2", "response: 200",
        ])
    }
  }

  @Test func `a failed load reports its failure last`() async throws {
    try await withObservedPipeline { server, observed in
      let url = server.serve("/missing", .status(404))
      await #expect(throws: ImageError.self) { try await observed.pipeline.image(for: url) }
      let events = observed.events(of: 1)
      #expect(
        events.dropLast() == ["created", "started", "memory miss: absent", "store miss: absent", "response: 404"])
      #expect(events.last?.hasPrefix("failed: ") == true)
    }
  }

  @Test func `a load whose source cannot be used starts and fails`() async throws {
    try await withObservedPipeline { _, observed in
      #expect(observed.pipeline.sourceError(of: ImageRequest(source: .string(""))) != nil)
      let events = observed.events(of: 1)
      #expect(events.dropLast() == ["created", "started"] && events.last?.hasPrefix("failed: ") == true)
    }
  }

  @Test func `a cancelled load reports its cancellation at once, and nothing after it`() async throws {
    try await withObservedPipeline { server, observed in
      let url = server.serve("/a.png", .body(observed.image).stalled(at: .head(0)))
      let task = observed.pipeline.task(for: ImageRequest(url: url))
      try await server.waitForRequests(count: 1)
      task.cancel()
      let reported = ["created", "started", "memory miss: absent", "store miss: absent", "cancelled"]
      #expect(observed.events(of: 1) == reported)
      try await server.waitForClose(ofConnection: server.requests[0].connectionID)
      #expect(observed.events(of: 1) == reported, "no event follows the cancellation")
    }
  }

  @Test func `a revalidation reports the stale entries and the response`() async throws {
    let clock = TestClock()
    try await withObservedPipeline(configure: { $0.time = clock }) { server, observed in
      let fields: HeaderFields = ["ETag": "\"1\"", "Cache-Control": "max-age=60"]
      let url = server.serve("/a.png", .body(observed.image, headers: fields), .status(304, headers: fields))
      _ = try await observed.pipeline.image(for: url)
      await observed.pipeline.cache.flush()
      clock.advance(by: .seconds(61))
      _ = try await observed.pipeline.image(for: url)
      #expect(
        observed.events(of: 2) == [
          "created", "started", "memory miss: stale", "store miss: stale", "response: 304",
          "stored in memory: 256 bytes", "finished: store",
        ])
    }
  }

  @Test func `a tier that the policy does not read is reported`() async throws {
    try await withObservedPipeline { server, observed in
      let url = server.serve("/a.png", .body(observed.image))
      _ = try await observed.pipeline.image(
        for: ImageRequest(url: url) {
          ($0.memoryAccess, $0.storeAccess) = (.disabled, .disabled)
        })
      #expect(observed.events(of: 1).dropFirst(2).prefix(2) == ["memory miss: not read", "store miss: not read"])
    }
  }

  @Test func `an expired image is reported as a miss and as an eviction`() async throws {
    let clock = TestClock()
    let memory = MemoryCache(time: clock)
    try await withObservedPipeline(configure: { $0.cache = ImageCache(memory: memory, store: $0.cache.store) }) {
      server, observed in
      let url = server.serve("/a.png", .body(observed.image))
      _ = try await observed.pipeline.image(for: url)
      clock.advance(by: .seconds(301))
      _ = try await observed.pipeline.image(for: url)
      #expect(observed.events(of: 2)[2] == "memory miss: expired")
      #expect(observed.cacheEvents.contains("evicted from memory: 1 by expiration"))
    }
  }

  @Test func `evictions from memory by cost are reported`() async throws {
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 300))
    try await withObservedPipeline(configure: { $0.cache = ImageCache(memory: memory, store: nil) }) {
      server, observed in
      for name in ["/a.png", "/b.png"] {
        _ = try await observed.pipeline.image(for: server.serve(name, .body(observed.image)))
      }
      #expect(observed.cacheEvents == ["evicted from memory: 1 by size"])
      #expect(observed.pipeline.cache.statistics[.memory]?.evictions[.size] == 1)
      #expect(observed.events(of: 1)[3] == "store miss: not read", "there is no store")
    }
  }

  @Test func `loads of encoded data report their steps too`() async throws {
    try await withObservedPipeline { server, observed in
      let progress = "progress: \(observed.image.count) of \(observed.image.count)"
      let steps = ["created", "started", "store miss: absent", "response: 200", progress, "finished: network"]
      _ = try await observed.pipeline.data(for: ImageRequest(url: server.serve("/a.png", .body(observed.image))))
      #expect(observed.events(of: 1) == steps)
      let prefetcher = ImagePrefetcher(pipeline: observed.pipeline, destination: .store)
      _ = await prefetcher.start([server.serve("/b.png", .body(observed.image))]).result
      #expect(observed.events(of: 2) == steps)
    }
  }

  @Test func `a failing store is reported, and the image is delivered`() async throws {
    try await withObservedPipeline(configure: { $0.cache = ImageCache(store: BrokenStore()) }) { server, observed in
      let url = server.serve("/a.png", .body(observed.image))
      _ = try await observed.pipeline.image(for: url)
      await observed.pipeline.cache.flush()
      let failures = observed.log.events.compactMap { event in
        if case .storeFailed(let error) = event.kind { (error as? BrokenStore.Failure)?.call } else { nil }
      }
      #expect(failures == ["lookUp", "store"])
      #expect(Set(observed.cacheEvents.map { $0.prefix(14) }) == ["store failed: "])
      #expect(observed.events(of: 1).last == "finished: network")
    }
  }

  @Test func `an event prints its load, its source without the password, and its error`() async throws {
    try await withObservedPipeline { server, observed in
      let url = server.serve("/a.png", .status(404))
      var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
      (parts.user, parts.password) = ("user", "secret")
      let request = ImageRequest(url: try #require(parts.url))
      _ = try? await observed.pipeline.image(for: request)
      let lines = observed.log.events.map(\.description)
      #expect(lines.first == "1 \(url): created")
      #expect(lines.last?.hasPrefix("1 \(url): failed: ") == true)
      #expect(lines.last?.contains("404") == true)
      #expect(!lines.joined().contains("secret"))
      #expect(observed.log.events.allSatisfy { $0.request?.source == request.source })
    }
  }

  @Test func `a missing encoder is reported`() async throws {
    try await withObservedPipeline(configure: { $0.encoders = [] }) { server, observed in
      var request = ImageRequest(url: server.serve("/a.png", .body(observed.image)))
      request.options.storage = .encoded(as: .jpeg, keepsOriginal: false)
      _ = try await observed.pipeline.image(for: request)
      await observed.pipeline.cache.flush()
      #expect(observed.cacheEvents.map { String($0.prefix(14)) } == ["store failed: "])
    }
  }

  @Test func `an event handler can use the pipeline and its caches`() async throws {
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 300))
    try await withOrigin { server, folder in
      let held = Monitor<ImagePipeline?>(nil)
      let observed = try ObservedPipeline(folder: folder) { configuration in
        configuration.cache = ImageCache(memory: memory, store: configuration.cache.store)
        configuration.eventHandler = { _ in
          memory.trim(to: 0)
          guard let pipeline = held.read({ $0 }) else { return }
          _ = pipeline[cached: ImageRequest(source: .string("http://127.0.0.1/"))]
          _ = (pipeline.activeJobCount, pipeline.cache.statistics)
        }
      }
      held.update { $0 = observed.pipeline }
      // Breaks the reference cycle of pipeline and handler.
      defer { held.update { $0 = nil } }
      let url = server.serve("/a.png", .body(observed.image))
      for _ in 0..<3 { _ = try await observed.pipeline.image(for: url) }
      await observed.pipeline.cache.flush()
      #expect(memory.count == 0, "the handler empties the memory cache at every event")
      #expect(server.requests.count == 1)
      #expect(observed.pipeline.activeJobCount == 0)
    }
  }

  @Test func `each of many concurrent loads starts with its creation and ends once`() async throws {
    try await withObservedPipeline { server, observed in
      let urls = (0..<4).map { server.serve("/\($0).png", .body(observed.image)) }
      await withTaskGroup { group in
        for number in 0..<200 {
          let task = observed.pipeline.task(for: ImageRequest(url: urls[number % 4]))
          if number % 3 == 0 { group.addTask { task.cancel() } }
          group.addTask { _ = try? await task.image }
        }
      }
      for load in UInt64(1)...200 {
        let events = observed.events(of: load)
        #expect(events.first == "created")
        #expect(["finished: network", "finished: memory", "finished: store", "cancelled"].contains(events.last))
        #expect(events.filter { $0.hasPrefix("finished") || $0 == "cancelled" }.count == 1)
      }
    }
  }

  @Test func `the description of a response contains its origin, its steps and the reasons`() async throws {
    try await withObservedPipeline { server, observed in
      let url = server.serve("/a.png", .body(observed.image))
      let response = try await observed.pipeline.response(for: ImageRequest(url: url))
      let parts = response.description.split(separator: ": ", maxSplits: 1)
      #expect(parts[0] == "8x8 from network, \(observed.image.count) bytes")
      let steps = parts[1].replacing(/[0-9.]+ ms/, with: "n ms")
      #expect(steps == "storeRead n ms (absent), queue n ms, transfer n ms, decode n ms")
      let again = try await observed.pipeline.response(for: ImageRequest(url: url))
      #expect(again.description == "8x8 from memory")
    }
  }
}

/// A store whose lookups and writes fail.
private struct BrokenStore: DataStore {
  struct Failure: Error {
    let call: String
  }

  func entry(for key: CacheKey) async throws -> StoredEntry? { throw Failure(call: "lookUp") }
  func store(_ entry: StoredEntry, for key: CacheKey) async throws { throw Failure(call: "store") }
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool { false }
  func removeEntry(for key: CacheKey) async throws { throw Failure(call: "removeEntry") }
  func removeAll() async throws { throw Failure(call: "removeAll") }
}
