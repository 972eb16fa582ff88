import Foundation
import Halcyon
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The requests to sources: how often, how many at once, and with which header fields.
@Suite(.integrationTest)
struct SourceFetchTests {
  @Test(arguments: ["w:40/h:40", "rs:fill:30:30", "c:0.5:0.5:no", "z:0.5", "raw:1", "skp:png", ""])
  func `a source that must not be stored is fetched once for each request`(options: String) async throws {
    try await RunningService.run {
      $0.passesCacheControl = true
    } body: { service, origin async throws in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "no-store"]))
      for count in 1...2 {
        let answer = try await service.image(options, of: source, as: nil)
        #expect(answer.status == 200 && answer.headers["Cache-Control"] == "no-store")
        #expect(origin.requests.count == count)
      }
      #expect(try await service.get("/info/_/plain/\(source.absoluteString)").status == 200)
      #expect(origin.requests.count == 3)
    }
  }

  @Test func `paths that differ in spelling or in their response share one result`() async throws {
    try await RunningService.run { service, origin async throws in
      let source = origin.serve("/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]))
      let first = try await service.image("resize:fill:30:30/fn:a", of: source)
      await service.service.flush()
      let second = try await service.image("rs:fill:30:30/att:1", of: source)
      #expect(first.headers["Cache-Status"] == "halcyon; fwd=miss" && second.headers["Cache-Status"] == "halcyon; hit")
      #expect(first.body == second.body)
      let other = try await service.image("rs:fill:30:31", of: source)
      #expect(other.headers["Cache-Status"] == "halcyon; fwd=miss")
    }
  }

  @Test func `spaces and letters outside ASCII in the path of a source are encoded once`() async throws {
    try await RunningService.run { service, origin in
      origin.serve("/a%20b%2Bc/%C3%A4.png", .body(try Quadrants.png()))
      let base = "http://127.0.0.1:\(origin.port)/"
      for path in ["a%20b%252Bc/%C3%A4.png", "a%2520b%252Bc/%25C3%25A4.png", "a%20b%252Bc/%25C3%25A4.png"] {
        #expect(try await service.get("/_/w:40/plain/\(base)\(path)@png").status == 200, "\(path)")
      }
      #expect(Set(origin.requests.map(\.path)) == ["/a%20b%2Bc/%C3%A4.png"])
    }
  }

  @Test func `bytes that are not UTF-8 in the path of a source stay what they are`() async throws {
    try await RunningService.run { service, origin in
      origin.serve("/%FC.png", .body(try Quadrants.png()))
      origin.serve("/moved.png", .redirect(to: "/%FC.png"))
      let base = origin.url("/").absoluteString
      let texts = [Data("\(base)%FC.png".utf8), Data(base.utf8) + [0xFC] + Data(".png".utf8)]
      let encoded = texts.map { $0.base64EncodedString().replacing("/", with: "_").replacing("+", with: "-") }
      for path in ["plain/\(base)%25FC.png", "plain/\(base)%FC.png", "plain/\(base)moved.png"] + encoded {
        #expect(try await service.get("/_/w:40/\(path)").status == 200, "\(path)")
      }
      #expect(Set(origin.requests.map(\.path)) == ["/%FC.png", "/moved.png"])
    }
  }

  @Test func `the settings that change a result are part of its key`() async throws {
    try await TemporaryDirectory.run { folder in
      try await ImageServer.run { origin in
        let reply = Reply.body(try Photos.data("rocket.jpg"), headers: ["Cache-Control": "max-age=1000"])
        let source = origin.serve("/a.jpg", reply)
        var sizes: [Int] = []
        for quality in [20, 90, 20] {
          try await RunningService.run {
            $0.cacheDirectory = folder
            $0.quality = quality
          } body: { service, _ async throws in
            sizes.append(try await service.image("rs:fill:300:200", of: source, as: "jpg").body.count)
          }
        }
        #expect(sizes[0] < sizes[1] && sizes[0] == sizes[2])
        #expect(origin.requests.count == 1)
      }
    }
  }

  @Test func `tracing fields and the identifier of the request are passed on to its source`() async throws {
    try await RunningService.run { service, origin async throws in
      let (first, second) = (
        origin.serve("/a.png", .body(try Quadrants.png())), origin.serve("/b.png", .body(try Quadrants.png()))
      )
      let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      let answer = try await service.image(
        "w:40", of: first, ["traceparent": parent, "tracestate": "a=1,b=2", "X-Request-ID": "my-id", "Cookie": "c=1"])
      #expect(answer.headers["X-Request-ID"] == "my-id")
      let sent = try #require(origin.requests.first).headers
      #expect(sent["traceparent"] == parent && sent["tracestate"] == "a=1,b=2" && sent["X-Request-ID"] == "my-id")
      #expect(sent["Cookie"] == nil)
      let other = try await service.image("w:40", of: second, ["traceparent": "00-xyz", "tracestate": "a=1"])
      let last = try #require(origin.requests.last).headers
      #expect(last["traceparent"] == nil && last["tracestate"] == nil)
      #expect(last["X-Request-ID"] == other.headers["X-Request-ID"] && other.headers["X-Request-ID"] != nil)
    }
  }

  @Test func `no more requests than the limit are sent to one host at the same time`() async throws {
    try await RunningService.run {
      $0.sourceConnectionsPerHost = 2
    } body: { service, origin async throws in
      let gate = Gate()
      for index in 0..<6 { origin.serve("/\(index).png", .body(try Quadrants.png()).held(by: gate)) }
      let elsewhere = origin.serve("/other.png", .body(try Quadrants.png()))
      let other = try #require(
        URL(string: elsewhere.absoluteString.replacingOccurrences(of: "127.0.0.1", with: "a.localhost")))
      try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<6 { group.addTask { try await service.image("w:40", of: origin.url("/\(index).png")).status } }
        try await origin.waitForRequests(count: 2)
        // Another host is not held up.
        #expect(try await service.image("w:40", of: other).status == 200)
        #expect(origin.requests.count == 3)
        gate.open()
        for try await status in group { #expect(status == 200) }
      }
      #expect(origin.requests.count == 7)
    }
  }

  @Test(arguments: [400, 401, 403, 404, 418, 429, 451])
  func `a status that is the client's is passed on, after one request`(status: Int) async throws {
    try await RunningService.run { service, origin in
      let source = origin.serve("/a.png", .status(status, headers: status == 429 ? ["Retry-After": "7"] : [:]))
      let answer = try await service.image("w:40", of: source)
      #expect(answer.status == status && answer.headers["Cache-Control"] == "no-store")
      #expect(answer.headers["Retry-After"] == (status == 429 ? "7" : nil))
      #expect(origin.requests.count == 1)
    }
  }

  @Test func `a percent sign that begins no encoded byte is one`() async throws {
    try await RunningService.run { service, origin async throws in
      _ = origin.serve("/100%25%20a%25z.png", .body(try Quadrants.png()))
      let encoded = Data("\(origin.url("").absoluteString)/100%25%20a%z.png?b=50%".utf8).base64EncodedString()
      #expect(try await service.get("/_/w:40/\(encoded.replacingOccurrences(of: "/", with: "_")).png").status == 200)
      #expect(origin.requests.map(\.path) == ["/100%25%20a%25z.png?b=50%25"])
    }
  }
}
