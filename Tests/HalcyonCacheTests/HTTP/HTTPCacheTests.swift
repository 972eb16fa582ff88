import HalcyonSupport
import HalcyonHTTP
import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
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

  @Test mutating func `a 304 for another response is followed by a request without validators`() async throws {
    try await fill(
      ["ETag": "\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Cache-Control": "no-cache"], wait: 1)
    var count = 0
    let result = try await client.get { request in
      count += 1
      return request["If-None-Match"] != nil && count < 3 ? .status(304, ["ETag": "\"b\""]) : .body("new", [:])
    }
    #expect(result == .fetched("new"))
    #expect(count == 2)
    #expect(client.requests.last == [:])
  }

  @Test mutating func `an unexpected 304 is delivered and not stored`() async throws {
    #expect(try await client.get { _ in .status(304, ["ETag": "\"a\""]) } == .failed(304))
    #expect(client.store.keys.isEmpty)
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

  @Test(arguments: [
    (500, true), (501, false), (502, true), (503, true), (504, true), (505, false), (429, false), (403, false),
  ])
  mutating func `a stale response is served in place of a failure that may pass`(status: Int, isServed: Bool)
    async throws
  {
    try await fill(["Cache-Control": "max-age=1, stale-if-error=60"], wait: 2)
    let result = try await client.get { _ in .status(status, ["Cache-Control": "no-store"]) }
    #expect(result == (isServed ? .stored("old") : .failed(status)))
    #expect(client.store.keys.count == 1)
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

  @Test func `a failed read of the store is a miss, which says so`() async {
    let cache = HTTPCache(store: FailingStore(error: POSIXError(.EIO)))
    let lookup = await cache.lookUp("a", requestHeaders: [:], at: client.clock.now())
    #expect(lookup.action == .fetch)
    #expect(lookup.miss == .failed)
  }

  @Test mutating func `a request with only-if-cached is not sent to the server`() async throws {
    let only: HTTPHeaders = ["Cache-Control": "only-if-cached"]
    #expect(try await client.get(only) { _ in nil } == .failed(504))
    try await fill(["Cache-Control": "max-age=1"], wait: 0)
    #expect(try await client.get(only) { _ in nil } == .stored("old"))
    client.clock.advance(by: .seconds(2))
    #expect(try await client.get(only) { _ in nil } == .failed(504))
    try await fill(["Cache-Control": "max-age=1, stale-while-revalidate=60"], wait: 2)
    let requestCount = client.requests.count
    #expect(try await client.get(only) { _ in nil } == .stored("old"))
    #expect(client.requests.count == requestCount)
  }
}
