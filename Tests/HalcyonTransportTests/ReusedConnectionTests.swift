#if !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

/// Reused connections that turn out to be dead.
@Suite(.integrationTest)
struct ReusedConnectionTests {
  private let photo = Reply.body(Data(repeating: 7, count: 100))

  private func transport(
    limit: Duration = .seconds(1), network: NetworkWatch = NetworkWatch()
  ) -> CurlTransport {
    CurlTransport(configuration: .init(), leastFirstByteLimit: limit, network: network)
  }

  /// Loads the photo.
  private func load(_ url: URL, by transport: CurlTransport, content: RequestContent? = nil) async throws {
    var request = TransportRequest(url: url)
    request.content = content
    let response = try await transport.response(to: request)
    let body = try await response.body.reduce(into: Data()) { $0 += $1 }
    #expect(body == photo.body)
  }

  /// Serves the photo for the first request of a connection, and `later` for all others.
  private func serve(_ later: Reply, on server: ImageServer) -> URL {
    let used = Lock<Set<Int>>([])
    return server.serve("/a") { [photo] request in
      used.withLock { $0.insert(request.connectionID).inserted } ? photo : later
    }
  }

  @Test(arguments: [Reply.status(200).reset(at: .head(0)), .status(200).cut(at: .head(0))])
  func `a request over a connection that the server has closed is sent again`(later: Reply) async throws {
    try await ImageServer.run { server in
      let url = serve(later, on: server)
      let transport = transport()
      for _ in 1...3 { try await load(url, by: transport) }
      #expect(server.requests.map(\.connectionID) == [1, 1, 2, 2, 3])
    }
  }

  #if os(Linux)
  @Test func `a request over a dead connection is sent again over another`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", photo.deaf(), photo)
      let transport = transport(limit: .milliseconds(50))
      for _ in 1...2 { try await load(url, by: transport) }
      #expect(server.requests.map(\.connectionID) == [1, 2])
    }
  }

  @Test func `the other idle connections to a server with a dead one are closed`() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let held = server.serve("/held", photo.held(by: gate).deaf())
      let transport = transport(limit: .milliseconds(50))
      // Four connections at once, then idle.
      try await withThrowingTaskGroup { group in
        for _ in 1...4 { group.addTask { try await load(held, by: transport) } }
        try await server.waitForRequests(count: 4)
        gate.open()
        try await group.waitForAll()
      }
      let next = server.serve("/b", photo.deaf(), photo)
      for _ in 1...3 { try await load(next, by: transport) }
      #expect(server.requests(for: "/b").map(\.connectionID) == [5, 6, 6])
    }
  }

  @Test func `a request that the server has acknowledged is not sent again, however slow the server is`() async throws {
    try await ImageServer.run { slow in
      try await ImageServer.run { dead in
        let (gate, transport) = (Gate(), transport(limit: .milliseconds(200)))
        let once = slow.serve("/a") { [photo] _ in slow.requests.count == 1 ? photo : photo.held(by: gate) }
        let lost = dead.serve("/a", photo.deaf(), photo)
        try await load(once, by: transport)
        try await load(lost, by: transport)
        async let image: Void = load(once, by: transport)
        try await slow.waitForRequests(count: 2)
        // Sent later, and sent again: the time of the request before is over as well.
        try await load(lost, by: transport)
        #expect(dead.requests.count == 2)
        gate.open()
        try await image
        #expect(slow.requests.map(\.connectionID) == [1, 1])
      }
    }
  }
  #endif

  @Test(arguments: [
    Data("the rest of the page".utf8), Data([0xff, 0xd8, 0, 10, 13, 10]), Data("\r\n".utf8),
    Data("HTTP/1.1 xyz\r\n\r\n".utf8),
    Data(repeating: 7, count: 200_000), Data("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n".utf8),
  ])
  func `bytes that arrive after a response do not destroy the next one`(late: Data) async throws {
    try await ImageServer.run { server in
      // They arrive when the request has been sent, before its response.
      let head = "HTTP/1.1 200 OK\r\nContent-Length: \(photo.body.count)\r\n\r\n"
      let url = serve(.raw(late + Data(head.utf8) + photo.body), on: server)
      let transport = transport()
      for _ in 1...3 { try await load(url, by: transport) }
      #expect(server.requests.map(\.connectionID) == [1, 1, 2, 2, 3])
    }
  }

  @Test(arguments: [(200, [1, 1]), (404, [1, 1]), (421, [1, 2])])
  func `a connection that does not serve the host is not used again`(status: Int, connections: [Int]) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .status(status), photo)
      let transport = transport()
      let response = try await transport.response(to: TransportRequest(url: url))
      #expect(try await response.body.reduce(0) { $0 + $1.count } == 0)
      try await load(url, by: transport)
      #expect(server.requests.map(\.connectionID) == connections)
    }
  }

  @Test func `a server that was slow has more time to acknowledge a request`() {
    let connections = OpenConnections(leastFirstByteLimit: .seconds(1))
    let servers = [80, 81].map { OpenConnection.Endpoint(address: "192.0.2.1", port: $0) }
    connections.record(firstByteTime: .seconds(3), of: servers[0])
    #expect(connections.firstByteLimit(of: servers[0]) == .seconds(6))
    #expect(connections.firstByteLimit(of: servers[1]) == .seconds(1))
    for _ in 1...20 { connections.record(firstByteTime: .milliseconds(10), of: servers[0]) }
    #expect(connections.firstByteLimit(of: servers[0]) == .seconds(1))
  }

  @Test func `a request that may have an effect is not sent again`() async throws {
    try await ImageServer.run { server in
      let url = serve(.status(200).reset(at: .head(0)), on: server)
      let transport = transport()
      try await load(url, by: transport)
      let content = RequestContent.make(.post, Data([1]))
      try await load(url, by: transport, content: content)
      #expect(server.requests.map(\.connectionID) == [1, 2])
    }
  }

  @Test func `the first connection to a server that fails is an error`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .status(200).reset(at: .head(0)))
      await #expect(throws: TransportError.self) { try await load(url, by: transport()) }
      #expect(server.requests.count == 1)
    }
  }

  @Test(arguments: [
    (NetworkWatch.State(asleep: .seconds(60), addresses: ["10.0.0.1"]), [1, 2]),
    (NetworkWatch.State(asleep: .zero, addresses: ["192.168.0.1"]), [1, 2]),
    (NetworkWatch.State(asleep: .milliseconds(1), addresses: ["10.0.0.1", "10.0.0.2"]), [1, 1]),
  ])
  func `after sleep and lost addresses idle connections are not used`(
    state: NetworkWatch.State, connections: [Int]
  ) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", photo)
      let states = Lock([NetworkWatch.State(asleep: .zero, addresses: ["10.0.0.1"])])
      let watch = NetworkWatch(interval: .zero) { states.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] } }
      let transport = transport(network: watch)
      try await load(url, by: transport)
      states.withLock { $0 = [state] }
      try await load(url, by: transport)
      #expect(server.requests.map(\.connectionID) == connections)
    }
  }

  @Test func `the system's state names the loopback address`() {
    let state = NetworkWatch.State.system()
    #expect(state.addresses.contains("127.0.0.1"))
    #expect(state.asleep >= .zero)
  }
}
#endif
