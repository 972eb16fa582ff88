import Foundation
import Halcyon
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Purges, also those that are sent on to the other nodes of a fleet.
@Suite(.integrationTest)
struct PurgeTests {
  private let authorization: HTTPHeaders = ["Authorization": "Bearer token"]

  private func purge(_ source: URL, at node: RunningService, _ headers: HTTPHeaders) async throws -> Int {
    let delete = try #require(HTTPMethod("DELETE"))
    return try await node.get("/cache/plain/\(source.absoluteString)", method: delete, headers).status
  }

  /// The path of a purge that a node sends on.
  private func path(_ source: URL) -> String {
    let text = Data(source.absoluteString.utf8).base64EncodedString()
    return "/cache/" + text.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  @Test func `all results of a source are removed by clients with the token`() async throws {
    let delete = try #require(HTTPMethod("DELETE"))
    try await RunningService.run {
      $0.purgeToken = "secret"
    } body: { service, origin async throws in
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

  @Test(arguments: [
    ("/img/cache/", 200), ("/cache/", 200), ("/img/", 405), ("/x/cache/", 405),
  ])
  func `a purge may have the prefix of paths`(path: String, status: Int) async throws {
    let delete = try #require(HTTPMethod("DELETE"))
    try await RunningService.run {
      ($0.purgeToken, $0.pathPrefix) = ("token", "/img")
    } body: { service, _ in
      let answer = try await service.get(path + "plain/http://a.example/x", method: delete, authorization)
      #expect(answer.status == status)
    }
  }

  @Test(arguments: [true, false])
  func `a purge removes what was made of a local file that has been replaced or deleted`(isReplaced: Bool) async throws
  {
    try await TemporaryDirectory.run { folder in
      let file = folder.appending(path: "a b.png")
      try Quadrants.png().write(to: file)
      try await RunningService.run {
        ($0.purgeToken, $0.localRoot) = ("token", folder)
      } body: { service, _ async throws in
        #expect(try await service.get("/_/w:22/plain/local:///a%20b.png@png").status == 200)
        await service.service.flush()
        try FileManager.default.removeItem(at: file)
        if isReplaced { try Quadrants.png(width: 60, height: 80).write(to: file) }
        let delete = try #require(HTTPMethod("DELETE"))
        // The original and its result.
        for count in [2, 0] {
          let answer = try await service.get("/cache/plain/local:///a%20b.png", method: delete, authorization)
          #expect(answer.text == "{\"removed\":\(count)}\n")
        }
      }
    }
  }

  @Test(arguments: ["w:40", "raw:1"])
  func `what a fetch in flight receives after a purge is not stored`(options: String) async throws {
    try await RunningService.run {
      $0.purgeToken = "token"
    } body: { service, origin async throws in
      let (gate, fresh): (Gate, HeaderFields) = (Gate(), ["Cache-Control": "max-age=1000"])
      let source = origin.serve(
        "/a.png", .body(try Quadrants.png(width: 80, height: 20), headers: fresh).held(by: gate),
        .body(try Quadrants.png(width: 80, height: 60), headers: fresh))
      async let early = service.image(options, of: source)
      try await gate.waitUntilHolding()
      #expect(try await purge(source, at: service, authorization) == 200)
      gate.open()
      #expect(try await early.status == 200)
      await service.service.flush()
      for _ in 0..<2 {
        let later = try await service.image("w:20", of: source).bitmap()
        #expect(later.size == PixelSize(width: 20, height: 15))
      }
      // What is fetched while the purge runs is not stored either.
      #expect([2, 3].contains(origin.requests.count))
    }
  }

  @Test(arguments: ["/a%20b/%C3%A4.png", "/a%20b/%C3%A4%FC.png"])
  func `a purge at one node removes what another has on its disk`(path: String) async throws {
    try await RunningService.run {
      $0.purgeToken = "token"
    } body: { other, origin async throws in
      let source = origin.serve(
        path, .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]))
      let address = try other.url("/")
      try await RunningService.run {
        ($0.purgeToken, $0.purgeNodes) = ("token", [address])
      } body: { node, _ async throws in
        for service in [other, node] {
          #expect(try await service.image("w:40", of: source).headers["Cache-Status"] == "halcyon; fwd=miss")
          await service.service.flush()
        }
        #expect(try await purge(source, at: node, authorization) == 200)
        for service in [other, node] {
          #expect(try await service.image("w:40", of: source).headers["Cache-Status"] == "halcyon; fwd=miss")
        }
        #expect(origin.requests.count == 4)
      }
    }
  }

  @Test func `a purge is sent on once, and only with the token`() async throws {
    try await ImageServer.run { peer in
      try await RunningService.run {
        ($0.purgeToken, $0.purgeNodes) = ("token", [peer.url("/")])
      } body: { node, origin async throws in
        let source = origin.url("/a.png")
        peer.serve(path(source), .body(Data("{\"removed\":1}\n".utf8)))
        #expect(try await purge(source, at: node, ["Authorization": "Bearer wrong"]) == 401)
        var forwarded = authorization
        forwarded["Halcyon-Forwarded"] = "1"
        #expect(try await purge(source, at: node, forwarded) == 200)
        #expect(peer.requests.isEmpty)
        #expect(try await purge(source, at: node, authorization) == 200)
        let request = try #require(peer.requests.first)
        #expect(peer.requests.count == 1 && request.method == "DELETE")
        #expect(request.headers["Authorization"] == "Bearer token" && request.headers["Halcyon-Forwarded"] == "1")
      }
    }
  }

  @Test func `a purge that a node refuses or does not get is incomplete, and reaches the others`() async throws {
    try await ImageServer.run { peer in
      let closed = try peer.refusingURL("/")
      try await RunningService.run {
        $0.purgeToken = "another"
      } body: { refusing, _ async throws in
        for failing in [closed, try refusing.url("/")] {
          try await RunningService.run {
            ($0.purgeToken, $0.purgeNodes) = ("token", [failing, peer.url("/")])
          } body: { node, origin async throws in
            let source = origin.serve(
              "/a.png", .body(try Quadrants.png(), headers: ["Cache-Control": "max-age=1000"]))
            peer.serve(path(source), .status(200))
            _ = try await node.image("w:40", of: source)
            #expect(try await purge(source, at: node, authorization) == 503)
            #expect(try await node.image("w:40", of: source).headers["Cache-Status"] == "halcyon; fwd=miss")
          }
        }
      }
      #expect(peer.requests.count == 2)
    }
  }

  @Test func `the URLs of nodes are checked`() throws {
    func nodes(_ text: String) throws -> [String] {
      try configuration(["--insecure", "--purge-nodes", text]).purgeNodes.map(\.absoluteString)
    }
    #expect(try nodes("http://10.0.0.11:8080, https://b/") == ["http://10.0.0.11:8080", "https://b/"])
    for text in ["10.0.0.11:8080", "ftp://a", "http://", "http://a/b", "http://user@a", "http://a?b"] {
      #expect(throws: ConfigurationError.self, "\(text)") { try nodes(text) }
    }
  }
}
