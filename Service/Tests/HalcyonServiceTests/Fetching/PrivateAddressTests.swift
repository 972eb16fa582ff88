import Foundation
import Halcyon
import HalcyonHTTP
import HalcyonService
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Addresses that are not of the public Internet, in every spelling: as a source, by a redirect and as a DNS answer.
@Suite(.integrationTest)
struct PrivateAddressTests {
  static let hosts = [
    // Loopback and unspecified, in the spellings of inet_aton and with a trailing dot.
    "127.0.0.2", "127.1.2.3", "127.2", "2130706434", "0x7f000002", "0x7f.2", "0177.0.0.2", "0177.2", "127.0.0.2.", "0",
    "0.0.0.0", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]",
    // Names whose DNS answer is the loopback interface.
    "localhost", "localhost.", "LOCALHOST", "a.localhost",
    // Link-local with the metadata of cloud providers, private, shared, documentation, benchmarks, multicast, reserved.
    "169.254.169.254", "2852039166", "0xa9.0xfe.0xa9.0xfe", "10.0.0.1", "10.1", "172.16.0.1", "172.31.255.255",
    "192.168.1.1", "100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "240.0.0.1", "255.255.255.255", "[fe80::1]", "[fc00::1]", "[fd00:ec2::254]", "[ff02::1]", "[2001:db8::1]",
    "[100::1]",
    // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP.
    "[::ffff:127.0.0.2]", "[::ffff:7f00:2]", "[::127.0.0.2]", "[::ffff:0:127.0.0.2]", "[64:ff9b::127.0.0.2]",
    "[64:ff9b:1::7f00:2]", "[2002:7f00:2::1]", "[2001:0:7f00:2::1]", "[2001:0:0:0:0:0:80ff:fffd]",
    "[fe80::5efe:7f00:2]", "[fe80::1%25lo]",
    // Other digits and dots, which name preparation turns into ASCII.
    "%31%32%37.0.0.2", "①②⑦.0.0.2", "127。0。0。2", "１２７.0.0.2", "localhost%00.example.com",
    // What a parser may take for a user or another host.
    "example.com@127.0.0.2", "127.0.0.2#@example.com", "127.0.0.2\\@example.com", "example.com:80@127.0.0.2",
  ]

  @Test func `no source at such an address is fetched`() async throws {
    try await RunningService.run {
      $0.addressPolicy = .publicInternetOnly
    } body: { service, origin async throws in
      for host in Self.hosts {
        for text in ["http://\(host):\(origin.port)/a.png", "http://\(host)/a.png"] {
          let path = Data(text.utf8).base64EncodedString().replacingOccurrences(of: "/", with: "_")
          let answer = try await service.get("/_/w:40/\(path).png")
          // Names that end with a dot are not found where no DNS server is asked.
          #expect(
            [400, 403].contains(answer.status) || host.hasSuffix("."), "\(text): \(answer.status) \(answer.text)")
        }
      }
      #expect(origin.requests.isEmpty && origin.acceptedConnectionCount == 0)
    }
  }

  @Test func `no redirect to a URL with a password is followed`() async throws {
    try await RunningService.run { service, origin async throws in
      let target = origin.serve("/b.png", .body(try Quadrants.png())).absoluteString
      let source = origin.serve("/a.png", .redirect(to: target.replacing("http://", with: "http://ann:secret@")))
      #expect(try await service.image("w:40", of: source).status == 403)
      #expect(origin.requests(for: "/b.png").isEmpty)
    }
  }

  @Test func `no redirect to such an address is followed`() async throws {
    try await RunningService.run {
      $0.addressPolicy = .publicInternetOnly
      // The origin stands for a host of the public Internet.
      $0.addressPolicy.allowed = [AddressRange("127.0.0.1")].compactMap(\.self)
    } body: { service, origin async throws in
      let trap = Self.hosts.filter { !["localhost", "a.localhost"].contains($0.lowercased().trimmingDots) }
      for (index, host) in trap.enumerated() {
        let source = origin.serve("/\(index).png", .redirect(to: "http://\(host):\(origin.port)/secret"))
        let answer = try await service.image("w:40", of: source)
        #expect([400, 403, 404, 502].contains(answer.status), "\(host): \(answer.status) \(answer.text)")
      }
      #expect(!origin.requests.contains { $0.path == "/secret" })
      let good = origin.serve("/good.png", .redirect(to: origin.serve("/end.png", .body(try Quadrants.png())).path))
      #expect(try await service.image("w:40", of: good).status == 200)
    }
  }
}

extension String {
  fileprivate var trimmingDots: String { hasSuffix(".") ? String(dropLast()) : self }
}
