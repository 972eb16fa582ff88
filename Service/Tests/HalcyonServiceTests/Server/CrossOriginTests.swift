import Foundation
import Halcyon
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Requests of pages of other sites (CORS).
@Suite(.integrationTest)
struct CrossOriginTests {
  private let options = HTTPMethod("OPTIONS") ?? .get

  @Test func `every response may be read where an origin is allowed`() async throws {
    try await RunningService.run {
      $0.allowedOrigins = ["https://example.com"]
      $0.showsGallery = true
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      let image = try await service.image("w:40", of: source)
      let tag = try #require(image.headers["ETag"])
      let answers = [
        image, try await service.image("w:40", of: source), try await service.image("w:x", of: source),
        try await service.image("w:40", of: source, as: "png", ["If-None-Match": tag]),
        try await service.get("/nothing"),
      ]
      #expect(answers.map(\.status) == [200, 200, 400, 304, 400])
      for answer in answers {
        #expect(answer.headers["Access-Control-Allow-Origin"] == "https://example.com")
        #expect(answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin")
        let exposed = answer.headers["Access-Control-Expose-Headers"] ?? ""
        for name in ["Cache-Status", "ETag", "Fallback-Image", "X-Request-ID"] { #expect(exposed.contains(name)) }
      }
      let asked = try await service.get("/_/w:40/plain/x", method: options)
      #expect(asked.status == 204 && asked.body.isEmpty && asked.headers["Content-Length"] == nil)
      #expect(asked.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS")
      #expect(asked.headers["Access-Control-Allow-Headers"]?.contains("Range") == true)
    }
  }

  @Test func `of several origins the one that asks may read`() async throws {
    try await RunningService.run {
      $0.allowedOrigins = ["https://a.example", "https://b.example"]
    } body: { service, origin in
      let headers: HeaderFields = ["Cache-Control": "max-age=600"]
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: headers))
      for asking in ["https://b.example", "https://a.example", "https://evil.example", nil] {
        let fields: HTTPHeaders = asking.map { ["Origin": $0] as HTTPHeaders } ?? [:]
        let image = try await service.image("w:40", of: source, as: "png", fields)
        let isAllowed = asking.map { !$0.contains("evil") } ?? false
        #expect(image.headers["Access-Control-Allow-Origin"] == (isAllowed ? asking : nil))
        #expect(image.headers["Vary"] == "Origin")
      }
    }
    try await RunningService.run {
      $0.allowedOrigins = ["https://a.example", "*"]
    } body: { service, _ async throws in
      for (asking, allowed) in [("https://a.example", "https://a.example"), ("https://b.example", "*")] {
        let answer = try await service.get("/health", ["Origin": asking])
        #expect(answer.headers["Access-Control-Allow-Origin"] == allowed)
      }
    }
  }

  @Test func `no response may be read otherwise`() async throws {
    try await RunningService.run { service, origin in
      let image = try await service.image("w:40", of: origin.serve("/a.png", .body(try Quadrants.png())))
      let asked = try await service.get("/_/w:40/plain/x", method: options)
      #expect(asked.status == 204 && asked.headers["Allow"] == "GET, HEAD, OPTIONS")
      for answer in [image, asked] { #expect(answer.headers["Access-Control-Allow-Origin"] == nil) }
    }
  }
}
