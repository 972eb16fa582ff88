import HalcyonHTTP
import Foundation
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct CurlTransportErrorTests {
  private let transport = PlatformTransport()
  private let body = Data(repeating: 9, count: 100_000)

  private func error(from url: URL, limits: TransportLimits = TransportLimits()) async -> TransportError? {
    await #expect(throws: TransportError.self) {
      let response = try await transport.response(to: TransportRequest(url: url, limits: limits))
      for try await _ in response.body {}
    }
  }

  @Test(arguments: [0, 1, 50_000, 99_000])
  func `the error of a truncated body contains the received and expected byte counts`(count: Int) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body).cut(at: .body(count)))
      #expect(await error(from: url) == .connectionLost(received: count, expected: body.count))
    }
  }

  @Test func `a server that sends a byte at a time is abandoned after the total timeout`() async throws {
    try await ImageServer.run { server in
      let gate = Gate()
      let url = server.serve("/a", .body(body).paced(by: gate, byteCount: 1))
      let limits = TransportLimits(totalTimeout: .milliseconds(300))
      let drip = Task {
        while true {
          try await gate.waitUntilHolding()
          gate.release()
        }
      }
      defer { drip.cancel() }
      #expect(await error(from: url, limits: limits) == .totalTimedOut(.milliseconds(300)))
      try await server.waitUntilNoConnections()
    }
  }

  @Test(.requires(.cancellation)) func `the total timeout runs while the reader does not read`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data(count: 10 << 20)))
      let limits = TransportLimits(totalTimeout: .milliseconds(100))
      await #expect(throws: TransportError.totalTimedOut(.milliseconds(100))) {
        let response = try await transport.response(to: TransportRequest(url: url, limits: limits))
        try await server.waitUntilNoConnections()
        for try await _ in response.body {}
      }
    }
  }

  @Test func `a refused connection and an unknown host are different errors`() async throws {
    try await ImageServer.run { server in
      guard case .connectionFailed("127.0.0.1", _) = await error(from: try server.refusingURL("/a")) else {
        Issue.record("the refusal was not reported as connectionFailed")
        return
      }
    }
    let url = try #require(URL(string: "http://no-such-host.invalid/a"))
    #expect(await error(from: url) == .hostNotFound("no-such-host.invalid"))
  }

  #if os(Linux)
  @Test(.requires(.metrics)) func `a host that does not respond is abandoned after the connect timeout`() async throws {
    let port = try UnansweringPort()
    let url = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
    let limits = TransportLimits(connectTimeout: .milliseconds(200), idleTimeout: .milliseconds(10))
    #expect(await error(from: url, limits: limits) == .connectTimedOut(.milliseconds(200)))
  }
  #endif

  @Test func `headers over the byte limit are rejected`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body).padded(headerCount: 300, valueByteCount: 1000))
      #expect(await error(from: url) == .headersTooLarge(byteLimit: 256 << 10))
      #expect(await error(from: url, limits: TransportLimits(headerByteCount: 300)) == .headersTooLarge(byteLimit: 300))
    }
  }

  @Test(.requires(.metrics))
  func `loads that wait for the connection of another load end after their own connect timeout`() async throws {
    let port = try SilentPort()
    let url = try #require(URL(string: "https://127.0.0.1:\(port.number)/a"))
    func connecting(_ timeout: Duration) -> Task<TransportResponse, any Error> {
      Task { try await transport.response(to: TransportRequest(url: url, limits: .init(connectTimeout: timeout))) }
    }
    let first = connecting(.seconds(20))
    try await port.waitForConnection()
    let others = (0..<6).map { _ in connecting(.milliseconds(200)) }
    for other in others {
      await #expect(throws: TransportError.connectTimedOut(.milliseconds(200))) { try await other.value }
    }
    // If the waiting requests were woken one after the other, each would open a connection of its own.
    #expect(port.takeConnectionCount() == 1)
    first.cancel()
  }

  @Test func `timeouts may be as long as a duration`() async throws {
    try await ImageServer.run { server in
      let never = Duration.seconds(Int64.max)
      let limits = TransportLimits(connectTimeout: never, idleTimeout: never, totalTimeout: never)
      let url = server.serve("/a", .body(body))
      let response = try await transport.response(to: TransportRequest(url: url, limits: limits))
      #expect(try await response.body.reduce(0) { $0 + $1.count } == body.count)
    }
  }

  #if !URLSESSION
  @Test func `without content decoding a body is passed on as it was sent`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(body, headers: ["Content-Encoding": "gzip"]))
      let transport = CurlTransport(configuration: CurlTransport.Configuration(decodesContent: false))
      let response = try await transport.response(to: TransportRequest(url: url))
      var data = Data()
      for try await piece in response.body { data.append(piece) }
      #expect(data == body)
      #expect(response.headers["Content-Encoding"] == "gzip")
      #expect(server.requests.first?.headers["Accept-Encoding"] == nil)
    }
  }
  #endif
}
