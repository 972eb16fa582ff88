import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ImageServerHoldTests {
  private let reply = Reply.body(Data("abcdef".utf8))
  private let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"

  @Test func `a held reply waits for its gate`() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      server.serve("/a", reply.held(by: gate, at: .body(2)))
      let client = try RawClient(server)
      client.get("/a")
      #expect(try await client.read(through: "ab") == head + "ab")
      try await gate.waitUntilHolding()
      gate.open()
      #expect(try await client.read(through: "f") == "cdef")
    }
  }

  @Test func `a paced reply makes one write for each release`() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      server.serve("/a", reply.paced(by: gate, byteCount: 4, from: .body(0)))
      let client = try RawClient(server)
      client.get("/a")
      #expect(try await client.read(through: "\r\n\r\n") == head)
      gate.release()
      #expect(try await client.read(through: "d") == "abcd")
      try await gate.waitUntilHolding()
      gate.release()
      #expect(try await client.read(through: "f") == "ef")
    }
  }

  @Test func `a stalled reply lasts until the server stops`() async throws {
    let client = try await ImageServer.run { server in
      server.serve("/a", reply.stalled(at: .body(2)))
      let client = try RawClient(server)
      client.get("/a")
      #expect(try await client.read(through: "ab") == head + "ab")
      #expect(server.openConnectionCount == 1)
      return client
    }
    #expect(try await client.readAll().isEmpty)
  }

  @Test(arguments: [
    Reply.body(Data()).held(by: Gate()), Reply.body(Data()).stalled(at: .head(0)),
    Reply.body(Data(count: 64 << 20)),
  ])
  func `a client that disconnects is detected`(reply: Reply) async throws {
    try await ImageServer.run { server in
      server.serve("/a", reply)
      do {
        let client = try RawClient(server)
        client.get("/a")
        try await server.waitForRequests()
      }
      try await server.waitForClose(ofConnection: 1)
      #expect(server.openConnectionCount == 0)
    }
  }

  @Test func `a request sent while a reply is held receives its reply afterwards`() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      server.serve("/a", reply.held(by: gate))
      server.serve("/b", .body(Data("second".utf8)))
      let client = try RawClient(server)
      client.get("/a")
      try await gate.waitUntilHolding()
      client.get("/b")
      gate.open()
      #expect(try await client.read(through: "second") == head + "abcdef" + head + "second")
    }
  }
}
