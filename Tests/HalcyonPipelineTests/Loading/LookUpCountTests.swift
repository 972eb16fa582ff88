import Foundation
import HalcyonHTTP
import HalcyonSupport
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonCache
@testable import HalcyonPipeline

/// How often a load reads the clocks and the store.
@Suite(.unitTest)
struct LookUpCountTests {
  private static let headers: HTTPHeaders = ["Cache-Control": "max-age=60"]

  @Test func `a hit in memory reads the clock of the pipeline once, and that of the cache once`() async throws {
    let (time, memoryTime) = (CountingClock(), CountingClock())
    let fixture = PipelineFixture {
      ($0.time, $0.cache) = (time, ImageCache(memory: MemoryCache(time: memoryTime), store: nil))
    } script: { _ in
      .response(body: SolidImage(width: 10, height: 10).data, headers: Self.headers)
    }
    // The first hit in a second is reported to the index of the cache.
    for _ in 0..<2 { _ = try await fixture.pipeline.image(for: fixture.url) }
    (time.readingCount, memoryTime.readingCount) = (0, 0)
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(time.readingCount == 1 && memoryTime.readingCount == 1)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `a load that the store has nothing for looks there once`() async throws {
    let store = ReadRecordingStore()
    let fixture = PipelineFixture {
      $0.cache = ImageCache(memory: MemoryCache(), store: store)
    } script: { _ in
      #expect(store.reads == ["lookUp"], "before the request is sent")
      return .response(body: SolidImage(width: 10, height: 10).data, headers: Self.headers)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    await fixture.pipeline.cache.flush()
    #expect(store.reads == ["lookUp"])
  }

  @Test func `the beginning of a download is read only if the look-up has found it`() async throws {
    let body = SolidImage(width: 30, height: 30, paddingByteCount: 100_000).data
    let (store, events) = (ReadRecordingStore(), EventLog<PipelineEvent.Kind>())
    let fixture = PipelineFixture {
      $0.cache = ImageCache(memory: MemoryCache(), store: store)
      $0.options.retryStrategy = ExponentialBackoff.never
      $0.eventHandler = { events.record($0.kind) }
    } script: { request in
      var headers: HTTPHeaders = ["ETag": "\"a\"", "Accept-Ranges": "bytes", "Content-Length": "\(body.count)"]
      guard request.headers["Range"] == "bytes=50000-" else {
        let lost = TransportError.connectionLost(received: 0, expected: nil)
        return .cut(body: body, afterBytes: 50_000, headers: headers, error: lost)
      }
      headers["Content-Range"] = "bytes 50000-\(body.count - 1)/\(body.count)"
      headers["Content-Length"] = "\(body.count - 50_000)"
      return .response(status: 206, body: body.dropFirst(50_000), headers: headers)
    }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: fixture.url) }
    await fixture.pipeline.cache.flush()
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(store.reads == ["lookUp", "lookUp", "lookUp"])
    let misses = events.events.compactMap { if case .storeMiss(let miss) = $0 { miss } else { nil } }
    #expect(misses == [.absent, .partial])
  }
}

/// The system's clocks, and how often they were read.
private final class CountingClock: TimeSource {
  private let count = Lock(0)

  var readingCount: Int {
    get { count.withLock { $0 } }
    set { count.withLock { $0 = newValue } }
  }

  func now() -> Date {
    count.withLock { $0 += 1 }
    return SystemTime().now()
  }

  func uptime() -> Duration {
    count.withLock { $0 += 1 }
    return SystemTime().uptime()
  }
}

/// A store in memory that records which of its functions read it.
private final class ReadRecordingStore: PassingStore, MissReportingStore {
  let base = DataMemoryCache(byteLimit: 1 << 20)
  private let recorded = Lock<[String]>([])

  var reads: [String] { recorded.withLock { $0 } }

  private func record(_ name: String) { recorded.withLock { $0.append(name) } }

  func entry(for key: CacheKey) async throws -> StoredEntry? {
    record("entry")
    return try await base.entry(for: key)
  }

  func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    record("lookUp")
    return try await base.lookUp(key)
  }

  func containsEntry(for key: CacheKey) async throws -> Bool {
    record("containsEntry")
    return try await base.containsEntry(for: key)
  }

  func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    record("metadata")
    return try await base.metadata(for: key)
  }
}
