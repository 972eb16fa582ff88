#if os(Linux) && !URLSESSION
import HalcyonHTTP
import Foundation
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// The address policy with a real DNS server whose answers change; `Scripts/check-names` starts it.
@Suite(
  .integrationTest, .serialized,
  .enabled(if: NameServer.current != nil, "run Scripts/check-names, which starts a DNS server"))
struct DNSRebindingTests {
  private let server: NameServer

  init() throws { server = try #require(NameServer.current) }

  /// Allows one loopback address, which stands for a public one, and no other loopback address.
  private func transport(allowing address: String) throws -> CurlTransport {
    let range = try #require(AddressRange(address))
    return CurlTransport(
      configuration: .init(addressPolicy: AddressPolicy(scope: .publicInternet, allowed: [range])))
  }

  private func expectRefusal(of address: String, by transport: CurlTransport, _ url: URL) async {
    let error = await #expect(throws: TransportError.self) {
      try await transport.response(to: TransportRequest(url: url))
    }
    guard case .addressRejected(address, "pictures.test", _) = error else {
      Issue.record("\(error.map { "\($0)" } ?? "a response") instead of a refusal of \(address)")
      return
    }
  }

  @Test func `a name that resolved to an allowed address is refused once it resolves to another one`() async throws {
    try await ImageServer.run { images in
      images.serve("/a", .body(Data([1])))
      let url = images.url("/a", host: "pictures.test")
      try server.answer(["127.0.0.1"])
      let response = try await transport(allowing: "127.0.0.1").response(to: TransportRequest(url: url))
      #expect(response.status == 200)
      try server.answer(["127.0.0.2"])
      await expectRefusal(of: "127.0.0.2", by: try transport(allowing: "127.0.0.1"), url)
    }
  }

  @Test func `a refused address is not tried when the allowed address of the same name fails`() async throws {
    try await ImageServer.run { images in
      images.serve("/a", .body(Data([1])))
      let url = images.url("/a", host: "pictures.test")
      // Nothing listens on the allowed address.
      try server.answer(["127.0.0.3", "127.0.0.1"])
      await expectRefusal(of: "127.0.0.1", by: try transport(allowing: "127.0.0.3"), url)
      #expect(images.acceptedConnectionCount == 0)
      let open = try await CurlTransport().response(to: TransportRequest(url: url))
      #expect(open.status == 200, "without a policy the other address is tried")
    }
  }

  @Test func `a name that has moved is resolved again once its old address refuses connections`() async throws {
    try await ImageServer.run { images in
      images.serve("/a", .body(Data([1])))
      let request = TransportRequest(url: images.url("/a", host: "pictures.test"))
      let transport = CurlTransport()
      try server.answer(["127.0.0.3"])
      await #expect(throws: TransportError.self) { try await transport.response(to: request) }
      try server.answer(["127.0.0.1"])
      #expect(try await transport.response(to: request).status == 200)
    }
  }

  @Test(arguments: ["::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "fd00:ec2::254"])
  func `a name that resolves to a private IPv6 address is refused`(address: String) async throws {
    try server.answer([address])
    let url = try #require(URL(string: "http://pictures.test/a"))
    await expectRefusal(of: address, by: CurlTransport(configuration: .init(addressPolicy: .publicInternetOnly)), url)
  }
}

/// A running dnsmasq, which reloads its answers from a file on `SIGHUP`.
private struct NameServer {
  let process: pid_t
  let file: String

  static var current: NameServer? {
    let environment = ProcessInfo.processInfo.environment
    guard let process = environment["HALCYON_NAME_SERVER"].flatMap({ pid_t($0) }),
      let file = environment["HALCYON_NAME_SERVER_HOSTS"]
    else { return nil }
    return NameServer(process: process, file: file)
  }

  private struct KeepsOldAnswer: Error {}

  /// Makes `pictures.test` resolve to exactly these addresses before it returns.
  func answer(_ addresses: [String]) throws {
    let lines = addresses.map { "\($0) pictures.test\n" }
    try lines.joined().write(toFile: file, atomically: false, encoding: .utf8)
    kill(process, SIGHUP)
    // It reloads the file between two queries.
    for _ in 0..<1000 where Self.addresses(of: "pictures.test") == Set(addresses) { return }
    throw KeepsOldAnswer()
  }

  /// The addresses that the system resolves a name to.
  private static func addresses(of name: String) -> Set<String> {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var (found, next): (Set<String>, UnsafeMutablePointer<addrinfo>?) = ([], first)
    while let entry = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      getnameinfo(entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      found.insert(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
      next = entry.ai_next
    }
    return found
  }
}
#endif
