import Foundation
import Halcyon
import HalcyonCodecs
import HalcyonService
import TestSupport
import TestTraits
import Testing

/// What results keep of the metadata of their sources.
@Suite(.integrationTest)
struct ResultMetadataTests {
  /// A photo with a camera and a copyright.
  private func photo() throws -> Data {
    let bitmap = try Quadrants.bitmap()
    let fields = ImageMetadata(
      info: ImageInfo(format: .jpeg, storedSize: bitmap.size), cameraModel: "Secret Camera", copyright: "Ann 2026")
    return try DecodedImage(bitmap: bitmap).encoded(as: .jpeg, metadata: fields)
  }

  @Test(arguments: ["jpg", "png", "webp"])
  func `a result has the metadata that its options ask for`(format: String) async throws {
    try await RunningService.run { service, origin async throws in
      let source = origin.serve("/a.jpg", .body(try photo()))
      let cases: [(options: String, camera: Bool, copyright: Bool)] = [
        ("w:40", false, true), ("w:40/sm:1", false, true), ("w:40/kcr:0", false, false),
        ("w:40/strip_metadata:1/keep_copyright:0", false, false), ("w:40/sm:0", true, true),
        ("rs:fill:20:20/sm:0/kcr:0", true, true), ("rs:fill:20:20/sm:1/kcr:1", false, true),
      ]
      for expected in cases {
        let body = try await service.image(expected.options, of: source, as: format).body
        #expect((body.range(of: Data("Secret Camera".utf8)) != nil) == expected.camera, "\(expected.options)")
        #expect((body.range(of: Data("Ann 2026".utf8)) != nil) == expected.copyright, "\(expected.options)")
        let metadata = try ImageMetadata(of: body)
        #expect((metadata.camera == "Secret Camera") == expected.camera, "\(expected.options)")
        #expect((metadata.copyright == "Ann 2026") == expected.copyright, "\(expected.options)")
      }
      #expect(origin.requests.count == 1)
    }
  }

  @Test func `the configuration decides where the options do not`() async throws {
    let photo = try photo()
    try await RunningService.run {
      $0.keepsCopyright = false
    } body: { service, origin async throws in
      let source = origin.serve("/a.jpg", .body(photo))
      let body = try await service.image("w:40", of: source, as: "jpg").body
      #expect(body.range(of: Data("Ann 2026".utf8)) == nil)
      let asked = try await service.image("w:40/kcr:1", of: source, as: "jpg").body
      #expect(asked.range(of: Data("Ann 2026".utf8)) != nil)
    }
    try await RunningService.run {
      $0.stripsMetadata = false
    } body: { service, origin async throws in
      let source = origin.serve("/a.jpg", .body(photo))
      let body = try await service.image("w:40", of: source, as: "jpg").body
      #expect(body.range(of: Data("Secret Camera".utf8)) != nil)
    }
  }

  @Test(arguments: ["avif", "jxl", "gif"])
  func `formats without room for it have no metadata`(format: String) async throws {
    try await RunningService.run { service, origin async throws in
      let source = origin.serve("/a.jpg", .body(try photo()))
      let answer = try await service.image("w:40/sm:0", of: source, as: format)
      #expect(answer.status == 200 && answer.body.range(of: Data("Secret Camera".utf8)) == nil)
    }
  }
}
