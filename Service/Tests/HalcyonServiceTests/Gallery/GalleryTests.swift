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
      #expect(page.text.contains("data-watermark=\"\""), "there is none")
      #expect(!page.text.contains("http://") && !page.text.contains("<style") && !page.text.contains("onclick"))
    }
  }

  @Test func `the page and its script name what is below their own path`() async throws {
    let mark = try URL(string: "data:;base64," + Quadrants.png().base64EncodedString())
    try await RunningService.run {
      ($0.showsGallery, $0.pathPrefix, $0.watermark) = (true, "/img", mark)
    } body: { service, _ in
      let page = try await service.get("/img/").text
      let script = try await service.get("/img/gallery.js").text
      let names = page.matches(of: /(?:href|src)="([^":]+)"/) + script.matches(of: /fetch\("(.+?)"/)
      #expect(names.map { String($0.1) } == ["gallery.css", "gallery.js", "gallery.json"])
      for name in names {
        let url = try #require(URL(string: String(name.1), relativeTo: try service.url("/img/")))
        #expect(try await service.get(url.path).status == 200, "\(url)")
      }
      #expect(script.contains("`${location.pathname}_/"))
      #expect(page.contains("data-watermark=\"1\""), "there is one")
    }
  }

  private func withPhotos(in folder: URL, _ body: @Sendable ([[String: Any]]) throws -> Void) async throws {
    try await RunningService.run {
      $0.showsGallery = true
      $0.localRoot = folder
    } body: { service, _ in
      let answer = try await service.get("/gallery.json")
      try body(try #require(try JSONSerialization.jsonObject(with: answer.body) as? [[String: Any]]))
    }
  }

  @Test func `the page lists the images of the folder by their names, and no other files`() async throws {
    try await TemporaryDirectory.run { folder in
      let names = ["g", "b", "k", "my_cat", "f", "c", "j", "e", "d"].map { "\($0).png" }
      for name in names { try Quadrants.png().write(to: folder.appending(path: name)) }
      try Data("text".utf8).write(to: folder.appending(path: "notes.png"))
      try Quadrants.png().write(to: folder.appending(path: ".hidden.png"))
      try await withPhotos(in: folder) { photos in
        #expect(photos.compactMap { $0["source"] as? String } == names.sorted().map { "local:///" + $0 })
        let cat = try #require(photos.last)
        #expect(cat["name"] as? String == "my cat" && cat["width"] as? Int == 80)
        let placeholder = try #require(cat["placeholder"] as? String)
        let encoded = try #require(Data(base64Encoded: String(placeholder.trimmingPrefix("data:image/png;base64,"))))
        #expect(ImageFormat(sniffing: encoded) == .png)
      }
    }
  }
}
