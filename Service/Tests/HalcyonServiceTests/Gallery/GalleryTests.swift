import Foundation
import HTTPTypes
import Halcyon
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The web page of the service.
@Suite(.integrationTest)
struct GalleryTests {
  @Test func `the page is shown only where it is enabled, and loads nothing from elsewhere`() async throws {
    try await RunningService.run { service, _ async throws in
      #expect(try await service.get("/").status == 404)
    }
    try await RunningService.run {
      $0.showsGallery = true
    } body: { service, _ in
      let page = try await service.get("/")
      #expect(page.status == 200 && page.headers["Content-Type"] == "text/html; charset=utf-8")
      #expect(page.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
      for path in ["/gallery.css", "/gallery.js", "/gallery.json"] {
        #expect(try await service.get(path).status == 200, "\(path)")
        #expect(try await !service.get(path).text.contains("http://"))
      }
      #expect(!page.text.contains("http://") && !page.text.contains("<style") && !page.text.contains("onclick"))
    }
  }

  @Test func `the page lists the images of the folder, and no other files`() async throws {
    try await TemporaryDirectory.run { folder in
      try Quadrants.png().write(to: folder.appending(path: "my_cat.png"))
      try Data("text".utf8).write(to: folder.appending(path: "notes.png"))
      try Quadrants.png().write(to: folder.appending(path: ".hidden.png"))
      try await RunningService.run {
        $0.showsGallery = true
        $0.localRoot = folder
      } body: { service, _ in
        let answer = try await service.get("/gallery.json")
        let photos = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [[String: Any]])
        #expect(photos.count == 1)
        #expect(photos.first?["source"] as? String == "local:///my_cat.png")
        #expect(photos.first?["name"] as? String == "my cat" && photos.first?["width"] as? Int == 80)
        let placeholder = try #require(photos.first?["placeholder"] as? String)
        let encoded = try #require(Data(base64Encoded: String(placeholder.trimmingPrefix("data:image/png;base64,"))))
        #expect(ImageFormat(sniffing: encoded) == .png)
      }
    }
  }

  @Test func `two uploads are received at once, and the others wait before their bytes are`() async throws {
    try await TemporaryDirectory.run { folder in
      var configuration = ServiceConfiguration()
      (configuration.isInsecure, configuration.showsGallery, configuration.cacheDirectory) = (true, true, folder)
      let service = try await ImageService(configuration, logger: .silent)
      let (gate, counts, image) = (Gate(), Monitor((now: 0, most: 0)), try Quadrants.png())
      let request = ServiceRequest(
        method: .post, path: "/gallery/uploads", headers: [.contentType: "application/octet-stream"]
      ) { _ in
        counts.update { ($0.now, $0.most) = ($0.now + 1, max($0.most, $0.now + 1)) }
        try await gate.wait()
        counts.update { $0.now -= 1 }
        return image
      }
      await withTaskGroup(of: Int.self) { group in
        for _ in 0..<8 { group.addTask { await service.response(to: request).status } }
        try? await gate.waitUntilHolding(2)
        gate.open()
        for await status in group { #expect(status == 200) }
      }
      #expect(counts.read { $0.most } == 2)
      await service.close()
    }
  }

  @Test func `a picture of the user is uploaded and processed, within the limits`() async throws {
    let type: HTTPHeaders = ["Content-Type": "application/octet-stream"]
    try await RunningService.run {
      $0.showsGallery = true
      $0.limits = ImageLimits(pixelCount: 10_000)
      $0.limits.encodedByteCount = 20_000
    } body: { service, _ async throws in
      func upload(_ body: Data, _ headers: HTTPHeaders) async throws -> RunningService.Answer {
        try await service.get("/gallery/uploads", method: .post, headers, body: body)
      }
      let answer = try await upload(try Quadrants.png(), type)
      #expect(answer.status == 200)
      let photo = try #require(try JSONSerialization.jsonObject(with: answer.body) as? [String: Any])
      let source = try #require(photo["source"] as? String)
      #expect(photo["width"] as? Int == 80 && (photo["placeholder"] as? String)?.hasPrefix("data:") == true)
      let result = try await service.get("/_/rs:fill:30:30/plain/\(source)@png")
      #expect(try result.bitmap().corners == "rgbw" && result.bitmap().size == PixelSize(width: 30, height: 30))
      #expect(try await service.get("/_/w:40/plain/upload:///0123456789abcdef0123456789abcdef").status == 404)
      #expect(try await service.get("/_/w:40/plain/upload:///../a").status == 400)
      #expect(try await service.get("/_/w:40/plain/http://upload.invalid/\(source.suffix(32))").status == 403)
      #expect(try await upload(Data(count: 20_001), type).status == 413)
      #expect(try await upload(Data("no image".utf8), type).status == 422)
      #expect(try await [413, 422].contains(upload(try Quadrants.png(width: 101, height: 100), type).status))
      #expect(try await upload(try Quadrants.png(), ["Content-Type": "text/plain"]).status == 415)
      #expect(try await service.get("/gallery.json", method: .post, type, body: Data([1])).status == 405)
    }
    try await RunningService.run { service, _ async throws in
      let answer = try await service.get("/gallery/uploads", method: .post, type, body: try Quadrants.png())
      #expect(answer.status == 405)
    }
  }
}
