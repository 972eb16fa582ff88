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

  private static let former = "HTTP://Example.com:80/b/../a"
  private static let formerKey = CacheKey("|url=\(former.utf8.count):\(former)")

  /// A fixture whose store has an entry under the key of an earlier version.
  private func fixture(_ headers: HTTPHeaders, status: Int = 200) async throws -> PipelineFixture {
    let fixture = PipelineFixture { request in
      request.headers["If-None-Match"] != nil && status == 304
        ? .response(status: 304, body: Data()) : .response(body: SolidImage(width: 2, height: 2).data)
    }
    let metadata = EntryMetadata(
      url: URL(string: Self.former), status: 200, headers: headers, requestDate: .now, responseDate: .now)
    let entry = StoredEntry(body: SolidImage(width: 9, height: 9).data, metadata: metadata)
    try await fixture.store.store(entry, for: Self.formerKey)
    return fixture
  }

  @Test func `an entry under a former key is served`() async throws {
    let fixture = try await fixture(["Cache-Control": "max-age=60"])
    let request = ImageRequest(source: .string(Self.former))
    #expect(try await fixture.pipeline.image(for: request).size.width == 9)
    #expect(await fixture.pipeline.cachedTier(for: request.storeOnly) == .store)
    #expect(try await fixture.pipeline.storedMetadata(for: request) != nil)
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `an entry under a former key is revalidated`() async throws {
    let fixture = try await fixture(["ETag": "\"1\"", "Cache-Control": "no-cache"], status: 304)
    for _ in 1...2 {
      #expect(try await fixture.pipeline.image(for: ImageRequest(source: .string(Self.former))).size.width == 9)
    }
    #expect(fixture.transport.requests.map { $0.headers["If-None-Match"] } == ["\"1\"", "\"1\""])
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 1)
  }

  @Test func `a new response replaces the entry under a former key`() async throws {
    let fixture = try await fixture(["Cache-Control": "no-cache"])
    #expect(try await fixture.pipeline.image(for: ImageRequest(source: .string(Self.former))).size.width == 2)
    await fixture.pipeline.cache.flush()
    #expect(fixture.store.count == 1)
    #expect(try await fixture.store.entry(for: Self.formerKey) == nil)
  }

  @Test func `an entry under a former key is removed with its image`() async throws {
    let fixture = try await fixture([:])
    try await fixture.pipeline.removeImage(for: ImageRequest(source: .string(Self.former)))
    #expect(fixture.store.count == 0)
  }
}

extension ImageRequest {
  fileprivate var storeOnly: ImageRequest {
    var request = self
    request.memoryAccess = .disabled
    return request
  }
}
