import Foundation
import Halcyon
import HalcyonService
import TestSupport
import Testing

/// The web page, and the removal of cached results.
@Suite(.timeLimit(.minutes(10)))
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
      }
    }
  }

  @Test func `all results of a source are removed by clients with the token`() async throws {
    let delete = try #require(HTTPMethod("DELETE"))
    try await RunningService.run {
      $0.purgeToken = "secret"
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]))
      for width in [40, 50] { _ = try await service.image("w:\(width)/h:40", of: source) }
      #expect(origin.requests.count == 1)
      let path = "/cache/plain/\(source.absoluteString)"
      for headers: HTTPHeaders in [[:], ["Authorization": "Bearer wrong"], ["Authorization": "secret"]] {
        let answer = try await service.get(path, method: delete, headers)
        #expect(answer.status == 401 && answer.headers["WWW-Authenticate"] == "Bearer")
      }
      let answer = try await service.get(path, method: delete, ["Authorization": "Bearer secret"])
      #expect(answer.status == 200 && answer.text == "{\"removed\":3}\n")
      _ = try await service.image("w:40/h:40", of: source)
      #expect(origin.requests.count == 2)
    }
    try await RunningService.run { service, origin async throws in
      let answer = try await service.get("/cache/plain/x", method: delete, ["Authorization": "Bearer "])
      #expect(answer.status == 401)
    }
  }
}
