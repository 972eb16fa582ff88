import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import Foundation
import HalcyonTesting
import Testing

struct HTTPCacheTests {
  private typealias Answer = CachedClient.Answer
  private var client = CachedClient()

  /// Gets one answer into the cache and lets time pass.
  private mutating func fill(_ headers: HTTPHeaders, wait seconds: Int) async throws {
    let result = try await client.get { _ in .body("old", headers) }
    try #require(result == .fetched("old"))
    client.clock.advance(by: .seconds(seconds))
  }

  @Test mutating func `what is fresh is served, what is stale is fetched and replaced`() async throws {
    try await fill(["Cache-Control": "max-age=60"], wait: 59)
    #expect(try await client.get { _ in nil } == .stored("old"))
    client.clock.advance(by: .seconds(2))
    #expect(try await client.get { _ in .body("new", ["Cache-Control": "max-age=60"]) } == .fetched("new"))
    #expect(try await client.get { _ in nil } == .stored("new"))
    #expect(client.requests == [[:], [:]])
  }

  @Test mutating func `an answer with only a tag is asked for each time, and a 304 spares its body`() async throws {
    try await fill(["ETag": "W/\"a\"", "Cache-Control": "no-cache"], wait: 1)
    let result = try await client.get { _ in .status(304, ["ETag": "W/\"a\"", "X-New": "1"]) }
    #expect(result == .stored("old"))
    #expect(client.requests == [[:], ["If-None-Match": "W/\"a\""]])
    #expect(client.served["X-New"] == "1")
    #expect(try await client.store.entry(for: client.key)?.metadata.headers["X-New"] == "1")
  }

  @Test mutating func `a 304 renews for how long the answer is fresh`() async throws {
    try await fill(["ETag": "\"a\"", "Cache-Control": "max-age=1"], wait: 2)
    #expect(try await client.get { _ in .status(304, ["Cache-Control": "max-age=3600"]) } == .stored("old"))
    client.clock.advance(by: .seconds(8))
    #expect(try await client.get { _ in nil } == .stored("old"))
    #expect(client.requests.count == 2)
  }

  @Test mutating func `a 304 about another answer makes the cache ask without validators`() async throws {
    try await fill(["ETag": "\"a\"", "Cache-Control": "max-age=1"], wait: 2)
    let result = try await client.get { request in
      request["If-None-Match"] == nil ? .body("new", ["ETag": "\"b\""]) : .status(304, ["ETag": "\"b\""])
    }
    #expect(result == .fetched("new"))
    #expect(client.requests.last == [:])
  }

  @Test mutating func `a 304 that nobody asked for is delivered`() async throws {
    #expect(try await client.get { _ in .status(304, ["ETag": "\"a\""]) } == .failed(304))
    #expect(client.store.keys.isEmpty)
  }

