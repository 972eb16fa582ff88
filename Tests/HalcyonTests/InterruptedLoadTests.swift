import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Interrupted downloads, over real sockets and with a real disk.
@Suite(.integrationTest)
struct InterruptedLoadTests {
  /// A pipeline that retries without delay.
  private func pipeline(in folder: URL) throws -> ImagePipeline {
    // A separate transport: the connections of other tests would close its idle ones.
    var configuration = PipelineConfiguration()
    configuration.transport = PipelineConfiguration.transport(enforcing: .any)
    configuration.cache = ImageCache(in: folder)
    configuration.options.retryStrategy = ExponentialBackoff(attemptLimit: 5, firstDelay: .zero)
    return ImagePipeline(configuration: configuration)
  }

  /// Serves the photo and ranges of it, and closes each connection after at most `byteCount` bytes of body.
  private func cutting(_ photo: Data, after byteCount: Int) -> @Sendable (RecordedRequest) -> Reply {
    { request in
      let first = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      var fields: HeaderFields = ["ETag": "\"1\"", "Accept-Ranges": "bytes"]
      guard first > 0 else { return .body(photo, headers: fields).cut(at: .body(byteCount)) }
      fields.add("Content-Range", "bytes \(first)-\(photo.count - 1)/\(photo.count)")
      return .status(206, headers: fields, body: Data(photo.dropFirst(first))).cut(at: .body(byteCount))
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
}
