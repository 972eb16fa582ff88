import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct ImageServerConnectionTests {
  private struct TestFailure: Error {}

  @Test func `requests share a keep-alive connection`() async throws {
    try await ImageServer.run { server in
      server.serve("/a", .body(Data("abc".utf8)))
      let client = try RawClient(server)
      for _ in 1...3 {
        client.get("/a")
        _ = try await client.read(through: "abc")
      }
      client.get("/a", headers: ["Connection: close"])
      _ = try await client.readAll()
      #expect(server.requests.map(\.connectionID) == [1, 1, 1, 1])
      try await server.waitUntilNoConnections()
      #expect(server.acceptedConnectionCount == 1)
    }
  }

  @Test func `waiting for requests returns the requests for the path`() async throws {
    try await ImageServer.run { server in
      async let requests = server.waitForRequests(count: 2, path: "/a")
      let client = try RawClient(server)
      for path in ["/b", "/a?x=1", "/c", "/a?x=2"] {
        client.get(path)
        _ = try await client.read(through: "\r\n\r\n")
      }
      #expect(try await requests.map(\.path) == ["/a?x=1", "/a?x=2"])
    }
  }

  @Test func `waiting throws when the task is cancelled`() async throws {
    try await ImageServer.run { server in
      let waiting = Task { try await server.waitForRequests() }
      waiting.cancel()
      await #expect(throws: CancellationError.self) { _ = try await waiting.value }
    }
  }

  @Test func `waiting throws when the server stops`() async throws {
    let waiting = try await ImageServer.run { server in
      Task { try await server.waitForRequests() }
    }
    await #expect(throws: CancellationError.self) { _ = try await waiting.value }
  }

  @Test func `the given number of connections is reset on acceptance`() async throws {
    try await ImageServer.run { server in
      server.serve("/a", .body(Data("abc".utf8)))
      server.resetConnections(1)
      let first = try RawClient(server)
      await #expect(throws: SocketError.self) { _ = try await first.readAll() }
      try await server.waitForClose(ofConnection: 1)
      let second = try RawClient(server)
      second.get("/a")
      #expect(try await second.read(through: "abc").hasSuffix("abc"))
    }
  }

  @Test func `a refusing URL refuses connections`() async throws {
    try await ImageServer.run { server in
      let url = try server.refusingURL("/a")
      let port = try #require(url.port.flatMap { UInt16(exactly: $0) })
      #expect { _ = try Socket.connected(toPort: port) } throws: { ($0 as? SocketError)?.code == ECONNREFUSED }
    }
  }

  @Test func `a thousand clients are served concurrently`() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      server.serve("/a", .body(Data("abc".utf8)).held(by: gate))
      let clients = try (1...1000).map { _ in try RawClient(server) }
      for client in clients { client.get("/a") }
      try await gate.waitUntilHolding(1000)
      #expect(server.openConnectionCount == 1000)
      #expect(server.peakConnectionCount == 1000)
      gate.open()
      for client in clients { #expect(try await client.read(through: "abc").hasSuffix("abc")) }
    }
  }

  @Test func `an error in the body stops the server and is rethrown`() async throws {
    let held = Gate()
    await #expect(throws: TestFailure.self) {
      try await ImageServer.run { server in
        server.serve("/a", .body(Data()).held(by: held))
        let client = try RawClient(server)
        client.get("/a")
        try await held.waitUntilHolding()
        throw TestFailure()
      }
    }
    #expect(held.heldCount == 0)
  }

  @Test func `a stopped server leaks no descriptors`() async {
    await #expect(processExitsWith: .success) {
      // The first run also opens descriptors that system libraries keep.
      try await Self.leaveConnectionsInEveryState()
      let countBefore = try DescriptorCount.open()
      try await Self.leaveConnectionsInEveryState()
      #expect(try DescriptorCount.open() == countBefore)
    }
  }

  private static func leaveConnectionsInEveryState() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      _ = try server.refusingURL("/refused")
      server.serve("/held", .body(Data()).held(by: gate))
      server.serve("/stalled", .body(Data()).stalled(at: .end))
      server.serve("/idle", .body(Data()))
      let clients = try ["/held", "/stalled", "/idle"].map { path in
        let client = try RawClient(server)
        client.get(path)
        return client
      }
      // An optimised build would release the clients after their last use.
      defer { withExtendedLifetime(clients) {} }
      try await server.waitForRequests(count: clients.count)
      try await gate.waitUntilHolding()
    }
  }
}