  @Test mutating func `tags can be left out of the question`() async throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    try await fill(["ETag": "\"a\"", "Last-Modified": date, "Cache-Control": "max-age=1"], wait: 2)
    #expect(try await client.get(usesETags: false) { _ in .status(304) } == .stored("old"))
    #expect(client.requests.last == ["If-Modified-Since": date])
  }

  @Test(arguments: [(false, "no-store"), (true, "no-store"), (true, "private")])
  mutating func `what must not be kept never reaches the store`(isShared: Bool, control: String) async throws {
    client.rules.isShared = isShared
    try await fill(["Cache-Control": "max-age=60, \(control)"], wait: 1)
    #expect(client.store.keys.isEmpty)
    #expect(try await client.get { _ in .body("new", [:]) } == .fetched("new"))
  }

  @Test mutating func `an answer that must not be kept ends the one that was`() async throws {
    try await fill(["Cache-Control": "max-age=1"], wait: 2)
    #expect(try await client.get { _ in .body("new", ["Cache-Control": "no-store"]) } == .fetched("new"))
    #expect(client.store.keys.isEmpty)
  }

  @Test mutating func `part of a body leaves the whole one alone`() async throws {
    try await fill(["Cache-Control": "max-age=1"], wait: 2)
    _ = try await client.get { _ in .status(206, ["Content-Range": "bytes 0-0/3"]) }
    #expect(client.store.keys == [client.key])
  }

  @Test mutating func `fields about one connection are not kept`() async throws {
    let headers: HTTPHeaders = ["Connection": "X-Hop", "X-Hop": "1", "Keep-Alive": "5", "X-End": "1"]
    try await fill(headers, wait: 0)
    #expect(try await client.store.entry(for: client.key)?.metadata.headers == ["X-End": "1"])
  }

  @Test mutating func `an answer is served while it is asked for, as long as it allows`() async throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"a\""]
    try await fill(headers, wait: 2)
    #expect(try await client.get { _ in .body("new", headers) } == .stored("old"))
    #expect(try await client.get { _ in nil } == .stored("new"))
    #expect(client.requests.count == 2)
    client.clock.advance(by: .seconds(62))
    #expect(try await client.get { _ in .body("newest", headers) } == .fetched("newest"))
  }

  @Test(arguments: [500, 502, 503, 504, nil] as [Int?])
  mutating func `an answer stands in for an error where it allows that`(status: Int?) async throws {
    try await fill(["Cache-Control": "max-age=1, stale-if-error=60"], wait: 2)
    #expect(try await client.get { _ in status.map { .status($0) } } == .stored("old"))
    client.clock.advance(by: .seconds(60))
    #expect(try await client.get { _ in status.map { .status($0) } } == .failed(status ?? 502))
  }

  @Test(arguments: [503, nil] as [Int?])
  mutating func `an answer that must be asked for stands in for nothing`(status: Int?) async throws {
    try await fill(["Cache-Control": "max-age=1, must-revalidate, stale-if-error=60"], wait: 2)
    #expect(try await client.get { _ in status.map { .status($0) } } == .failed(status ?? 502))
    #expect(client.store.keys == [client.key])
  }

  @Test mutating func `without any network all stands in that may be served without asking`() async throws {
    for (control, isServed) in [("max-age=1", true), ("max-age=1, must-revalidate", false)] {
      try await fill(["Cache-Control": control], wait: 1000)
      let lookup = await client.cache.lookUp(client.key, requestHeaders: [:], at: client.clock.now())
      #expect(client.cache.staleEntry(for: lookup, at: client.clock.now()) == nil)
      let entry = client.cache.staleEntry(for: lookup, isOffline: true, at: client.clock.now())
      #expect((entry != nil) == isServed)
    }
  }

  @Test(arguments: [404, 410])
  mutating func `what is gone is removed with its variants`(status: Int) async throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=1, stale-if-error=60", "Vary": "Accept"]
    _ = try await client.get(["Accept": "image/png"]) { _ in .body("png", headers) }
    _ = try await client.get(["Accept": "image/avif"]) { _ in .body("avif", headers) }
    client.clock.advance(by: .seconds(2))
    let gone = Answer.status(status, ["Cache-Control": "no-store"])
    #expect(try await client.get(["Accept": "image/png"]) { _ in gone } == .failed(status))
    #expect(client.store.keys.isEmpty)
  }

  @Test mutating func `an answer from the future is asked for`() async throws {
    try await fill(["Cache-Control": "max-age=3600"], wait: 1)
    client.clock.setDate(client.clock.now() - 86_400)
    #expect(try await client.get { _ in .body("new", [:]) } == .fetched("new"))
  }

  @Test mutating func `a request may accept nothing but what is stored`() async throws {
    let only: HTTPHeaders = ["Cache-Control": "only-if-cached"]
    #expect(try await client.get(only) { _ in nil } == .failed(504))
    try await fill(["Cache-Control": "max-age=1"], wait: 0)
    #expect(try await client.get(only) { _ in nil } == .stored("old"))
    client.clock.advance(by: .seconds(2))
    #expect(try await client.get(only) { _ in nil } == .failed(504))
  }

  @Test mutating func `an answer that says nothing about caching is kept for as long as the rules say`() async throws {
    try await fill([:], wait: 0)
    #expect(try await client.get { _ in .body("new", [:]) } == .fetched("new"))
    client.rules.defaultLifetime = .seconds(60)
    client.clock.advance(by: .seconds(59))
    #expect(try await client.get { _ in nil } == .stored("new"))
    client.clock.advance(by: .seconds(2))
    #expect(try await client.get { _ in .body("newest", ["ETag": "\"a\""]) } == .fetched("newest"))
    #expect(try await client.get { _ in .status(304) } == .stored("newest"))
    #expect(client.requests.count == 4)
  }

  @Test mutating func `a store that fails is a store without the answer`() async throws {
    let cache = HTTPCache(store: UnreadableStore())
    let lookup = await cache.lookUp("a", requestHeaders: [:], at: client.clock.now())
    #expect(lookup.action == .fetch)
    #expect(lookup.stored == nil)
  }
}

private struct UnreadableStore: DataStore {
  struct Failure: Error {}

  func entry(for key: CacheKey) async throws -> StoredEntry? { throw Failure() }
  func store(_ entry: StoredEntry, for key: CacheKey) async throws { throw Failure() }
  func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool { throw Failure() }
  func removeEntry(for key: CacheKey) async throws { throw Failure() }
  func removeAll() async throws { throw Failure() }
}
