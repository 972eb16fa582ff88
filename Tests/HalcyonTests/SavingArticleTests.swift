import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The snippets of the article on saving images, with no other import than the article's readers have.
@Suite(.integrationTest)
struct SavingArticleTests {
  @Test func `a downloaded photo is saved as a thumbnail, and encoded for others`() async throws {
    try await withOrigin { server, folder in
      let pipeline = ImagePipeline { $0.cache = ImageCache(disk: nil) }
      let url = server.serve("/rocket.jpg", .body(try Photos.data("rocket.jpg")))
      let image = try await pipeline.image(for: ImageRequest(url: url, size: .fit(width: 400, height: 400)))
      let file = folder.appending(path: "thumbnail.webp")
      try await image.write(to: file, quality: 0.8)
      let saved = try await pipeline.image(for: file)
      #expect(saved.info.format == .webp)
      #expect(saved.size == image.size)
      let data = try await image.encoded(as: .jpeg, quality: 0.9, background: .white)
      #expect(ImageFormat(sniffing: data) == .jpeg)
      let request = ImageRequest(url: url, size: .fill(width: 320, height: 240))
      let thumbnail = try await pipeline.encodedData(for: request, as: .webp, quality: 0.8)
      #expect(ImageFormat(sniffing: thumbnail) == .webp)
    }
  }
}
