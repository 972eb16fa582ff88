import Foundation
import Halcyon
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// What imgproxy.md says of statuses, redirects and odd paths.
@Suite(.integrationTest)
struct ImgproxyDifferenceTests {
  @Test(arguments: [
    (407, 502), (410, 410), (451, 451), (204, 502), (300, 502), (304, 502), (499, 502), (500, 502),
  ])
  func `a status of a source is passed on if it is the client's`(status: Int, sent: Int) async throws {
    try await RunningService.run { service, origin async throws in
      let source = origin.serve("/a.png", .status(status))
      #expect(try await service.image("w:40", of: source).status == sent)
    }
  }

  @Test func `a source that ends too early is not reached, and an option that changes limits is not read`() async throws
  {
    try await RunningService.run { service, origin async throws in
      let source = origin.serve("/a.png", .body(try Quadrants.png()).cut(at: .body(40)))
      #expect(try await service.image("w:40", of: source).status == 502)
      #expect(try await service.image("msr:1", of: source).status == 400)
    }
  }

  @Test func `a path that begins with an option is refused, since the option would have no effect`() async throws {
    try await RunningService.run {
      $0.presets = ["small": ["w:10"]]
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png())).absoluteString
      for path in ["/preset:small/plain/\(source)", "/w:40/plain/\(source)", "/rs%3Afit%3A40/plain/\(source)"] {
        let answer = try await service.get(path)
        #expect(answer.status == 403 && answer.text.contains("begins with an option"), "\(path)")
      }
      for path in ["/small/plain/\(source)", "/x:b/plain/\(source)", "/_/preset:small/plain/\(source)"] {
        #expect(try await service.get(path).status == 200, "\(path)")
      }
    }
  }

  @Test func `the properties of a source need no preset where only presets are accepted`() async throws {
    try await RunningService.run {
      ($0.presets, $0.acceptsPresetsOnly) = (["small": ["w:10"]], true)
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png())).absoluteString
      let encoded = Deployment.encoded(source)
      for path in ["plain/\(source)", "small/plain/\(source)", encoded, "small/\(encoded)"] {
        #expect(try await service.get("/info/_/\(path)").text.contains("\"width\":80"), "\(path)")
      }
      #expect(try await service.get("/_/plain/\(source)").status == 400)
    }
  }

  @Test func `a result is sent to a client that asks for another version only where that matches`() async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]))
      let tag = try #require(try await service.image("w:40", of: source).headers["ETag"])
      // From the cache, and from memory.
      for _ in 0..<2 {
        for (condition, status) in [(tag, 200), ("\"x\", \(tag)", 200), ("*", 200), ("\"x\"", 412), ("W/\(tag)", 412)] {
          let answer = try await service.image("w:40", of: source, as: "png", ["If-Match": condition])
          #expect(answer.status == status, "\(condition)")
        }
      }
    }
  }

  @Test func `a source redirects to what is allowed for sources, and for redirects`() async throws {
    try await ImageServer.run { other in
      let patterns = [other.url("/moved/"), other.url("/s3/")].map { SourcePattern($0.absoluteString) }.compactMap(
        \.self)
      for redirects in [[], patterns] {
        for (path, status) in [("/moved/a%2Fb.png", 200), ("/moved%2Fa.png", 200), ("/elsewhere/a.png", 403)] {
          try await ImageServer.run { origin in
            let target = other.serve(path, .body(try Quadrants.png()))
            let source = origin.serve("/a.png", .redirect(to: target.absoluteString))
            try await RunningService.run {
              $0.allowedSources = [SourcePattern(origin.url("").absoluteString)].compactMap(\.self)
              $0.allowedRedirects = redirects
            } body: { service, _ in
              let answer = try await service.image("w:40", of: source)
              #expect(answer.status == (redirects.isEmpty ? 403 : status), "\(path)")
              #expect(answer.status == 200 || answer.text.contains("redirect-sources"))
            }
          }
        }
      }
      #expect(Set(other.requests.map(\.path)) == ["/moved/a%2Fb.png", "/moved%2Fa.png"])
    }
  }

  @Test(arguments: ["/v0/b/app/o/photos%2Fcat.png", "/a%5Cb.png", "/a%2fb%2Fc.png?alt=media"])
  func `encoded slashes reach the origin as they were sent`(path: String) async throws {
    try await RunningService.run { service, origin in
      origin.serve(String(path.prefix { $0 != "?" }), .body(try Quadrants.png()))
      let source = "http://127.0.0.1:\(origin.port)\(path)"
      let plain = source.replacing("%", with: "%25").replacing("?", with: "%3F")
      for path in ["/_/w:40/\(Deployment.encoded(source))", "/_/w:30/plain/\(plain)"] {
        let answer = try await service.get(path)
        #expect(answer.status == 200)
        #expect(answer.headers["Content-Disposition"]?.contains("/") == false)
      }
      #expect(Set(origin.requests.map(\.path)) == [path])
    }
  }

  @Test func `the name of the program has its version, and options of the commercial edition are named as such`()
    async throws
  {
    try await RunningService.run {
      $0.userAgent = "imgproxy/%current_version"
    } body: { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png()))
      #expect(try await service.image("w:40", of: source).status == 200)
      #expect(origin.requests[0].headers["User-Agent"] == "imgproxy/\(HalcyonVersion.current)")
      let answer = try await service.image("watermark_text:a", of: source)
      #expect(answer.status == 400 && answer.text.contains("commercial edition"))
    }
  }

  @Test func `the check says what the log says at the start`() throws {
    func warnings(_ environment: [String: String]) throws -> [String] {
      let command = try ServiceCommand(
        arguments: ["--check", "--insecure", "--cache-size", "0"], environment: environment)
      guard case .check(_, let warnings) = command else { throw ConfigurationError.unsigned }
      return warnings
    }
    #expect(
      try warnings(["IMGPROXY_QUALITY": "70", "IMGPROXY_SENTRY_DSN": "", "IMGPROXY_SO_REUSEPORT": "false"]).isEmpty)
    #expect(
      try warnings(["IMGPROXY_QUALTY": "70", "IMGPROXY_SENTRY_DSN": "x"])
        == ["IMGPROXY_QUALTY has no effect", "IMGPROXY_SENTRY_DSN has no effect"])
    let side = try warnings(["IMGPROXY_MAX_RESULT_DIMENSION": "40000"])
    #expect(side.count == 1 && side[0].contains("taken as 32768"))
    #expect(try warnings(["HTTPS_PROXY": "http://proxy"]).count == 1)
  }
}
