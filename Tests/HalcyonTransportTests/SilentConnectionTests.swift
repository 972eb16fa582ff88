#if os(Linux) && !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

/// Connections that fall silent, although the other end acknowledges everything.
@Suite(.integrationTest)
struct SilentConnectionTests {
  private let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
  private let limits = TransportLimits(idleTimeout: .seconds(1))

  private func load(
    _ url: URL, by transport: CurlTransport, isNew: Bool = false, method: HTTPMethod = .get
  ) async throws {
    var request = TransportRequest(url: url, method: method, limits: limits)
    request.usesNewConnection = isNew
    let response = try await transport.response(to: request)
    let received = try await response.body.reduce(into: Data()) { $0 += $1 }
    #expect(received == body)
  }

  /// A server with HTTP/2, and a transport that connects to it through tunnels.
  private func withTunnels(_ test: (URL, ForwardProxy, CurlTransport) async throws -> Void) async throws {
    let certificates = Bundle.module.bundleURL.appending(path: "Certificates")
    func file(_ name: String) -> URL { certificates.appending(path: name) }
    try await TemporaryDirectory.run { folder in
      try body.write(to: folder.appending(path: "a"))
      try await SecureServer.run(folder: folder, certificate: file("server.pem"), key: file("server.key")) { server in
        try await ForwardProxy.run({ _ in .tunnel() }) { proxy in
          let transport = CurlTransport(
            configuration: .init(certificateAuthorityFile: file("authority.pem").path),
            proxies: ProxySettings { $0 == "all_proxy" ? "http://127.0.0.1:\(proxy.port)" : nil })
          try await load(server.url("a"), by: transport)
          try await test(server.url("a"), proxy, transport)
        }
      }
    }
  }

  private static let needsServer = ConditionTrait.enabled(
    if: SecureServer.isInstalled, "nghttpd is missing: install Debian's nghttp2-server")

  /// Silent before the header fields, within them, and in the body.
  @Test(needsServer, arguments: [0, 20, 50_000])
  func `a multiplexed connection that has fallen silent is not used again`(byteCount: Int) async throws {
    try await withTunnels { url, proxy, transport in
      proxy.silenceTunnels(after: byteCount)
      let errors = await withTaskGroup(of: (any Error)?.self) { group in
        for _ in 0..<4 {
          group.addTask {
            do { try await load(url, by: transport) } catch { return error }
            return nil
          }
        }
        return await group.reduce(into: []) { $0.append($1 as? TransportError) }
      }
      // Those that have not waited as long are sent again, or are lost if their responses have begun.
      #expect(errors.contains(.idleTimedOut(.seconds(1))))
      for _ in 0..<3 { try await load(url, by: transport) }
      #expect(proxy.tunnelCount == 2)
    }
  }

  @Test(needsServer) func `a silent connection is given up even if each of its requests is cancelled`() async throws {
    try await withTunnels { url, proxy, transport in
      proxy.silenceTunnels(after: 0)
      var count = 0
      while proxy.tunnelCount == 1 {
        count += 1
        try #require(count < 50_000)
        let (dropped, next) = (proxy.droppedCount, Task { try await load(url, by: transport) })
        while proxy.droppedCount == dropped, proxy.tunnelCount == 1 { try await Task.yieldUnlessCancelled() }
        next.cancel()
        _ = await next.result
      }
      try await load(url, by: transport)
    }
  }

  @Test func `a connection is silent since the first request without a response`() {
    let connection = OpenConnection(server: OpenConnection.Endpoint(address: "127.0.0.1", port: 1), socket: -1)
    let start = ContinuousClock.now
    #expect(!connection.isSilent(for: .zero, at: start))
    for seconds in [0, 3] { connection.send(at: start + .seconds(seconds)) }
    #expect(connection.unansweredSince == start)
    #expect(!connection.isSilent(for: .seconds(5), at: start + .milliseconds(4999)))
    #expect(connection.isSilent(for: .seconds(5), at: start + .seconds(5)))
    connection.receive(at: start + .seconds(6))
    #expect(connection.lastActivity == start + .seconds(6))
    #expect(!connection.isSilent(for: .zero, at: start + .seconds(9)))
    connection.send(at: start + .seconds(7))
    #expect(connection.unansweredSince == start + .seconds(7))
    #expect(connection.lastActivity == start + .seconds(6))
  }

  @Test func `a server has twice as long as its first bytes took of late, and a second at least`() {
    let connections = OpenConnections(leastFirstByteLimit: .seconds(1))
    let servers = [1, 2].map { OpenConnection.Endpoint(address: "127.0.0.1", port: $0) }
    for (time, limit) in [(100, 1000), (800, 1600), (100, 1400), (0, 1225), (4000, 8000)] {
      connections.record(firstByteTime: .milliseconds(time), of: servers[0])
      #expect(connections.firstByteLimit(of: servers[0]) == .milliseconds(limit))
      #expect(connections.firstByteLimit(of: servers[1]) == .seconds(1))
    }
  }

