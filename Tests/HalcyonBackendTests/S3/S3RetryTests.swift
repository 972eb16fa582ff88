import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonSupport
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

/// Which requests are sent to the storage, and which are repeated, and when.
@Suite(.unitTest)
struct S3RetryTests {
  /// A clock that records how long is slept, and does not wait.
  private final class SleepLog: TimeSource {
    let durations = EventLog<Duration>()

    func now() -> Date { Date(timeIntervalSince1970: 0) }
    func uptime() -> Duration { .zero }
    func sleep(for duration: Duration) async throws { durations.record(duration) }
  }

  private func store(
    _ transport: ScriptedTransport, _ time: SleepLog, retryCount: Int, entryByteLimit: Int = 1 << 20
  ) throws -> S3Store {
    let url = try #require(URL(string: "http://localhost/"))
    let storage = try #require(S3Storage(region: "us-east-1", endpoint: url))
    var configuration = S3StoreConfiguration()
    (configuration.retryCount, configuration.retryInterval) = (retryCount, .milliseconds(10))
    configuration.entryByteLimit = entryByteLimit
    return S3Store(storage: storage, bucket: "images", transport: transport, configuration: configuration, time: time)
  }

  @Test(arguments: [(-1, 0), (0, 0), (3, 3), (70, 70)])
  func `the pauses between requests double, up to a million times the first`(retryCount: Int, pauseCount: Int)
    async throws
  {
    let (transport, time) = (ScriptedTransport { _ in .response(status: 500, body: Data()) }, SleepLog())
    let store = try store(transport, time, retryCount: retryCount)
    await #expect(throws: S3StoreError.self) { try await store.removeEntry(for: "a") }
    let pauses = (0..<pauseCount).map { Duration.milliseconds(10) * (1 << min($0, 20)) }
    #expect(time.durations.events == pauses)
    #expect(transport.requests.count == pauseCount + 1)
  }

  /// Bytes of an entry, of which at most 900 are stored with its metadata.
  @Test(
    arguments: [
      (100, nil, .put), (900, nil, .delete), (901, nil, .delete), (100, .expired, .delete),
    ] as [(Int, CacheExpiration?, HTTPMethod)])
  func `an entry that is too large or expired removes the one that it replaces`(
    byteCount: Int, expiration: CacheExpiration?, method: HTTPMethod
  ) async throws {
    let transport = ScriptedTransport { _ in .response(status: 200, body: Data()) }
    let store = try store(transport, SleepLog(), retryCount: 0, entryByteLimit: 900)
    try await store.store(entry(byteCount, expiration: expiration), for: "a")
    #expect(transport.requests.map(\.method) == [method])
  }

  @Test func `metadata is read from the beginning of an object`() async throws {
    let value = try #require(SharedEntry(entry(200_000), storedDate: receivedDate).encoded(for: "a"))
    let transport = ScriptedTransport { _ in .response(status: 206, body: value) }
    let store = try store(transport, SleepLog(), retryCount: 0)
    #expect(try await store.metadata(for: "a") == entry().metadata)
    let range = "bytes=0-\(SharedEntry.headByteLimit(for: "a") - 1)"
    #expect(transport.requests.map { $0.headers["Range"] } == [range])
  }

  @Test(arguments: [400, 403, 408, 429, 499, 500, 501, 502, 503, 504, 505])
  func `a request is repeated after statuses that may pass`(status: Int) async throws {
    let transport = ScriptedTransport { _ in .response(status: status, body: Data()) }
    let store = try store(transport, SleepLog(), retryCount: 1)
    await #expect(throws: S3StoreError.self) { try await store.removeEntry(for: "a") }
    #expect(transport.requests.count == ([429, 500, 502, 503, 504].contains(status) ? 2 : 1))
  }

  @Test(arguments: [
    (TransportError.hostNotFound("a"), true), (.connectionFailed(host: "a", reason: "b"), true),
    (.connectTimedOut(.seconds(1)), true), (.idleTimedOut(.seconds(1)), true), (.totalTimedOut(.seconds(1)), false),
    (.connectionLost(received: 1, expected: 2), true), (.failed(reason: "a"), true), (.cancelled, false),
    (.malformedResponse(reason: "a"), false), (.secureConnectionFailed(host: "a", reason: "b"), false),
  ])
  func `a request is repeated after errors of the connection that may pass`(error: TransportError, isRepeated: Bool)
    async throws
  {
    let transport = ScriptedTransport { _ in .failure(error) }
    let store = try store(transport, SleepLog(), retryCount: 1)
    await #expect(throws: (any Error).self) { try await store.removeEntry(for: "a") }
    #expect(transport.requests.count == (isRepeated ? 2 : 1))
  }
}
