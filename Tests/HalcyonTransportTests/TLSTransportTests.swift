#if os(Linux) && !URLSESSION
import HalcyonHTTP
import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

@Suite(
  .integrationTest,
  .enabled(if: SecureServer.isInstalled, "nghttpd is missing: install Debian's nghttp2-server"))
struct TLSTransportTests {
  private let body = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  private func file(_ name: String) -> URL {
    Bundle.module.bundleURL.appending(path: "Certificates/\(name)")
  }

  private func trusting() -> CurlTransport {
    CurlTransport(configuration: .init(certificateAuthorityFile: file("authority.pem").path))
  }

  private func withServer(certificate: String, _ body: (SecureServer) async throws -> Void) async throws {
    try await TemporaryDirectory.run { folder in
      try self.body.write(to: folder.appending(path: "a"))
      try Data(count: 20 << 20).write(to: folder.appending(path: "large"))
      try await SecureServer.run(folder: folder, certificate: file(certificate), key: file("server.key"), body)
    }
  }

  private func load(_ url: URL, with transport: CurlTransport) async throws -> (Data, TransportTimings) {
    let response = try await transport.response(to: TransportRequest(url: url))
    var data = Data()
    for try await piece in response.body { data.append(piece) }
    return (data, try #require(response.body.transferTimings))
  }

  /// The reason why the TLS handshake failed.
  private func refusal(of url: URL, by transport: CurlTransport) async -> String {
    let error = await #expect(throws: TransportError.self) {
      try await transport.response(to: TransportRequest(url: url))
    }
    guard case .secureConnectionFailed(_, let reason) = error else { return "\(error?.description ?? "")" }
    return reason
  }

  @Test func `a TLS connection negotiates HTTP 2 and is reused`() async throws {
    try await withServer(certificate: "server.pem") { server in
      let transport = trusting()
      let (data, first) = try await load(server.url("a"), with: transport)
      #expect(data == body)
      #expect(first.httpVersion == "2")
      #expect(first.secureConnect > first.connect)
      #expect(first.firstByte > first.secureConnect)
      let (_, second) = try await load(server.url("a"), with: transport)
      #expect(second.reusedConnection)
      #expect(second.secureConnect == .zero)
      #expect(second.httpVersion == "2")
    }
  }

  @Test func `20 concurrent transfers share one HTTP 2 connection from the start`() async throws {
    try await withServer(certificate: "server.pem") { server in
      let transport = trusting()
      let timings = try await withThrowingTaskGroup { group in
        for _ in 0..<20 {
          group.addTask {
            let (data, timings) = try await load(server.url("a"), with: transport)
            #expect(data == body)
            return timings
          }
        }
        return try await group.reduce(into: [TransportTimings]()) { $0.append($1) }
      }
      #expect(timings.count { !$0.reusedConnection } == 1)
      #expect(timings.allSatisfy { $0.httpVersion == "2" && $0.receivedByteCount == body.count })
    }
  }

  @Test func `a reader that does not read does not block other streams of its connection`() async throws {
    try await withServer(certificate: "server.pem") { server in
      let transport = trusting()
      let slow = try await transport.response(to: TransportRequest(url: server.url("large")))
      for _ in 0..<5 {
        let (data, timings) = try await load(server.url("a"), with: transport)
        #expect(data == body)
        #expect(timings.reusedConnection)
      }
      let count = try await slow.body.reduce(0) { $0 + $1.count }
      #expect(count == 20 << 20)
    }
  }

  @Test func `cancelling one transfer keeps the connection open for others`() async throws {
    try await withServer(certificate: "server.pem") { server in
      let transport = trusting()
      do {
        let dropped = try await transport.response(to: TransportRequest(url: server.url("large")))
        #expect(dropped.status == 200)
      }
      let (data, timings) = try await load(server.url("a"), with: transport)
      #expect(data == body)
      #expect(timings.reusedConnection)
    }
  }

  @Test func `a certificate of an untrusted authority, for another host or of the past is rejected`() async throws {
    try await withServer(certificate: "server.pem") { server in
      #expect(await refusal(of: server.url("a"), by: CurlTransport()).contains("issuer"))
    }
    try await withServer(certificate: "expired.pem") { server in
      #expect(await refusal(of: server.url("a"), by: trusting()).contains("expired"))
    }
    try await withServer(certificate: "otherhost.pem") { server in
      #expect(await refusal(of: server.url("a"), by: trusting()).contains("127.0.0.1"))
      #expect(await refusal(of: server.url("a", host: "localhost"), by: trusting()).contains("localhost"))
    }
  }

  @Test func `a certificate is checked against the host of the URL`() async throws {
    try await withServer(certificate: "server.pem") { server in
      let (data, _) = try await load(server.url("a", host: "localhost"), with: trusting())
      #expect(data == body)
      #expect(await refusal(of: server.url("a", host: "a.localhost"), by: trusting()).contains("a.localhost"))
    }
  }

  @Test func `the authorities of OpenSSL's variables are trusted, where no file is configured`() async throws {
    try await withServer(certificate: "server.pem") { server in
      let (url, path) = (server.url("a").absoluteString, file("authority.pem").path)
      await #expect(processExitsWith: .success) { [url = url as String, path = path as String] in
        guard let url = URL(string: url) else { exit(1) }
        func loads(_ file: String?) async -> Bool {
          let transport = CurlTransport(configuration: .init(certificateAuthorityFile: file))
          return (try? await transport.response(to: TransportRequest(url: url))) != nil
        }
        guard await !loads(nil) else { exit(2) }
        setenv("SSL_CERT_FILE", path, 1)
        guard await loads(nil), await !loads("/nowhere/authority.pem") else { exit(3) }
        exit(0)
      }
    }
  }

  @Test(
    arguments: [
      (nil, "f", "d", "f d"), (nil, "", "", "- -"), ("c", "f", "d", "c -"), ("c", "", "d", "c -"),
    ] as [(String?, String, String, String)])
  func `a configured file replaces the file and the folder of OpenSSL's variables`(
    _ configured: String?, _ file: String, _ folder: String, _ expected: String
  ) {
    let authorities = CertificateAuthorities(
      .init(certificateAuthorityFile: configured), environment: ["SSL_CERT_FILE": file, "SSL_CERT_DIR": folder])
    #expect("\(authorities.file ?? "-") \(authorities.folder ?? "-")" == expected)
  }

  @Test func `the error of a missing certificate authority file contains its path`() async throws {
    try await withServer(certificate: "server.pem") { server in
      let transport = CurlTransport(configuration: .init(certificateAuthorityFile: "/nowhere/authority.pem"))
      #expect(await refusal(of: server.url("a"), by: transport).contains("/nowhere/authority.pem"))
    }
  }
}
#endif
