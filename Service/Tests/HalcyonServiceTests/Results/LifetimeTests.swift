import Foundation
import HTTPTypes
import Halcyon
import HalcyonProcessing
import HalcyonTesting
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// How long clients may keep results.
@Suite(.integrationTest)
struct LifetimeTests {
  @Test(
    arguments: [
      (nil, nil, "max-age=100"), ("public, max-age=600", nil, "public, max-age=100"),
      ("max-age=60, immutable", nil, "max-age=60"),
      ("s-maxage=1000, max-age=10, stale-if-error=9, stale-while-revalidate=9", nil, "s-maxage=100, max-age=10"),
      ("no-store", nil, "no-store"), ("no-cache", nil, "no-cache, max-age=100"),
      ("private", "Thu, 01 Jan 1970 00:17:10 GMT", "private, max-age=30"),
      (nil, "Thu, 01 Jan 1970 01:00:00 GMT", "max-age=100"), (nil, "0", "max-age=0"),
    ] as [(String?, String?, String)])
  func `no directive outlives the expiration of a URL`(control: String?, expires: String?, limited: String) {
    var headers = HTTPFields()
    (headers[.cacheControl], headers[.expires]) = (control, expires)
    headers.limitLifetime(to: 1100, at: Date(timeIntervalSince1970: 1000))
    #expect(headers[.cacheControl] == limited && headers[.expires] == nil)
  }

  @Test func `the age of a source is no part of the time that is left to its URL`() {
    var headers: HTTPFields = [.cacheControl: "max-age=999", .age: "40"]
    headers.limitLifetime(to: 1100, at: Date(timeIntervalSince1970: 1000))
    #expect(headers[.cacheControl] == "max-age=140")
    headers = [.cacheControl: "s-maxage=999", .age: "40"]
    headers.limitLifetime(to: 1100, at: Date(timeIntervalSince1970: 1000))
    #expect(headers[.cacheControl] == "s-maxage=140, max-age=140")
  }

  /// The field of the source, its freshness, and the age of the result, made and from memory.
  @Test(
    arguments: [
      ("max-age=12", 12, "0", "5"), ("max-age=12", 4, "8", "13"), ("max-age=100", 0, "100", "105"),
      ("max-age=5, s-maxage=100", 10, "90", "95"), ("no-cache, max-age=100", 0, nil, nil),
      ("no-store, max-age=100", 0, nil, nil), ("public", 10, nil, nil), ("max-age=12", 60, "0", "5"),
    ] as [(String, Int, String?, String?)])
  func `a lifetime that is passed on has the age of its source`(
    control: String, freshness: Int, age: String?, later: String?
  ) {
    var configuration = ServiceConfiguration()
    var result = ImageResult(data: Data(), format: .png, isHit: false)
    result.head = ResponseHead(url: URL(filePath: "/a"), status: 200, headers: ["Cache-Control": control])
    result.freshness = .seconds(freshness)
    for passes in [true, false] {
      configuration.passesCacheControl = passes
      let made = ResultResponse(
        result, ProcessingOptions(), source: "http://a/b", configuration, sharing: SharedBodies(byteLimit: 0),
        now: Date())
      for (response, age) in [(made, age), (made.hit(loggedPath: ""), later)] {
        let headers = response.response(to: ServiceRequest(path: "")).headers
        #expect(headers[.age] == (passes ? age : nil))
        if passes { #expect(headers[.cacheControl] == control) }
      }
    }
  }

  @Test func `the age with which a source was received counts`() async throws {
    try await RunningService.run {
      $0.passesCacheControl = true
    } body: { service, origin in
      let source = origin.serve(
        "/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=100", "Age": "90"]))
      for path in ["/_/w:40", "/info/_"] {
        let headers = try await service.get("\(path)/plain/\(source.absoluteString)").headers
        #expect(headers["Age"].flatMap { Int($0) } ?? 0 >= 90)
      }
    }
  }

  /// The field of the source, its freshness, the seconds that a result took, and the field of the result.
  @Test(
    arguments: [
      (nil, 100, 0, "public, max-age=100"), (nil, 100, 30, "public, max-age=70"), (nil, 100, 100, "no-cache"),
      (nil, 100, 101, "no-cache"), (nil, nil, 0, "no-cache"), ("no-store, max-age=9", 9, 0, "no-store"),
      ("private", 100, 0, "private, max-age=100"), ("private", 0, 0, "private, no-cache"),
      ("no-cache", 100, 0, "no-cache"), ("private, no-cache", 100, 0, "private, no-cache"),
      ("max-age=10", 100, 0, "public, max-age=100"), ("s-maxage=100", 100, 0, "public, max-age=100"),
      ("max-age=10, s-maxage=100", 100, 0, "public, max-age=10, s-maxage=100"),
      ("max-age=10, s-maxage=100", 100, 95, "public, max-age=5, s-maxage=5"),
      (nil, 40_000_000, 0, "public, max-age=31536000"),
    ] as [(String?, Int?, Int, String)])
  func `a result is as fresh as its source, and at most a year`(
    control: String?, freshness: Int?, seconds: Int, expected: String
  ) throws {
    var headers = HTTPHeaders()
    headers["Cache-Control"] = control
    let head = ResponseHead(url: URL(filePath: "/a"), status: 200, headers: headers)
    let lifetime = KnownLifetime(
      head, freshness.map { .seconds($0) }, isLocal: false, ServiceConfiguration())
    #expect(lifetime.cacheControl(after: .seconds(seconds)) == expected)
    var configuration = ServiceConfiguration()
    configuration.sourceTimeToLive = 60
    let local = KnownLifetime(head, freshness.map { .seconds($0) }, isLocal: true, configuration)
    #expect(local.cacheControl(after: .seconds(20)) == "public, max-age=40")
  }

  @Test(arguments: [true, false])
  func `a result is fresh until its URL expires`(passesCacheControl: Bool) async throws {
    let clock = TestClock()
    try await RunningService.run({ $0.passesCacheControl = passesCacheControl }, time: clock) { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=9999"]))
      let options = "exp:\(Int(clock.now().timeIntervalSince1970) + 50)"
      for (seconds, pause) in [(0, 20), (20, 26), (46, 4)] {
        func lifetime(_ headers: HTTPHeaders) -> String {
          "max-age=\(50 - seconds + (headers["Age"].flatMap { Int($0) } ?? 0))"
        }
        let headers = try await service.image(options, of: source).headers
        #expect(headers["Cache-Control"]?.hasSuffix(lifetime(headers)) == true, "\(headers)")
        let info = try await service.get("/info/_/\(options)/plain/\(source.absoluteString)")
        #expect(info.headers["Cache-Control"] == (passesCacheControl ? "" : "public, ") + lifetime(info.headers))
        clock.advance(by: .seconds(pause))
      }
      // Also where it would still be sent from memory.
      #expect(try await service.image(options, of: source).status == 404)
      #expect(try await service.get("/info/_/\(options)/plain/\(source.absoluteString)").status == 404)
    }
  }
}
