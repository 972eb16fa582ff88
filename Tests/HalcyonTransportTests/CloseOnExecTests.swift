#if os(Linux) && !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct CloseOnExecTests {
  @Test(arguments: [AddressPolicy.any, AddressPolicy(listing: "127.0.0.0/8")])
  func `child processes do not inherit connections`(policy: AddressPolicy) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1])))
      let transport = CurlTransport(configuration: .init(addressPolicy: policy))
      let response = try await transport.response(to: TransportRequest(url: url))
      for try await _ in response.body {}
      // The connection is kept for the next request.
      let connections = Self.connections(toPort: server.port)
      #expect(!connections.isEmpty)
      #expect(connections.allSatisfy { fcntl($0, F_GETFD) == FD_CLOEXEC })
      withExtendedLifetime(transport) {}
    }
  }

  /// The sockets of this process that are connected to a port.
  private static func connections(toPort port: UInt16) -> [Int32] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return names.compactMap { Int32($0) }.filter { descriptor in
      var (peer, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      let status = withUnsafeMutablePointer(to: &peer) { peer in
        peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
      }
      return status == 0 && Int32(peer.sin_family) == AF_INET && UInt16(bigEndian: peer.sin_port) == port
    }
  }
}

extension AddressPolicy {
  fileprivate init(listing range: String) {
    self.init(scope: .listed, allowed: AddressRange(range).map { [$0] } ?? [])
  }
}
#endif
