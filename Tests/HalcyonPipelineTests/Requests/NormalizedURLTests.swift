import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonTestDoubles
import HalcyonTesting
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// URLs that are equal although their texts differ, and entries from before that was noticed.
@Suite(.unitTest)
struct NormalizedURLTests {
  private static let plain = "http://example.com/a"

  private func key(_ text: String) throws -> [String] {
    let url = try #require(URL(string: text))
    return [ImageRequest(url: url), ImageRequest(source: .string(text))].map { ImagePipeline.cacheKey(for: $0).text }
  }

  @Test(arguments: [
    ("HTTP://example.com/a", "http://example.com/a"), ("http://EXAMPLE.com/a", "http://example.com/a"),
    ("http://example.com:80/a", "http://example.com/a"), ("https://example.com:443/a", "https://example.com/a"),
    ("http://example.com:/a", "http://example.com/a"), ("http://example.com", "http://example.com/"),
    ("http://example.com?b=C", "http://example.com/?b=C"), ("http://example.com/b/../a", "http://example.com/a"),
    ("http://example.com/./a", "http://example.com/a"), ("http://example.com/../../a", "http://example.com/a"),
    ("http://example.com/b/..", "http://example.com/"), ("http://example.com/a#B", "http://example.com/a"),
    ("http://[::1]:80/a", "http://[::1]/a"),
  ])
  func `equal URLs have one key`(text: String, normal: String) throws {
    #expect(try key(text) == key(normal))
    #expect(try Set(key(text)).count == 1)
  }

  @Test(arguments: [
    ("http://example.com:443/a", "http://example.com/a"), ("https://example.com:80/a", "https://example.com/a"),
    ("http://example.com/A", "http://example.com/a"), ("http://example.com/a?x=/../b", "http://example.com/a?x=/b"),
    ("http://example.com/%7Ea", "http://example.com/~a"), ("http://example.com/b/%2E%2E/a", "http://example.com/a"),
    ("http://example.com/a/", "http://example.com/a"), ("http://example.com/b//../a", "http://example.com/a"),
    ("http://User@example.com/a", "http://user@example.com/a"), ("http://example.com/a?", "http://example.com/a"),
    ("http://example.com/..a", "http://example.com/a"), ("http://example.com:8080/a", "http://example.com/a"),
  ])
  func `URLs that a server may tell apart have two keys`(left: String, right: String) throws {
    #expect(try Set(key(left)).isDisjoint(with: key(right)))
  }

  @Test func `a load in other letters is served from the cache`() async throws {
    let fixture = PipelineFixture.serving()
    _ = try await fixture.pipeline.image(for: fixture.url)
    let equal = try #require(URL(string: "HTTP://EXAMPLE.com:80/b/../a"))
    let response = try await fixture.pipeline.response(for: ImageRequest(url: equal))
    #expect(response.origin == .memory && fixture.transport.requests.count == 1)
  }
}
