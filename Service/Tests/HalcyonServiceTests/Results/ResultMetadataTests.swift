import Foundation
import Halcyon
import HalcyonImaging
import HalcyonCodecs
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
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
      let source = origin.serve("/a.jpg", .body(try photo(), headers: ["Cache-Control": "max-age=1000"]))
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

  /// The quadrants, with the values of Display P3.
  private func widePhoto() throws -> Data {
    let plain = try Quadrants.bitmap()
    let wide = try Bitmap(size: plain.size, isOpaque: true, colorSpace: .displayP3) { pixels in
      plain.withUnsafeBytes { pixels.copyMemory(from: $0) }
    }
    return try DecodedImage(bitmap: wide).encoded(as: .png)
  }

  @Test(arguments: ["jpg", "png", "webp"])
  func `a result keeps Display P3 where its options ask for it`(format: String) async throws {
    try await RunningService.run { service, origin async throws in
      let source = origin.serve("/a.png", .body(try widePhoto(), headers: ["Cache-Control": "max-age=1000"]))
      for (options, isWide) in [("w:40", false), ("w:40/scp:1", false), ("w:40/scp:0", true)] {
        let body = try await service.image(options, of: source, as: format).body
        let metadata = try ImageMetadata(of: body)
        #expect(metadata.colorProfileName == (isWide ? "Display P3" : nil), "\(options)")
        let image = try await DecodedImage(data: body, colorSpace: .source)
        #expect(image.bitmap.colorSpace == (isWide ? .displayP3 : .sRGB))
      }
      // A source in sRGB stays so, and colours of options are converted.
      let plain = origin.serve("/b.jpg", .body(try photo()))
      #expect(
        try ImageMetadata(of: try await service.image("w:40/scp:0", of: plain, as: format).body).colorProfile == nil)
      let padded = try await service.image("rs:fit:40:40/ex:1/bg:255:0:0/w:60/scp:0", of: source, as: "png").body
      let corner = try await DecodedImage(data: padded, colorSpace: .source).bitmap[0, 0]
      #expect(abs(Int(corner.red) - 234) <= 2 && abs(Int(corner.green) - 51) <= 2, "\(corner)")
      #expect(origin.requests.count == 2)
    }
  }

  @Test func `results keep Display P3 where that is configured, unless their options say otherwise`() async throws {
    try await RunningService.run {
      $0.stripsColorProfile = false
    } body: { service, origin async throws in
      let source = origin.serve("/a.png", .body(try widePhoto(), headers: ["Cache-Control": "max-age=1000"]))
      for (options, name) in [("w:40", "Display P3"), ("w:40/scp:1", nil), ("w:40/scp:0", "Display P3")] {
        #expect(try ImageMetadata(of: try await service.image(options, of: source).body).colorProfileName == name)
      }
    }
  }

  /// A JPEG file with a gain map: white whose right half is four times as bright.
  private func brightPhoto() throws -> Data {
    let size = PixelSize(width: 80, height: 60)
    let bitmap = try Bitmap(size: size, isOpaque: true, dynamicRange: .high) { bytes in
      for offset in stride(from: 0, to: bytes.count, by: 2) {
        let isOne = offset % 8 == 6 || offset / 8 % 80 < 40
        bytes.storeBytes(of: isOne ? 0x3C00 : 0x4400, toByteOffset: offset, as: UInt16.self)
      }
    }
    return try DecodedImage(bitmap: bitmap).encoded(as: .jpeg)
  }

  @Test(arguments: [false, true])
  func `results keep a gain map where their options or the configuration ask for it`(isDefault: Bool) async throws {
    try await RunningService.run {
      $0.preservesHDR = isDefault
    } body: { service, origin async throws in
      let source = origin.serve("/a.jpg", .body(try brightPhoto(), headers: ["Cache-Control": "max-age=1000"]))
      for (options, isKept) in [
        ("w:40", isDefault), ("w:40/ph:0", false), ("w:40/ph:1", true), ("rs:fill:30:30/rot:90/preserve_hdr:t", true),
        ("c:20:20:ea/ph:1", true), ("w:40/bl:2/ph:1", false),
      ] {
        let body = try await service.image(options, of: source, as: "jpg").body
        let range = try ImageMetadata(of: body).info.dynamicRange
        #expect((range != .standard) == isKept, "\(options): \(range)")
      }
      let webp = try await service.image("w:40/ph:1", of: source, as: "webp").body
      #expect(try ImageMetadata(of: webp).info.dynamicRange == .standard)
      #expect(origin.requests.count == 1)
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
