import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Interrupted downloads, over real sockets and with a real disk.
@Suite(.integrationTest)
struct InterruptedLoadTests {
  /// A pipeline that retries without delay.
  private func pipeline(in folder: URL, attempts: Int = 5) throws -> ImagePipeline {
    // A separate transport: the connections of other tests would close its idle ones.
    var configuration = PipelineConfiguration()
    configuration.transport = PipelineConfiguration.transport(enforcing: .any)
    configuration.cache = ImageCache(in: folder)
    configuration.options.retryStrategy = ExponentialBackoff(attemptLimit: attempts, firstDelay: .zero)
    return ImagePipeline(configuration: configuration)
  }

  /// Serves the photo and ranges of it, and closes each connection after at most `byteCount` bytes of body.
  private func cutting(_ photo: Data, after byteCount: Int, tag: String = "\"1\"")
    -> @Sendable (RecordedRequest) -> Reply
  {
    { request in
      let first = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      var fields: HeaderFields = ["ETag": tag, "Accept-Ranges": "bytes"]
      guard first > 0 else { return .body(photo, headers: fields).cut(at: .body(byteCount)) }
      fields.add("Content-Range", "bytes \(first)-\(photo.count - 1)/\(photo.count)")
      return .status(206, headers: fields, body: Data(photo.dropFirst(first))).cut(at: .body(byteCount))
    }
  }

  @Test func `a first load counts one miss of the disk, although it looks for the beginning of its download`()
    async throws
  {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/a.jpg") { _ in .body(photo) }
      let pipeline = try pipeline(in: folder)
      _ = try await pipeline.image(for: url)
      #expect(pipeline.cache.disk?.statistics.misses == [.absent: 1])
      await pipeline.cache.flush()
    }
  }

  @Test func `a photo interrupted three times is assembled byte for byte from range requests`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/a.jpg", cutting(photo, after: photo.count / 3))
      let pipeline = try pipeline(in: folder)
      let response = try await pipeline.response(for: ImageRequest(url: url))
      #expect(response.image.size == PixelSize(width: 640, height: 427))
      await pipeline.cache.flush()
      let key = ImagePipeline.cacheKey(for: ImageRequest(url: url))
      #expect(try await pipeline.cache.disk?.entry(for: key)?.body == photo)
      #expect(try await pipeline.cache.disk?.count == 1)
      #expect(server.requests.map { $0.headers["If-Range"] } == [nil] + [String?](repeating: "\"1\"", count: 3))
    }
  }

  @Test func `the next process resumes from the partial response on disk`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/a.jpg", cutting(photo, after: photo.count * 2 / 3))
      let first = try pipeline(in: folder, attempts: 1)
      await #expect(throws: ImageError.self) { try await first.image(for: url) }
      await first.cache.flush()
      let second = try pipeline(in: folder, attempts: 1)
      #expect(try await second.data(for: ImageRequest(url: url)) == photo)
      #expect(server.requests.last?.headers["Range"] == "bytes=\(photo.count * 2 / 3)-")
    }
  }

  @Test func `a photo that has changed in the meantime is downloaded whole`() async throws {
    try await withOrigin { server, folder in
      let (old, new) = (try Photos.data("rocket.jpg"), try Photos.data("clock_motion.png"))
      let url = server.serve("/a.jpg", cutting(old, after: 50_000))
      let first = try pipeline(in: folder, attempts: 1)
      await #expect(throws: ImageError.self) { try await first.image(for: url) }
      await first.cache.flush()
      server.serve("/a.jpg", .body(new, headers: ["ETag": "\"2\""]))
      #expect(try await pipeline(in: folder).data(for: ImageRequest(url: url)) == new)
    }
  }

  @Test func `transient failures are retried until the download succeeds`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve(
        "/a.jpg", .status(503), .body(photo).reset(at: .head(0)), .body(photo).cut(at: .body(10)), .body(photo))
      _ = try await pipeline(in: folder).image(for: url)
      #expect(server.requests.count == 4)
    }
  }

  @Test func `a stale photo is revalidated, not downloaded again`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/a.jpg") { request in
        let fields: HeaderFields = ["ETag": "\"1\"", "Cache-Control": "no-cache"]
        return request.headers["If-None-Match"] == "\"1\""
          ? .status(304, headers: fields) : .body(photo, headers: fields)
      }
      let pipeline = try pipeline(in: folder)
      for origin in [ImageOrigin.network, .store, .store] {
        #expect(try await pipeline.response(for: ImageRequest(url: url)).origin == origin)
        await pipeline.cache.flush()
      }
      #expect(server.requests.map(\.status) == [200, 304, 304])
      // A 304 has no body: the connection is reused.
      #expect(Set(server.requests.map(\.connectionID)).count == 1)
    }
  }
}
