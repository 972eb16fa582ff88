import Foundation
import Halcyon
import HalcyonBackend
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import HalcyonTesting
import Testing

@testable import HalcyonService

/// When a client sees that a source was replaced under its name: the table of the README.
@Suite(.integrationTest)
struct SourceFreshnessTests {
  /// An origin by what it says of its images.
  struct Origin: Sendable, CustomTestStringConvertible {
    let name: String
    var headers: HeaderFields = [:]
    /// Whether it responds with 304 to its validators.
    var hasTags = false
    var kind = Kind.web
    /// Whether it says how long its images are fresh.
    var isFresh = false

    enum Kind { case web, redirect, storage, googleStorage, file }

    var testDescription: String { name }
  }

  static let origins = [
    Origin(name: "nothing"), Origin(name: "ETag", hasTags: true),
    Origin(name: "Last-Modified only", headers: ["Last-Modified": "Wed, 01 Jan 2020 00:00:00 GMT"]),
    Origin(name: "Cache-Control without a lifetime", headers: ["Cache-Control": "public"]),
    Origin(name: "max-age=0", headers: ["Cache-Control": "max-age=0"], hasTags: true),
    Origin(name: "no-cache", headers: ["Cache-Control": "no-cache"], hasTags: true),
    Origin(name: "no-store", headers: ["Cache-Control": "no-store"]),
    Origin(name: "permanent redirect", hasTags: true, kind: .redirect),
    Origin(name: "S3", hasTags: true, kind: .storage),
    Origin(name: "local file", kind: .file),
    Origin(name: "max-age", headers: ["Cache-Control": "max-age=1000"], hasTags: true, isFresh: true),
    Origin(name: "max-age without a validator", headers: ["Cache-Control": "max-age=1000"], isFresh: true),
    Origin(
      name: "s-maxage", headers: ["Cache-Control": "max-age=0, s-maxage=1000"], hasTags: true, isFresh: true),
    Origin(
      name: "immutable", headers: ["Cache-Control": "max-age=31536000, immutable"], hasTags: true, isFresh: true),
    Origin(name: "Expires", headers: ["Expires": "Fri, 01 Jan 2100 00:00:00 GMT"], isFresh: true),
    Origin(
      name: "S3 with Cache-Control", headers: ["Cache-Control": "max-age=1000"], hasTags: true, kind: .storage,
      isFresh: true),
    // What Google's storage says of objects that say nothing themselves, as those for some and those for all may be read.
    Origin(
      name: "Google's storage, private",
      headers: ["Cache-Control": "private, max-age=0", "Expires": "Wed, 01 Jan 2020 00:00:00 GMT"], hasTags: true,
      kind: .googleStorage),
    Origin(
      name: "Google's storage, public", headers: ["Cache-Control": "public, max-age=3600"], hasTags: true,
      kind: .googleStorage, isFresh: true),
  ]

  /// What a client does after its source was replaced.
  enum Request: CaseIterable {
    case sameURL, otherSize, info, otherCachebuster, infoWithCachebuster, rawWithCachebuster, noCache, revalidation

    /// Whether it asks for the current image of a source that is fresh, too.
    var asks: Bool { [.otherCachebuster, .infoWithCachebuster, .rawWithCachebuster, .noCache].contains(self) }
  }

  /// An image that can be replaced, on a server.
  private final class Picture: Sendable {
    let version = Monitor(1)

    var png: Data { get throws { try Quadrants.png(width: 80, height: version.read { 20 * $0 }) } }

    func reply(_ origin: Origin, to request: RecordedRequest) -> Reply {
      let tag = "\"v\(version.read { $0 })\""
      var headers = origin.headers
      if origin.hasTags { headers.add("ETag", tag) }
      if origin.hasTags, request.headers["If-None-Match"] == tag { return .status(304, headers: headers) }
      return .body((try? png) ?? Data(), headers: headers)
    }
  }

  /// Serves a picture as an origin does, and returns the source.
  private func serve(
    _ picture: Picture, _ origin: Origin, _ name: String, _ server: ImageServer, _ folder: URL
  ) throws -> String {
    switch origin.kind {
    case .file:
      try picture.png.write(to: folder.appending(path: "\(name).png"))
      return "local:///\(name).png"
    case .storage, .googleStorage:
      server.serve("/photos/\(name).png") { picture.reply(origin, to: $0) }
      return "\(origin.kind == .storage ? "s3" : "gs")://photos/\(name).png"
    case .redirect:
      // The redirect is replaced, not its target.
      for number in 1...2 {
        server.serve("/\(name)-\(number).png") { _ in .body((try? Quadrants.png(height: 20 * number)) ?? Data()) }
      }
      return server.serve("/\(name).png") { _ in
        .redirect(to: "/\(name)-\(picture.version.read { $0 }).png", status: 301)
      }.absoluteString
    case .web: return server.serve("/\(name).png") { picture.reply(origin, to: $0) }.absoluteString
    }
  }

