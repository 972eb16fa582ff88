import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Loading from end to end, with a real server, real photographs and real files.
@Suite(.integrationTest)
struct EndToEndTests {
  @Test func `a photo is downloaded, downsampled, and read from disk by the next process`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg")))
      let request = ImageRequest(url: url, size: .fit(width: 200, height: 200))
      let first = ImagePipeline { $0.cache = ImageCache(in: folder) }
      let fetched = try await first.response(for: request)
      #expect(fetched.origin == .network)
      #expect(fetched.image.size == PixelSize(width: 200, height: 133))
      #expect(fetched.image.info.pixelSize == PixelSize(width: 640, height: 427))
      #expect(try await first.response(for: request).origin == .memory)
      await first.cache.flush()

      let second = ImagePipeline { $0.cache = ImageCache(in: folder) }
      let stored = try await second.response(for: request)
      #expect(stored.origin == .store)
      #expect(stored.image.bitmap[100, 60] == fetched.image.bitmap[100, 60])
      #expect(server.requests.count == 1)
    }
  }

  @Test func `redirects are followed, and credentials are not sent to another origin`() async throws {
    try await withPipeline { server, pipeline in
      try await ImageServer.run { other in
        let target = other.serve("/photo.jpg", .body(try Photos.data("rocket.jpg")))
        _ = server.serve("/second", .redirect(to: target.absoluteString, status: 307))
        let url = server.serve("/first", .redirect(to: "/second", status: 301))
        let response = try await pipeline.response(
          for: ImageRequest(url: url, headers: ["Authorization": "Bearer secret", "X-Api-Key": "secret"]))
        #expect(response.url == target)
        #expect(server.requests.map { $0.headers["Authorization"] } == ["Bearer secret", "Bearer secret"])
        #expect(other.requests.map { $0.headers["Authorization"] } == [nil])
        #expect(other.requests.map { $0.headers["X-Api-Key"] } == [nil])
      }
    }
  }

  @Test func `a user name and password in the URL are sent, and never written to disk`() async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/a.jpg", .body(try Photos.data("rocket.jpg"), headers: ["Set-Cookie": "id=chocolate"]))
      let urlWithPassword = url.absoluteString.replacing("http://", with: "http://ann:hunter2@")
      let pipeline = ImagePipeline { $0.cache = ImageCache(in: folder) }
      _ = try await pipeline.image(for: ImageRequest(source: .string(urlWithPassword)))
      await pipeline.cache.flush()
      #expect(server.requests[0].headers["Authorization"] == "Basic YW5uOmh1bnRlcjI=")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
      for file in try #require(files) {
        guard !file.hasDirectoryPath else { continue }
        let bytes = try FileHandle(forReadingFrom: file).readToEnd() ?? Data()
        for secret in ["hunter2", "chocolate", "YW5uOmh1bnRlcjI="] {
          #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(secret) in \(file.lastPathComponent)")
        }
      }
    }
  }

  @Test func `images load when the disk cache cannot be opened`() async throws {
    try await withOrigin { server, folder in
      let blocked = folder.appending(path: "file")
      try Data().write(to: blocked)
      let pipeline = ImagePipeline { $0.cache = ImageCache(in: blocked.appending(path: "cache")) }
      let url = server.serve("/a.jpg", .body(try Photos.data("rocket.jpg")))
      #expect(try await pipeline.image(for: url).size.width == 640)
      await pipeline.cache.flush()
      #expect(try await pipeline.response(for: ImageRequest(url: url)).origin == .memory)
    }
  }
}

/// Runs a test with a server and an empty folder.
func withOrigin<Result>(_ body: (ImageServer, URL) async throws -> Result) async throws -> Result {
  try await TemporaryDirectory.run { folder in
    try await ImageServer.run { server in try await body(server, folder) }
  }
}

/// Runs a test with a server and a pipeline with an empty cache.
func withPipeline<Result>(_ body: (ImageServer, ImagePipeline) async throws -> Result) async throws -> Result {
  try await withOrigin { server, folder in
    let pipeline = ImagePipeline { $0.cache = ImageCache(in: folder) }
    let result = try await body(server, pipeline)
    // All writes must be complete before the folder is removed.
    await pipeline.cache.flush()
    return result
  }
}
