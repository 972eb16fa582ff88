import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ProxyTests {
  private let body = Data("0123456789".utf8)

  /// Runs `test` with a proxy in front of an origin server.
  private func withProxy(
    _ options: String..., test: (ProxyProcess, ImageServer) async throws -> Void
  ) async throws {
    try await ImageServer.run { server in
      try await ProxyProcess.run(to: server.url(""), options) { try await test($0, server) }
    }
  }

  @Test func `a fresh response is served with its age, without contacting the origin`() async throws {
    try await withProxy { proxy, server in
      server.serve("/a", .body(body, headers: ["Cache-Control": "max-age=60", "Age": "30", "Content-Type": "x/y"]))
      let first = try await proxy.send("/a?b=1")
      #expect(first.cacheStatus == "halcyon; fwd=miss; stored")
      let second = try await proxy.send("/a?b=1")
      #expect(second.cacheStatus == "halcyon; hit")
      #expect(second.body == "0123456789")
      #expect(second["Content-Type"] == "x/y")
      let age = try #require(second["Age"].flatMap { Int($0) })
      #expect(age >= 30)
      #expect(server.requests.map(\.path) == ["/a?b=1"])
      #expect(server.requests.first?.headers["Via"] == "1.1 halcyon")
    }
  }

  @Test func `a stale response is revalidated, not downloaded again`() async throws {
    try await withProxy { proxy, server in
      server.serve("/a") { request in
        request.headers["If-None-Match"] == "\"1\""
          ? .status(304, headers: ["ETag": "\"1\""])
          : .body(body, headers: ["ETag": "\"1\"", "Cache-Control": "no-cache"])
      }
      _ = try await proxy.send("/a")
      let second = try await proxy.send("/a")
      #expect(second.status == 200)
      #expect(second.body == "0123456789")
      #expect(second.cacheStatus == "halcyon; fwd=stale; fwd-status=304")
      #expect(server.statuses == [200, 304])
    }
  }

  @Test func `a stale response is served while it is revalidated`() async throws {
    try await withProxy { proxy, server in
      let headers: HeaderFields = ["Cache-Control": "max-age=0, stale-while-revalidate=60"]
      server.serve("/a", .body(Data("old".utf8), headers: headers), .body(Data("new".utf8), headers: headers))
      _ = try await proxy.send("/a")
      #expect(try await proxy.send("/a").body == "old")
      try await server.waitForRequests(count: 2)
    }
  }

  @Test func `conditional and range requests are served from the cache with 304, 206 and 416`() async throws {
    try await withProxy { proxy, server in
      server.serve("/a", .body(body, headers: ["Cache-Control": "max-age=60", "ETag": "\"1\""]))
      let known = try await proxy.send("/a", headers: ["If-None-Match": "\"1\""])
      #expect(known.status == 304)
      #expect(known["ETag"] == "\"1\"")
      let part = try await proxy.send("/a", headers: ["Range": "bytes=2-4"])
      #expect(part.status == 206)
      #expect(part.body == "234")
      #expect(part["Content-Range"] == "bytes 2-4/10")
      #expect(try await proxy.send("/a", headers: ["Range": "bytes=-2"]).body == "89")
      #expect(try await proxy.send("/a", headers: ["Range": "bytes=8-"]).body == "89")
      #expect(try await proxy.send("/a", headers: ["Range": "bytes=10-"]).status == 416)
      let other = try await proxy.send("/a", headers: ["Range": "bytes=2-4", "If-Range": "\"2\""])
      #expect(other.status == 200)
      #expect(other.body == "0123456789")
      #expect(server.requests.count == 1)
    }
  }

  @Test func `other methods are forwarded with their bodies, and invalidate the stored response`() async throws {
    try await withProxy { proxy, server in
      server.serve("/a") { request in
        .status(request.method == "POST" ? 201 : 200, headers: ["Cache-Control": "max-age=60"], body: request.body)
      }
      _ = try await proxy.send("/a")
      let sent = try await proxy.send("/a", method: "POST", headers: ["X-Field": "1"], body: "hello")
      #expect(sent.status == 201)
      #expect(sent.body == "hello")
      #expect(sent.cacheStatus == "halcyon; fwd=method")
      #expect(try await proxy.send("/a").cacheStatus == "halcyon; fwd=miss; stored")
      #expect(server.requests.map(\.method) == ["GET", "POST", "GET"])
      #expect(server.requests[1].headers["X-Field"] == "1")
    }
  }

  @Test func `a HEAD request is served from the cache, or by the origin`() async throws {
    try await withProxy { proxy, server in
      server.serve("/a", .body(body, headers: ["Cache-Control": "max-age=60"]))
      server.serve("/b", .body(body).chunked(5))
      _ = try await proxy.send("/a")
      let stored = try await proxy.send("/a", method: "HEAD")
      #expect(stored.cacheStatus == "halcyon; hit")
      #expect(stored["Content-Length"] == "10")
      for _ in 1...2 {
        let passed = try await proxy.send("/b", method: "HEAD")
        #expect(passed.cacheStatus == "halcyon; fwd=miss")
      }
      #expect(server.requests.map(\.method) == ["GET", "HEAD", "HEAD"])
    }
  }

  @Test func `a private response is stored by a private cache, not by a shared one`() async throws {
    try await withProxy("--shared") { proxy, server in
      server.serve("/a", .body(body, headers: ["Cache-Control": "max-age=60, private"]))
      for _ in 1...2 {
        let passed = try await proxy.send("/a")
        #expect(passed.cacheStatus == "halcyon; fwd=miss")
      }
    }
    try await withProxy { proxy, server in
      server.serve("/a", .body(body, headers: ["Cache-Control": "max-age=60, private"]))
      _ = try await proxy.send("/a")
      #expect(try await proxy.send("/a").cacheStatus == "halcyon; hit")
    }
  }

  @Test func `a truncated response is an error for the client, and not stored`() async throws {
    try await withProxy { proxy, server in
      let reply = Reply.body(body, headers: ["Cache-Control": "max-age=60"])
      server.serve("/a", reply.cut(at: .body(5)), reply)
      await #expect(throws: (any Error).self) { try await proxy.send("/a") }
      let second = try await proxy.send("/a")
      #expect(second.body == "0123456789")
      #expect(second.cacheStatus == "halcyon; fwd=miss; stored")
    }
  }

  @Test func `an unreachable origin gives a 502 response`() async throws {
    try await ImageServer.run { server in
      try await ProxyProcess.run(to: server.refusingURL("")) { proxy in
        for method in ["GET", "HEAD", "POST"] {
          let response = try await proxy.send("/a", method: method)
          #expect(response.status == 502)
          #expect(method == "HEAD" || response.body.hasPrefix("No response from http://127.0.0.1:"))
        }
      }
    }
  }

  @Test(arguments: ["", "example.com", "ftp://example.com", "http://example.com/path", "http://user@example.com"])
  func `an origin that is not a scheme, a host and a port is rejected`(origin: String) async throws {
    let (status, errors) = try await ProxyProcess.result(["--origin", origin, "--port", "0"])
    #expect(status == 64)
    #expect(errors.contains("Usage: halcyon-http-proxy"))
  }

  @Test func `the error for a port in use names the port`() async throws {
    try await withProxy { proxy, server in
      let (status, errors) = try await ProxyProcess.result([
        "--origin", server.url("").absoluteString, "--port", proxy.port,
      ])
      #expect(status == 1)
      #expect(errors.contains("Cannot listen on 127.0.0.1:\(proxy.port)"))
    }
  }
}
