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

  @Test func `a file that has been written again is read again`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "photo")
      try Photos.data("clock_motion.png").write(to: file)
      _ = try await pipeline.image(for: file)
      try Photos.data("rocket.jpg").write(to: file)
      #expect(try await pipeline.image(for: file).info.format == .jpeg)
    }
  }

  @Test(arguments: ["data:image/png;base64,", "DATA:;BASE64,", "Data:image/jpeg;name=x;base64,"])
  func `a base64 data URL is decoded, whatever its media type`(prefix: String) async throws {
    let encoded = try Photos.data("clock_motion.png").base64EncodedString()
    let response = try await response(prefix + encoded)
    #expect(response.origin == .inline)
    #expect(response.image.info.format == .png)
  }

  @Test func `a percent-encoded data URL is decoded`() async throws {
    let encoded = try Photos.data("clock_motion.png").map { byte in
      let digits = String(byte, radix: 16)
      return "%" + (digits.count == 1 ? "0" : "") + digits
    }
    #expect(try await response("data:image/png," + encoded.joined()).image.size.width == 400)
  }

  @Test(arguments: [
    "data:image/png;base64", "data:image/png;base64,ABC*", "data:",
  ])
  func `a malformed data URL is a specific error`(url: String) async throws {
    let error = await #expect(throws: ImageError.self) { try await response(url) }
    #expect(error?.name == "invalidDataURL")
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
