import HalcyonHTTP
import HalcyonTesting
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct CachePolicyTests {
  private var client = CachedClient()

  private mutating func get(_ policy: CachePolicy, after control: String?) async throws -> CachedClient.Result {
    if let control {
      _ = try await client.get { _ in .body("old", ["Cache-Control": control, "ETag": "\"a\""]) }
      client.clock.advance(by: .seconds(100))
    }
    return try await client.get(policy: policy) { _ in .body("new", ["Cache-Control": "max-age=1"]) }
  }

  private static let cases: [(CachePolicy, String?, CachedClient.Result)] = [
    (.standard, "max-age=200", .stored("old")), (.standard, "max-age=1", .fetched("new")),
    (.standard, nil, .fetched("new")),
    (.cacheFirst, "max-age=1", .stored("old")), (.cacheFirst, "no-cache", .stored("old")),
    (.cacheFirst, nil, .fetched("new")),
    (.revalidate, "max-age=200", .fetched("new")), (.revalidate, "max-age=200, immutable", .stored("old")),
    (.revalidate, "max-age=1, immutable", .fetched("new")),
    (.reload, "max-age=200, immutable", .fetched("new")), (.reload, nil, .fetched("new")),
    (.cacheOnly, "max-age=1", .stored("old")), (.cacheOnly, "max-age=1, must-revalidate", .stored("old")),
    (.cacheOnly, nil, .failed(504)),
    (.staleFirst, "max-age=200", .stored("old")), (.staleFirst, "max-age=1", .fetched("new")),
  ]

  @Test(arguments: cases)
  mutating func `the policy decides between the stored response and the server`(
    policy: CachePolicy, control: String?, expected: CachedClient.Result
  ) async throws {
    #expect(try await get(policy, after: control) == expected)
  }

  @Test mutating func `revalidating bypasses caches on the way, and an unchanged response is not transferred`()
    async throws
  {
    _ = try await client.get { _ in .body("old", ["Cache-Control": "max-age=200", "ETag": "\"a\""]) }
    #expect(try await client.get(policy: .revalidate) { _ in .status(304) } == .stored("old"))
    #expect(client.requests.last == ["If-None-Match": "\"a\"", "Cache-Control": "no-cache"])
  }

  @Test mutating func `a request's own directives are kept`() async throws {
    for policy in [CachePolicy.revalidate, .reload] {
      _ = try await client.get(["Cache-Control": "max-age=5"], policy: policy) { _ in .body("new", [:]) }
      #expect(client.requests.last == ["Cache-Control": "max-age=5"])
    }
  }

  @Test mutating func `reloading sends no validators`() async throws {
    _ = try await client.get { _ in .body("old", ["Cache-Control": "max-age=200", "ETag": "\"a\""]) }
    #expect(try await client.get(policy: .reload) { _ in .body("new", [:]) } == .fetched("new"))
    #expect(client.requests.last == ["Cache-Control": "no-cache"])
  }
}
