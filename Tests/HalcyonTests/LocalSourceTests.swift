import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct LocalSourceTests {
  private let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }

  private func response(_ url: String) async throws -> ImageResponse {
    try await pipeline.response(for: ImageRequest(source: .string(url)))
  }

  @Test(arguments: ["file", "FILE", "File"])
  func `a file URL is loaded whatever the case of its scheme`(scheme: String) async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "ä photo #1.png")
      try Photos.data("clock_motion.png").write(to: file)
      let response = try await response(file.absoluteString.replacing("file:", with: scheme + ":"))
      #expect(response.origin == .file)
      #expect(response.image.size == PixelSize(width: 400, height: 300))
    }
  }

  @Test(arguments: ["/no/such/file.png", "/", "/dev/zero"])
  func `the error of an unreadable file contains its path`(path: String) async throws {
    let error = await #expect(throws: ImageError.self) { try await response("file://" + path) }
    #expect(error?.name == "unreadableFile")
    #expect(error?.description.contains(path) == true)
  }

  @Test func `a named pipe fails without waiting for a writer`() async throws {
    try await TemporaryDirectory.run { folder in
      let path = folder.path(percentEncoded: false) + "/pipe"
      #expect(mkfifo(path, 0o600) == 0)
      let error = await #expect(throws: ImageError.self) { try await response("file://" + path) }
      #expect(error?.name == "unreadableFile")
    }
  }
}
