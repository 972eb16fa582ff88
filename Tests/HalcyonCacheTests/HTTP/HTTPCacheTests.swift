import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct HTTPCacheTests {
  private typealias Response = CachedClient.Response
  private var client = CachedClient()

  /// Stores one response in the cache and advances the clock.
  private mutating func fill(_ headers: HTTPHeaders, wait seconds: Int) async throws {
    let result = try await client.get { _ in .body("old", headers) }
    try #require(result == .fetched("old"))
    client.clock.advance(by: .seconds(seconds))
  }

  @Test mutating func `a fresh response is served, a stale one is fetched and replaced`() async throws {
    try await fill(["Cache-Control": "max-age=60"], wait: 59)
    #expect(try await client.get { _ in nil } == .stored("old"))
    client.clock.advance(by: .seconds(2))
    #expect(try await client.get { _ in .body("new", ["Cache-Control": "max-age=60"]) } == .fetched("new"))
    #expect(try await client.get { _ in nil } == .stored("new"))
    #expect(client.requests == [[:], [:]])
  }

  @Test mutating func `a response with only an ETag is revalidated each time, and a 304 reuses its body`() async throws
  {
    try await fill(["ETag": "W/\"a\"", "Cache-Control": "no-cache"], wait: 1)
    let result = try await client.get { _ in .status(304, ["ETag": "W/\"a\"", "X-New": "1"]) }
    #expect(result == .stored("old"))
    #expect(client.requests == [[:], ["If-None-Match": "W/\"a\""]])
    #expect(client.served["X-New"] == "1")
    #expect(try await client.store.entry(for: client.key)?.metadata.headers["X-New"] == "1")
  }

  @Test mutating func `a 304 renews the freshness lifetime of a response`() async throws {
    try await fill(["ETag": "\"a\"", "Cache-Control": "max-age=1"], wait: 2)
    #expect(try await client.get { _ in .status(304, ["Cache-Control": "max-age=3600"]) } == .stored("old"))
    client.clock.advance(by: .seconds(8))
    #expect(try await client.get { _ in nil } == .stored("old"))
    #expect(client.requests.count == 2)
  }

  @Test mutating func `after a 304 for another entity the cache fetches without validators`() async throws {
    try await fill(["ETag": "\"a\"", "Cache-Control": "max-age=1"], wait: 2)
    let result = try await client.get { request in
      request["If-None-Match"] == nil ? .body("new", ["ETag": "\"b\""]) : .status(304, ["ETag": "\"b\""])
    }
    #expect(result == .fetched("new"))
    #expect(client.requests.last == [:])
  }

  @Test(arguments: [
    ("\"x-gzip\"", "\"x\""), ("\"x;gzip\"", "\"x\""), ("\"x-br\"", "\"x\""), ("\"x-df\"", "\"x\""),
    ("\"x--gzip\"", "\"x\""), ("W/\"x-gzip\"", "\"x\""), ("\"x\"", "\"x-gzip\""), ("\"x-br\"", "\"x-gzip\""),
  ])
  mutating func `a 304 whose tag lacks the name of the coding confirms the compressed response`(
    stored: String, confirming: String
  ) async throws {
    try await fill(["ETag": stored, "Cache-Control": "max-age=1"], wait: 2)
    #expect(try await client.get { _ in .status(304, ["ETag": confirming]) } == .stored("old"))
    #expect(client.requests.count == 2)
    #expect(client.requests.last?["If-None-Match"] == stored)
    #expect(try await client.store.entry(for: client.key)?.metadata.headers["ETag"] == stored)
  }

  @Test(arguments: [
    ("\"x-gzip\"", "\"y\""), ("\"x-gzip2\"", "\"x\""), ("\"x-zip\"", "\"x\""), ("\"a-gzip\"", "\"b-gzip\""),
  ])
  mutating func `a 304 with another tag confirms nothing`(stored: String, confirming: String) async throws {
    try await fill(["ETag": stored, "Cache-Control": "max-age=1"], wait: 2)
    let result = try await client.get { request in
      request["If-None-Match"] == nil ? .body("new", ["ETag": confirming]) : .status(304, ["ETag": confirming])
    }
    #expect(result == .fetched("new"))
  }

  @Test mutating func `an unexpected 304 is delivered and not stored`() async throws {
    #expect(try await client.get { _ in .status(304, ["ETag": "\"a\""]) } == .failed(304))
    #expect(client.store.keys.isEmpty)
  }

  @Test mutating func `ETags can be left out of the revalidation`() async throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    try await fill(["ETag": "\"a\"", "Last-Modified": date, "Cache-Control": "max-age=1"], wait: 2)
    #expect(try await client.get(usesETags: false) { _ in .status(304) } == .stored("old"))
    #expect(client.requests.last == ["If-Modified-Since": date])
  }

  @Test(arguments: [(false, "no-store"), (true, "no-store"), (true, "private")])
  mutating func `a response that must not be stored never reaches the store`(isShared: Bool, control: String)
    async throws
  {
    client.rules.isShared = isShared
    try await fill(["Cache-Control": "max-age=60, \(control)"], wait: 1)
    #expect(client.store.keys.isEmpty)
    #expect(try await client.get { _ in .body("new", [:]) } == .fetched("new"))
  }

  @Test mutating func `a response that must not be stored removes the stored one`() async throws {
    try await fill(["Cache-Control": "max-age=1"], wait: 2)
    #expect(try await client.get { _ in .body("new", ["Cache-Control": "no-store"]) } == .fetched("new"))
    #expect(client.store.keys.isEmpty)
  }

  @Test mutating func `a request with no-store neither stores nor removes anything`() async throws {
    try await fill(["Cache-Control": "max-age=1", "ETag": "\"a\""], wait: 2)
    let unstored: HTTPHeaders = ["Cache-Control": "no-store"]
    for response in [
      Response.body("new", ["Cache-Control": "max-age=60"]), .body("new", ["Cache-Control": "no-store"]),
    ] {
      #expect(try await client.get(unstored) { _ in response } == .fetched("new"))
      #expect(try await client.store.entry(for: client.key)?.body == Data("old".utf8))
    }
  }

  @Test(arguments: [200, 201, 299, 300, 206, 404, 500])
  mutating func `a response that must not be stored removes the stored one only if it replaces it`(status: Int)
    async throws
  {
    try await fill(["Cache-Control": "max-age=1"], wait: 2)
    _ = try await client.get { _ in .status(status, ["Cache-Control": "no-store"]) }
    #expect(client.store.keys.isEmpty == ((200..<300).contains(status) && status != 206 || status == 404))
  }

  @Test mutating func `a partial response leaves the stored one in place`() async throws {
    try await fill(["Cache-Control": "max-age=1"], wait: 2)
    _ = try await client.get { _ in .status(206, ["Content-Range": "bytes 0-0/3"]) }
    #expect(client.store.keys == [client.key])
  }

  @Test mutating func `hop-by-hop header fields are not stored`() async throws {
    let headers: HTTPHeaders = ["Connection": "X-Hop", "X-Hop": "1", "Keep-Alive": "5", "X-End": "1"]
    try await fill(headers, wait: 0)
    #expect(try await client.store.entry(for: client.key)?.metadata.headers == ["X-End": "1"])
  }

  @Test mutating func `a response is served while it is revalidated, within stale-while-revalidate`() async throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=1, stale-while-revalidate=60", "ETag": "\"a\""]
    try await fill(headers, wait: 2)
    #expect(try await client.get { _ in .body("new", headers) } == .stored("old"))
    #expect(try await client.get { _ in nil } == .stored("new"))
    #expect(client.requests.count == 2)
    client.clock.advance(by: .seconds(62))
    #expect(try await client.get { _ in .body("newest", headers) } == .fetched("newest"))
  }

  @Test(arguments: [500, 502, 503, 504, nil] as [Int?])
  mutating func `a stale response is served on errors, within stale-if-error`(status: Int?) async throws {
    try await fill(["Cache-Control": "max-age=1, stale-if-error=60"], wait: 2)
    #expect(try await client.get { _ in status.map { .status($0) } } == .stored("old"))
    client.clock.advance(by: .seconds(60))
    #expect(try await client.get { _ in status.map { .status($0) } } == .failed(status ?? 502))
  }

  @Test(arguments: [503, nil] as [Int?])
  mutating func `a response with must-revalidate is not served on errors`(status: Int?) async throws {
    try await fill(["Cache-Control": "max-age=1, must-revalidate, stale-if-error=60"], wait: 2)
    #expect(try await client.get { _ in status.map { .status($0) } } == .failed(status ?? 502))
    #expect(client.store.keys == [client.key])
  }

  @Test mutating func `offline, stale responses are served unless they require revalidation`() async throws {
    for (control, isServed) in [("max-age=1", true), ("max-age=1, must-revalidate", false)] {
      try await fill(["Cache-Control": control], wait: 1000)
      let lookup = await client.cache.lookUp(client.key, requestHeaders: [:], at: client.clock.now())
      #expect(client.cache.staleEntry(for: lookup, at: client.clock.now()) == nil)
      let entry = client.cache.staleEntry(for: lookup, isOffline: true, at: client.clock.now())
      #expect((entry != nil) == isServed)
    }
  }

  @Test(arguments: [404, 410])
  mutating func `a 404 or 410 removes the stored response and its variants`(status: Int) async throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=1, stale-if-error=60", "Vary": "Accept"]
    _ = try await client.get(["Accept": "image/png"]) { _ in .body("png", headers) }
    _ = try await client.get(["Accept": "image/avif"]) { _ in .body("avif", headers) }
    client.clock.advance(by: .seconds(2))
    let gone = Response.status(status, ["Cache-Control": "no-store"])
    #expect(try await client.get(["Accept": "image/png"]) { _ in gone } == .failed(status))
    #expect(client.store.keys.isEmpty)
  }

  @Test mutating func `a response dated in the future is fetched again`() async throws {
    try await fill(["Cache-Control": "max-age=3600"], wait: 1)
    client.clock.setDate(client.clock.now() - 86_400)
    #expect(try await client.get { _ in .body("new", [:]) } == .fetched("new"))
  }

  @Test mutating func `a request with only-if-cached is not sent to the server`() async throws {
    let only: HTTPHeaders = ["Cache-Control": "only-if-cached"]
    #expect(try await client.get(only) { _ in nil } == .failed(504))
    try await fill(["Cache-Control": "max-age=1"], wait: 0)
    #expect(try await client.get(only) { _ in nil } == .stored("old"))
    client.clock.advance(by: .seconds(2))
    #expect(try await client.get(only) { _ in nil } == .failed(504))
  }

  @Test mutating func `a response without caching fields is fresh for the default lifetime of the rules`() async throws
  {
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

  @Test mutating func `a failing store is treated as a cache miss`() async throws {
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
