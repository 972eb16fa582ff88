import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Bad input fails in bounded time with a specific error that names the cause, and nothing is cached.
@Suite(.integrationTest)
struct BadInputTests {
  private func expect(
    _ name: String, from url: URL, in folder: URL, mentions words: [String] = [],
    configure: (inout PipelineConfiguration) -> Void = { _ in }
  ) async throws {
    var configuration = PipelineConfiguration()
    configuration.cache = ImageCache(in: folder)
    configuration.options.retryStrategy = .never
    configure(&configuration)
    let pipeline = ImagePipeline(configuration: configuration)
    let error = await #expect(throws: ImageError.self) { try await pipeline.image(for: url) }
    #expect(error?.name == name, "\(error?.description ?? "no error")")
    for word in words { #expect(error?.description.contains(word) == true, "\(error?.description ?? "")") }
    await pipeline.cache.flush()
    #expect(pipeline.activeJobCount == 0)
    #expect(pipeline.cache.memory.image(for: ImagePipeline.cacheKey(for: ImageRequest(url: url))) == nil)
    #expect(try await pipeline.cache.disk?.count == 0)
  }

  @Test(arguments: [
    ("", "invalidURL"), ("no scheme", "invalidURL"), ("http://", "invalidURL"), ("https:///", "invalidURL"),
    ("ftp://example.com/a", "unsupportedScheme"), ("javascript:alert(1)", "unsupportedScheme"),
    ("http://[::1", "invalidURL"), ("//example.com/a", "invalidURL"), ("file://", "invalidURL"),
  ])
  func `an invalid URL fails before any other work`(url: String, name: String) async throws {
    let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
    let error = await #expect(throws: ImageError.self) {
      try await pipeline.image(for: ImageRequest(source: .string(url)))
    }
    #expect(error?.name == name, "\(error?.description ?? "no error")")
  }

  @Test(arguments: [204, 205, 300, 304, 400, 401, 404, 410, 500, 503])
  func `the error of a response without an image contains its status code`(status: Int) async throws {
    try await withOrigin { server, folder in
      let url = server.serve("/a.jpg", .status(status, body: Data("sorry".utf8)))
      let hasNoContent = [204, 205].contains(status)
      try await expect(
        hasNoContent ? "emptyResponse" : "httpStatus", from: url, in: folder,
        mentions: hasNoContent ? [] : ["\(status)", url.absoluteString])
    }
  }

  @Test(arguments: [0, 10, 2000])
  func `an HTML page is not an image, whatever its Content-Type says`(padding: Int) async throws {
    try await withOrigin { server, folder in
      let page = "<!DOCTYPE html><html><body>Log in" + String(repeating: " ", count: padding) + "</body></html>"
      let url = server.serve("/a.jpg", .body(Data(page.utf8), headers: ["Content-Type": "image/jpeg"]))
      try await expect(
        "notAnImage", from: url, in: folder,
        mentions: ["in no format that this build reads (the server says image/jpeg)"])
    }
  }

  @Test func `a body over the byte limit is rejected, with and without a Content-Length`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      for reply in [Reply.body(photo), .body(photo).chunked(4096), .body(photo).closeDelimited()] {
        try await expect(
          "responseTooLarge", from: server.serve("/a.jpg", reply), in: folder, mentions: ["50000"],
          configure: { $0.limits.encodedByteCount = 50_000 })
      }
    }
  }

  @Test func `an image over the pixel limits is rejected before it has been received`() async throws {
    try await withOrigin { server, folder in
      let photo = try Photos.data("rocket.jpg")
      let url = server.serve("/a.jpg", .body(photo).stalled(at: .body(50_000)))
      try await expect(
        "decoding", from: url, in: folder, mentions: ["640x427", "1000"], configure: { $0.limits.pixelCount = 1000 })
      try await expect(
        "decoding", from: url, in: folder, mentions: ["640x427", "600"], configure: { $0.limits.sideLength = 600 })
      try await server.waitUntilNoConnections()
    }
  }
}

extension ImageError {
  /// The name of the case, to compare errors that have associated values.
  var name: String { Mirror(reflecting: self).children.first?.label ?? "cancelled" }
}
