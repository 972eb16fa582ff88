import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ImageServerReplyTests {
  private let reply = Reply.body(Data("abcdef".utf8))
  private let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"

  @Test func `a served reply is sent with its headers`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a.jpg", .body(Data("abc".utf8), headers: ["Content-Type": "image/jpeg"]))
      #expect(url.absoluteString == "http://127.0.0.1:\(server.port)/a.jpg")
      let client = try RawClient(server)
      client.get("/a.jpg?width=1")
      let text = try await client.read(through: "abc")
      #expect(text == "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 3\r\n\r\nabc")
      #expect(server.requests.map(\.path) == ["/a.jpg?width=1"])
      #expect(server.requests[0].headers["HOST"] == "test")
    }
  }

  @Test func `an unknown path responds with 404 and a malformed request with 400`() async throws {
    try await ImageServer.run { server in
      let client = try RawClient(server)
      client.get("/unknown")
      #expect(try await client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 404 Not Found\r\n"))
      client.send("nonsense\r\n\r\n")
      #expect(try await client.readAll().hasPrefix("HTTP/1.1 400 "))
    }
  }

  @Test func `a cut reply is truncated`() async throws {
    #expect(try await response(to: reply.cut(at: .body(2))) == head + "ab")
    #expect(try await response(to: reply.cut(at: .head(0))).isEmpty)
  }

  @Test func `a chunked reply can lack its last chunk`() async throws {
    let text = try await response(to: reply.chunked(6).cut(at: .body(6)))
    #expect(text.hasSuffix("\r\n\r\n6\r\nabcdef"))
  }

  @Test func `a reply without a length ends when the connection closes`() async throws {
    #expect(try await response(to: reply.closeDelimited()) == "HTTP/1.0 200 OK\r\n\r\nabcdef")
  }

  @Test func `raw bytes are received unchanged`() async throws {
    #expect(try await response(to: .raw(Data("HTTP/1.1 abc\r\n: \r\n".utf8))) == "HTTP/1.1 abc\r\n: \r\n")
  }

  @Test func `a Connection header with close closes the connection`() async throws {
    let text = try await response(to: .status(503, headers: ["Connection": "close"]))
    #expect(text == "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
  }

  @Test(arguments: [Reply.Position.head(0), .head(9), .body(0), .body(3), .end])
  func `a reset reply is ECONNRESET for the client`(position: Reply.Position) async throws {
    await #expect { _ = try await response(to: reply.reset(at: position)) } throws: {
      ($0 as? SocketError)?.code == ECONNRESET
    }
  }

  @Test func `replies are served in turn and the last one is repeated`() async throws {
    try await ImageServer.run { server in
      server.serve("/a", .status(503), .status(200), .status(304))
      let client = try RawClient(server)
      for _ in 1...4 {
        client.get("/a")
        _ = try await client.read(through: "\r\n\r\n")
      }
      #expect(server.statuses == [503, 200, 304, 304])
    }
  }

  @Test func `a closure receives the request and returns the reply`() async throws {
    try await ImageServer.run { server in
      server.serve("/a") { request in
        request.headers["if-none-match"] == "\"v1\"" ? .status(304) : .body(request.body)
      }
      let client = try RawClient(server)
      client.get("/a", method: "POST", headers: ["Content-Length: 4"], body: "echo")
      #expect(try await client.read(through: "echo").hasPrefix("HTTP/1.1 200 "))
      client.get("/a", headers: ["If-None-Match: \"v1\""])
      #expect(try await client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 304 "))
      #expect(server.statuses == [200, 304])
    }
  }

  /// Everything that one request receives until the connection closes.
  private func response(to reply: Reply) async throws -> String {
    try await ImageServer.run { server in
      server.serve("/a", reply)
      let client = try RawClient(server)
      client.get("/a")
      return try await client.readAll()
    }
  }
}
