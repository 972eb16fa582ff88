import Foundation
import HalcyonBackend
import Halcyon
import HalcyonHTTP
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Pipelines with images in S3-compatible storage.
@Suite(.integrationTest)
struct S3StorageTests {
  private let credentials = S3Credentials(accessKeyID: "AKID", secretAccessKey: "hidden")

  private func web(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

  @Test func `an object is fetched with a signature and stored for its user only`() async throws {
    try await OptionsFixture.run(serving: try TestImage.png()) { fixture async throws in
      let storage = try #require(
        S3Storage(
          region: "r", endpoint: web("http://127.0.0.1:1"), credentials: credentials))
      let url = try #require(storage.url(bucket: "photos", key: "a.png"))
      var request = ImageRequest(url: url)
      request.options.requestModifier = storage
      _ = try await fixture.pipeline.image(for: request)
      await fixture.pipeline.cache.flush()
      _ = try await fixture.pipeline.data(for: request)
      #expect(fixture.transport.requests.map { $0.signature == storage.signature } == [true])
      // Without the credentials no image in the storage is found.
      _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
      #expect(fixture.transport.requests.map { $0.signature != nil } == [true, false])
      #expect(try await fixture.storedFormats == [.png, .png])
      for entry in try await fixture.entries { #expect(!"\(entry)".contains("AKID")) }
    }
  }
}
