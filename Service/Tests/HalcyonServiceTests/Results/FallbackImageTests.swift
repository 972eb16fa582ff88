import Foundation
import Halcyon
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// The image that is sent in place of a source that cannot be read.
@Suite(.integrationTest)
struct FallbackImageTests {
  @Test func `a source that cannot be read is replaced by the fallback image`() async throws {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "fallback.png")
      try Quadrants.png(width: 120, height: 90).write(to: file)
      try await RunningService.run {
        $0.fallback = file
        ($0.localRoot, $0.allowsSecurityOptions, $0.sendsCanonicalLink) = (folder, true, true)
      } body: { service, origin async throws in
        let sources = [
          origin.url("/missing"), origin.serve("/broken", .status(500)), try origin.refusingURL("/refused"),
          origin.serve("/text", .body(Data("text".utf8))),
          origin.serve("/cut.png", .body(try Quadrants.png().prefix(90))),
        ]
        for source in sources {
          let answer = try await service.image("rs:fill:40:40/msfs:99", of: source)
          #expect(answer.status == 200 && answer.headers["Fallback-Image"] == "1", "\(source.path) \(answer.text)")
          #expect(answer.headers["Cache-Control"] == "public, max-age=60" && answer.headers["ETag"] == nil)
          // It is not the image of that URL.
          #expect(answer.headers["Link"] == nil)
          #expect(try answer.bitmap().size == PixelSize(width: 40, height: 40) && answer.bitmap().corners == "rgbw")
        }
        #expect(try await service.get("/_/w:40/plain/local:///none.png").headers["Fallback-Image"] == "1")
        let good = try await service.image("w:40", of: origin.serve("/a.png", .body(try Quadrants.png())))
        #expect(good.status == 200 && good.headers["Fallback-Image"] == nil && good.headers["ETag"] != nil)
        #expect(good.headers["Link"] != nil)
      }
    }
  }

  @Test func `it may be in the configuration itself`() async throws {
    let data = try Quadrants.png().base64EncodedString()
    try await RunningService.run {
      $0.fallback = URL(string: "data:;base64,\(data)")
    } body: { service, origin in
      for status in ["halcyon; fwd=miss", "halcyon; hit"] {
        let answer = try await service.image("rs:fill:40:40", of: origin.url("/missing"))
        #expect(answer.status == 200 && answer.headers["Fallback-Image"] == "1")
        #expect(try answer.bitmap().corners == "rgbw" && answer.headers["Cache-Status"] == status)
        // The source is asked for each time, as long as there is none.
        let path = "/_/rs:fill:40:40/plain/\(origin.url("/missing").absoluteString)@png"
        #expect(service.service.cachedResponse(to: ServiceRequest(path: path)) == nil)
        await service.service.flush()
      }
    }
    await #expect(throws: ConfigurationError.self) {
      try await RunningService.run {
        $0.fallback = URL(string: "data:;base64,%%")
      } body: { _, _ in
      }
    }
  }

  @Test func `its status is configured, or that of the error`() async throws {
    for (configured, status) in [(404, 404), (0, 502)] {
      try await ImageServer.run { images in
        let fallback = images.serve("/fallback.png", .body(try Quadrants.png()))
        try await RunningService.run {
          $0.fallback = fallback
          $0.fallbackStatus = configured
          $0.fallbackTimeToLive = 5
        } body: { service, origin async throws in
          let source = origin.serve("/broken", .status(500))
          let answer = try await service.image("w:40", of: source, ["If-None-Match": "*", "Range": "bytes=0-1"])
          #expect(answer.status == status && answer.headers["Cache-Control"] == "public, max-age=5")
          #expect(try answer.bitmap().size.width == 40)
        }
      }
    }
  }

  @Test func `it stands in for the listed statuses only`() async throws {
    try await ImageServer.run { images in
      let fallback = images.serve("/fallback.png", .body(try Quadrants.png()))
      try await RunningService.run {
        $0.fallback = fallback
        $0.fallbackForStatuses = [404, 422]
      } body: { service, origin async throws in
        for (reply, status) in [(Reply.status(404), 200), (.status(500), 502), (.body(Data("text".utf8)), 200)] {
          let source = origin.serve("/\(status)-\(UUID())", reply)
          #expect(try await service.image("w:40", of: source).status == status)
        }
      }
    }
  }

  @Test func `it stands in for no refused request, and its own failure is the error of the source`() async throws {
    try await RunningService.run {
      $0.fallback = URL(filePath: "/etc/passwd")
    } body: { service, origin async throws in
      let answer = try await service.image("w:40", of: origin.url("/missing"))
      #expect(answer.status == 404 && answer.headers["Cache-Control"] == "no-store")
    }
    let file = URL.temporaryDirectory.appending(path: "halcyon-fallback-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: file) }
    try Quadrants.png().write(to: file)
    try await RunningService.run {
      $0.fallback = file
      $0.addressPolicy = .publicInternetOnly
    } body: { service, origin async throws in
      #expect(try await service.image("w:40", of: origin.url("/a.png")).status == 403)
      #expect(try await service.image("w:x", of: origin.url("/a.png")).status == 400)
      #expect(try await service.get("/_/w:40/plain/ftp://a/b").status == 400)
    }
  }
}