  @Test(arguments: origins)
  func `a replaced source is seen, unless its origin has said that it does not change`(origin: Origin) async throws {
    try await TemporaryDirectory.run { folder in
      try await ImageServer.run { server in
        let endpoint = server.url("")
        let storage = S3Storage(
          region: "auto", endpoint: endpoint,
          credentials: S3Credentials(accessKeyID: "id", secretAccessKey: "key"))
        try await RunningService.run {
          ($0.localRoot, $0.storage, $0.allowsNoCache) = (folder, storage, true)
          $0.sourceRewriting.replacements = [SourceRewriting.Replacement("gs://=s3://")].compactMap(\.self)
        } body: { service, _ async throws in
          for request in Request.allCases {
            let picture = Picture()
            let source = try serve(picture, origin, "\(request)", server, folder)
            let first = try await service.get("/_/rs:fit:40:0/cb:1/plain/\(source)@png")
            #expect(try first.bitmap().size.height == 10)
            let info = try await service.get("/info/_/cb:1/plain/\(source)")
            #expect(info.text.contains("\"height\":20"))
            _ = try await service.get("/_/raw:1/cb:1/plain/\(source)")
            await service.service.flush()
            picture.version.update { $0 = 2 }
            if origin.kind == .file { try picture.png.write(to: folder.appending(path: "\(request).png")) }
            let isNew = !origin.isFresh || request.asks
            #expect(
              try await height(request, source, service, tag: first.headers["ETag"] ?? "") == (isNew ? 40 : 20),
              "\(request)")
            // What is made of the old image is gone, also under its old names.
            let later = try await service.get("/_/rs:fit:40:0/cb:1/plain/\(source)@png").bitmap().size.height
            #expect(later == (isNew ? 20 : 10), "\(request)")
          }
        }
      }
    }
  }

  /// The height of the source that a response is made of.
  private func height(
    _ request: Request, _ source: String, _ service: RunningService, tag: String
  ) async throws -> Int {
    func height(_ path: String, _ headers: HTTPHeaders = [:], width: Int = 40) async throws -> Int {
      let answer = try await service.get("/_/\(path)/plain/\(source)@png", headers)
      return answer.status == 304 ? 20 : try answer.bitmap().size.height * 80 / width
    }
    func heightOfInfo(_ path: String) async throws -> Int {
      try await service.get(path).text.contains("\"height\":40") ? 40 : 20
    }
    switch request {
    case .sameURL: return try await height("rs:fit:40:0/cb:1")
    case .otherSize: return try await height("rs:fit:20:0/cb:1", width: 20)
    case .info: return try await heightOfInfo("/info/_/cb:1/plain/\(source)")
    case .otherCachebuster: return try await height("rs:fit:40:0/cb:2")
    case .infoWithCachebuster: return try await heightOfInfo("/info/_/cb:2/plain/\(source)")
    case .rawWithCachebuster: return try await height("raw:1/cb:2", width: 80)
    case .noCache: return try await height("rs:fit:40:0/cb:1", ["Cache-Control": "no-cache"])
    case .revalidation: return try await height("rs:fit:40:0/cb:1", ["If-None-Match": tag])
    }
  }

  @Test func `a result of an unchanged source is confirmed by one conditional request for all, and not made again`()
    async throws
  {
    try await RunningService.run { service, origin in
      let (gate, picture, isHeld) = (Gate(), Picture(), Monitor(false))
      let source = origin.serve("/a.png") { request in
        let reply = picture.reply(Origin(name: "", hasTags: true), to: request)
        return isHeld.read { $0 } ? reply.held(by: gate) : reply
      }
      let paths = ["w:40", "w:40/fn:a", "w:30", "w:20"]
      for path in paths { #expect(try await service.image(path, of: source).status == 200) }
      await service.service.flush()
      let count = origin.requests.count
      let before = try await decodeCount(service)
      isHeld.update { $0 = true }
      try await withThrowingTaskGroup(of: String?.self) { group in
        for number in 0..<40 {
          group.addTask { try await service.image(paths[number % 4], of: source).headers["Cache-Status"] }
        }
        while try await service.get("/metrics").text.firstMatch(of: /halcyon_requests_active 40(.0)?\n/) == nil {
          try await Task.yieldUnlessCancelled()
        }
        // They have been looked up in memory by then.
        for _ in 0..<20 { _ = try await service.get("/metrics") }
        gate.open()
        for try await status in group { #expect(status?.hasPrefix("halcyon; hit") == true) }
      }
      #expect(origin.requests.count == count + 1)
      #expect(try await decodeCount(service) == before)
    }
  }

  private func decodeCount(_ service: RunningService) async throws -> String? {
    try await service.get("/metrics").text.firstMatch(of: /halcyon_decodes_total ([0-9]+)/).map { String($0.1) }
  }

  @Test func `a cachebuster that is known asks no more, and a client's no-cache only where that is allowed`()
    async throws
  {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]))
      for path in ["w:40", "w:40/cb:a", "w:40/cb:a", "w:30/cb:a", "raw:1/cb:a", "w:40/cb:b", "w:40"] {
        #expect(try await service.image(path, of: source, ["Cache-Control": "no-cache"]).status == 200)
        await service.service.flush()
      }
      #expect(origin.requests.count == 3)
    }
  }

  @Test func `nothing old is stored under a new cachebuster when the source cannot be asked`() async throws {
    try await RunningService.run { service, origin in
      let headers: HeaderFields = ["Cache-Control": "max-age=1000, stale-if-error=1000"]
      let source = origin.serve(
        "/a.png", .body(try Quadrants.png(height: 20), headers: headers), .status(503), .status(503), .status(503),
        .status(503), .status(503), .status(503), .status(503), .status(503))
      #expect(try await service.image("w:40/cb:1", of: source).status == 200)
      await service.service.flush()
      #expect(try await service.image("w:40/cb:2", of: source).status == 502)
      #expect(try await service.image("w:40/cb:1", of: source).status == 200)
      origin.serve("/a.png", .body(try Quadrants.png(height: 40), headers: headers))
      #expect(try await service.image("w:40/cb:2", of: source).bitmap().size.height == 20)
    }
  }

  @Test(
    arguments: [
      ("", nil, 0, "no-cache"), ("max-age=60", nil, 0, "public, max-age=(5[4-9]|60)"),
      ("max-age=0", nil, 5, "no-cache"),
      ("", nil, 50, "public, max-age=(4[4-9]|50)"), ("private, max-age=60", nil, 0, "private, max-age=(5[4-9]|60)"),
      ("private", nil, 0, "private, no-cache"), ("no-store", nil, 0, "no-store"),
      ("no-cache, max-age=60", nil, 0, "no-cache"),
      ("max-age=5, s-maxage=60", nil, 0, "public, max-age=5, s-maxage=(5[4-9]|60)"),
      ("max-age=9", 600, 0, "public, max-age=600"),
      ("", 600, 0, "public, max-age=600"), ("max-age=60", 0, 0, "no-cache"),
      ("max-age=99999999999", nil, 0, "public, max-age=31536000"),
    ] as [(String, Int?, Int, String)])
  func `a result may be cached as long as its source is known, unless a setting says how long`(
    control: String, timeToLive: Int?, sourceTimeToLive: Int, expected: String
  ) async throws {
    let clock = TestClock()
    try await RunningService.run(
      {
        ($0.timeToLive, $0.sourceTimeToLive) = (timeToLive, sourceTimeToLive)
      }, time: clock
    ) { service, origin in
      let headers: HeaderFields = control.isEmpty ? ["ETag": "\"a\""] : ["Cache-Control": control, "ETag": "\"a\""]
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: headers))
      // Made, and then from memory.
      for _ in 0..<2 {
        for path in ["/_/w:40/plain/\(source.absoluteString)", "/info/_/plain/\(source.absoluteString)"] {
          let sent = try await service.get(path).headers["Cache-Control"] ?? ""
          #expect(sent.wholeMatch(of: try Regex(expected)) != nil, "\(sent)")
        }
      }
    }
  }

  @Test func `a file on this machine is never promised to stay`() async throws {
    try await TemporaryDirectory.run { folder in
      try Quadrants.png().write(to: folder.appending(path: "a.png"))
      for (seconds, expected) in [(0, "no-cache"), (60, "public, max-age=60")] {
        try await RunningService.run {
          ($0.localRoot, $0.sourceTimeToLive, $0.passesCacheControl) = (folder, seconds, true)
        } body: { service, _ async throws in
          let answer = try await service.get("/_/w:40/plain/local:///a.png")
          #expect(answer.headers["Cache-Control"] == expected)
        }
      }
    }
  }
}
