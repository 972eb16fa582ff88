import HalcyonCodecs
import Foundation
import Halcyon
import HalcyonImaging
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct PlaceholderTests {
  @Test func `a placeholder is available before the image on a later load`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg")))
      let request = ImageRequest(url: url, size: .fit(width: 200, height: 200))
      let first = ImagePipeline { $0.cache = ImageCache(in: folder) }
      #expect(first.cachedPlaceholder(for: request) == nil)
      #expect(await first.placeholder(for: request) == nil)
      let image = try await first.image(for: request)
      let hash = try #require(first.cachedPlaceholder(for: request), "in memory after the load")
      #expect(hash == ThumbHash(image.bitmap))
      await first.cache.flush()

      let second = ImagePipeline { $0.cache = ImageCache(in: folder) }
      #expect(second.cachedPlaceholder(for: request) == nil, "nothing has been read from disk")
      #expect(await second.placeholder(for: ImageRequest(url: url) { $0.storeAccess = .writeOnly }) == nil)
      #expect(await second.placeholder(for: request) == hash)
      #expect(second.cachedPlaceholder(for: request) == hash)
      let other = ImageRequest(url: url, size: .fit(width: 50, height: 50))
      #expect(second.cachedPlaceholder(for: other) == hash, "all sizes share the placeholder")
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a cropped image has no placeholder, and placeholders can be disabled`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg")))
      var configuration = PipelineConfiguration()
      configuration.cache = ImageCache(in: folder)
      let cropped = ImageRequest(url: url, size: .fill(width: 20, height: 20))
      let pipeline = ImagePipeline(configuration: configuration)
      _ = try await pipeline.image(for: cropped)
      #expect(pipeline.cachedPlaceholder(for: cropped) == nil)
      await pipeline.cache.flush()

      configuration.makesPlaceholders = false
      configuration.cache = ImageCache(in: folder.appending(path: "other"))
      let without = ImagePipeline(configuration: configuration)
      _ = try await without.image(for: url)
      #expect(without.cachedPlaceholder(for: ImageRequest(url: url)) == nil)
      await without.cache.flush()
    }
  }

  @Test func `a placeholder is kept after a 304`() async throws {
    try await withOrigin { server, folder in
      let fields: HeaderFields = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
      let photo = Reply.body(try Photos.data("rocket.jpg"), headers: fields)
      let url = server.serve("/rocket.jpg", photo, .status(304, headers: fields))
      let request = ImageRequest(url: url)
      let first = ImagePipeline { $0.cache = ImageCache(in: folder) }
      _ = try await first.image(for: request)
      await first.cache.flush()
      _ = try await first.image(for: request)
      await first.cache.flush()
      #expect(server.statuses == [200, 304])
      let second = ImagePipeline { $0.cache = ImageCache(in: folder) }
      #expect(await second.placeholder(for: request) == first.cachedPlaceholder(for: request))
    }
  }
}