  @Test func `the next check is at the earliest of the deadlines`() {
    let (connections, start) = (OpenConnections(leastFirstByteLimit: .seconds(1)), ContinuousClock.now)
    for seconds in [3, 1, 2] { connections.expectByte(before: start + .seconds(seconds)) }
    #expect(connections.takeDeadline() == start + .seconds(1))
    #expect(connections.takeDeadline() == nil)
  }

  @Test(needsServer) func `a request can have a connection of its own`() async throws {
    try await withTunnels { url, proxy, transport in
      try await load(url, by: transport, isNew: true)
      #expect(proxy.tunnelCount == 2)
      try await load(url, by: transport)
      #expect(proxy.tunnelCount == 2)
    }
  }

  @Test(arguments: [Reply.Position.head(0), .head(10), .body(0), .body(500)])
  func `after one silent connection the other idle ones to its server are not used`(
    position: Reply.Position
  ) async throws {
    try await ImageServer.run { server in
      let (gate, transport) = (Gate(), CurlTransport())
      let held = server.serve("/held", Reply.body(body).held(by: gate))
      try await withThrowingTaskGroup { group in
        for _ in 1...6 { group.addTask { try await load(held, by: transport) } }
        try await server.waitForRequests(count: 6)
        gate.open()
        try await group.waitForAll()
      }
      let next = server.serve("/next") { [body] request in
        request.connectionID <= 6 ? Reply.body(body).stalled(at: position) : .body(body)
      }
      // On a slow machine the connection may have been silent for longer than its request has waited, which is then sent
      // again.
      do { try await load(next, by: transport) } catch let error as TransportError {
        #expect(error == .idleTimedOut(.seconds(1)))
      }
      try await load(next, by: transport)
      let areOld = server.requests(for: "/next").map { $0.connectionID <= 6 }
      #expect(areOld.first == true)
      #expect(areOld.count(where: \.self) == 1)
    }
  }

  @Test func `a request that may have an effect fails once`() async throws {
    try await ImageServer.run { server in
      let transport = CurlTransport()
      let url = server.serve("/a", .body(body), Reply.body(body).stalled(at: .head(0)), .body(body))
      try await load(url, by: transport)
      // It times out, or is lost with a connection that has been silent for longer.
      let error = await #expect(throws: TransportError.self) { try await load(url, by: transport, method: .post) }
      let expected: [TransportError?] = [.idleTimedOut(.seconds(1)), .connectionLost(received: 0, expected: nil)]
      #expect(expected.contains(error))
      #expect(server.requests.count == 2)
    }
  }

  /// The error of a load whose TLS handshake a server ends after some bytes.
  private func errorOfHandshake(after byteCount: Int, resets: Bool) async throws -> TransportError? {
    let error = Lock<TransportError?>(nil)
    try await withTunnels { url, proxy, _ in
      try await ForwardProxy.run({ _ in .tunnel(upTo: byteCount, resets: resets) }) { cutting in
        let transport = CurlTransport(
          configuration: .init(),
          proxies: ProxySettings { $0 == "all_proxy" ? "http://127.0.0.1:\(cutting.port)" : nil })
        let thrown = await #expect(throws: TransportError.self) { try await load(url, by: transport) }
        error.withLock { $0 = thrown }
      }
    }
    return error.withLock { $0 }
  }

  @Test(needsServer, arguments: [0, 10, 500], [false, true])
  func `a TLS handshake that the server cuts is a lost connection`(byteCount: Int, resets: Bool) async throws {
    #expect(
      try await errorOfHandshake(after: byteCount, resets: resets) == .connectionLost(received: 0, expected: nil))
  }

  @Test func `a TLS handshake that is reset without a proxy is a lost connection`() async throws {
    let port = try SilentPort()
    let url = try #require(URL(string: "https://127.0.0.1:\(port.number)/a"))
    let loading = Task { try await load(url, by: CurlTransport()) }
    try await port.waitForConnection()
    // Resets it: the client's first message is not read.
    _ = port.takeConnectionCount()
    await #expect(throws: TransportError.connectionLost(received: 0, expected: nil)) { try await loading.value }
  }

  @Test(arguments: [
    ("error:0A000126:SSL routines::unexpected eof while reading", true),
    ("TLS connect error: error:0A000126:SSL routines::unexpected eof while reading", true),
    ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to example.com:443 ", true),
    ("OpenSSL SSL_connect: Connection reset by peer in connection to example.com:443 ", true),
    ("Recv failure: Connection reset by peer", true), ("Send failure: Broken pipe", true),
    ("gnutls_handshake() failed: The TLS connection was non-properly terminated.", true),
    ("gnutls_handshake() failed: Error in the pull function.", true),
    ("gnutls_handshake() failed: A TLS fatal alert has been received.", false),
    ("error:0A000410:SSL routines::sslv3 alert handshake failure", false),
    ("error:0A00042E:SSL routines::tlsv1 alert protocol version", false),
    ("error:0A00010B:SSL routines::wrong version number", false),
    ("error:0A000102:SSL routines::unsupported protocol", false),
    ("SSL certificate problem: certificate has expired", false),
  ])
  func `only a message without an alert or another error of TLS is of a cut handshake`(reason: String, isCut: Bool) {
    #expect(TransportError.isOfCutHandshake(reason) == isCut)
  }
}
#endif
