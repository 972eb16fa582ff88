#if !URLSESSION
import HalcyonHTTP
import Foundation
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The address policy, enforced at the socket.
@Suite(.integrationTest)
struct AddressPolicyTransportTests {
  private let closed = CurlTransport(configuration: .init(addressPolicy: .publicInternetOnly))

  private func transport(_ policy: AddressPolicy) -> CurlTransport {
    CurlTransport(configuration: CurlTransport.Configuration(addressPolicy: policy))
  }

  private func only(_ address: String) throws -> AddressPolicy {
    AddressPolicy(scope: .publicInternet, allowed: [try #require(AddressRange(address))])
  }

  @Test(arguments: [
    ("127.0.0.1", "127.0.0.1"), ("2130706433", "127.0.0.1"), ("0177.0.0.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
    ("0x7F000001", "127.0.0.1"), ("127.1", "127.0.0.1"), ("0", "0.0.0.0"),
    ("169.254.169.254", "169.254.169.254"), ("10.0.0.1", "10.0.0.1"), ("[::1]", "::1"),
    ("[::ffff:127.0.0.1]", "::ffff:127.0.0.1"), ("[::FFFF:7F00:1]", "::ffff:127.0.0.1"), ("[::]", "::"),
    ("[64:ff9b::7f00:1]", "64:ff9b::7f00:1"), ("[fd00:ec2::254]", "fd00:ec2::254"), ("[fe80::1]", "fe80::1"),
  ])
  func `no notation of an IP address bypasses the policy`(host: String, address: String) async throws {
    try await ImageServer.run { server in
      server.serve("/a", .body(Data([1])))
      let url = try #require(URL(string: "http://\(host):\(server.port)/a"))
      let error = await #expect(throws: TransportError.self) {
        try await closed.response(to: TransportRequest(url: url))
      }
      guard case .addressRejected(address, _, let reason) = error else {
        Issue.record("\(host) gave \(error.map { "\($0)" } ?? "a response")")
        return
      }
      #expect(reason.hasPrefix(address))
      #expect(server.acceptedConnectionCount == 0)
    }
  }

  @Test(arguments: ["localhost", "LOCALHOST", "a.localhost"])
  func `a host name is checked by the address it resolves to`(host: String) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1]))).host(replacedBy: host)
      let error = await #expect(throws: TransportError.self) {
        try await closed.response(to: TransportRequest(url: url))
      }
      guard case .addressRejected(_, let named, _) = error else {
        Issue.record("\(host) gave \(error.map { "\($0)" } ?? "a response")")
        return
      }
      #expect(named == host)
      #expect(error?.description.contains("is loopback") == true)
      let open = transport(try only("127.0.0.0/8"))
      let response = try await open.response(to: TransportRequest(url: url))
      #expect(response.status == 200)
    }
  }

  @Test(arguments: ["127.0.0.1.", "localhost."])
  func `a trailing dot does not bypass the policy`(host: String) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1]))).host(replacedBy: host)
      // Some resolvers take the dot for the DNS root, others do not resolve such a name.
      await #expect(throws: TransportError.self) { try await closed.response(to: TransportRequest(url: url)) }
      #expect(server.acceptedConnectionCount == 0)
    }
  }

  @Test func `a connection opened without a policy is not reused under a strict one`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1])))
      let open = CurlTransport()
      let first = try await open.response(to: TransportRequest(url: url))
      for try await _ in first.body {}
      await #expect(throws: TransportError.self) { try await closed.response(to: TransportRequest(url: url)) }
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a port that is not in the policy is refused`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1])))
      let error = await #expect(throws: TransportError.self) {
        try await transport(AddressPolicy(ports: [80, 443])).response(to: TransportRequest(url: url))
      }
      #expect(error?.description.contains("port \(server.port) is not one of 80, 443") == true)
      let allowing = transport(AddressPolicy(ports: [Int(server.port)]))
      let response = try await allowing.response(to: TransportRequest(url: url))
      #expect(response.status == 200)
    }
  }

  @Test func `requests under an address policy bypass the proxy of the environment`() async throws {
    await #expect(processExitsWith: .success) {
      try await ImageServer.run { proxy in
        setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
        let url = try #require(URL(string: "http://192.0.2.1/a"))
        let open = try await CurlTransport().response(to: TransportRequest(url: url))
        #expect(open.status == 404, "the proxy was not used")
        // The address of the proxy is allowed, but not the address to which the proxy would connect.
        let range = try #require(AddressRange("127.0.0.1"))
        let closed = CurlTransport(
          configuration: .init(addressPolicy: AddressPolicy(scope: .publicInternet, allowed: [range])))
        let error = await #expect(throws: TransportError.self) {
          try await closed.response(to: TransportRequest(url: url))
        }
        guard case .addressRejected("192.0.2.1", "192.0.2.1", _) = error else {
          Issue.record("\(error.map { "\($0)" } ?? "a response")")
          return
        }
        #expect(proxy.requests.count == 1)
      }
    }
  }
}

extension URL {
  /// The same URL with another host.
  fileprivate func host(replacedBy host: String) -> URL {
    var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
    parts?.host = host
    return parts?.url ?? self
  }
}
#endif
