#if os(Linux) && !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

/// What the networks of companies ask of a client: certificates of its own, pinned keys, and a proxy with a password.
@Suite(
  .integrationTest,
  .enabled(
    if: SecureServer.isInstalled && SecureServer.isOpenSSLInstalled,
    "install Debian's nghttp2-server and openssl"))
struct PrivateNetworkTests {
  private static let password = "p@ss:word/secret"

  /// The keys and certificates of a test, made by OpenSSL.
  private struct Certificates {
    let folder: URL

    func file(_ name: String) -> URL { folder.appending(path: name) }
    func path(_ name: String) -> String { file(name).path }

    init(in folder: URL) throws {
      self.folder = folder
      for name in ["server", "client", "stranger"] {
        try SecureServer.makeCertificates(
          "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
          "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", path("\(name).key"), "-out",
          path("\(name).pem"))
      }
      try SecureServer.makeCertificates(
        "pkey", "-in", path("client.key"), "-aes256", "-passout", "pass:\(password)", "-out", path("locked.key"))
      try (Data(contentsOf: file("client.pem")) + Data(contentsOf: file("client.key"))).write(to: file("both.pem"))
    }

    /// The hash of the public key of a certificate.
    func pin(of name: String) throws -> String {
      try SecureServer.makeCertificates(
        "x509", "-in", path("\(name).pem"), "-pubkey", "-noout", "-out", path("key.pem"))
      try SecureServer.makeCertificates(
        "pkey", "-pubin", "-in", path("key.pem"), "-outform", "DER", "-out", path("key.der"))
      try SecureServer.makeCertificates("sha256", "-binary", "-out", path("hash"), path("key.der"))
      return try Data(contentsOf: file("hash")).base64EncodedString()
    }

    func configuration(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) -> CurlTransport.Configuration
    {
      var configuration = CurlTransport.Configuration(certificateAuthorityFile: path("server.pem"))
      change(&configuration)
      return configuration
    }
  }

  private func load(_ url: URL, _ configuration: CurlTransport.Configuration) async throws -> String {
    let transport = CurlTransport(
      configuration: configuration, proxies: ProxySettings(configuration.proxy) { _ in nil })
    let response = try await transport.response(to: TransportRequest(url: url))
    let body = try await response.body.reduce(into: Data()) { $0 += $1 }
    return "\(response.status) \(String(decoding: body, as: UTF8.self))"
  }

  private func failure(_ url: URL, _ configuration: CurlTransport.Configuration) async -> TransportError? {
    await #expect(throws: TransportError.self) { try await load(url, configuration) }
  }

  private func withFiles(
    _ body: (Certificates, SecureServer) async throws -> Void
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let made = try Certificates(in: folder)
      try Data("a page".utf8).write(to: folder.appending(path: "a"))
      try await SecureServer.run(folder: folder, certificate: made.file("server.pem"), key: made.file("server.key")) {
        try await body(made, $0)
      }
    }
  }

  private static func set(
    _ file: String, _ key: String?, _ password: String?
  ) -> @Sendable (Certificates, inout CurlTransport.Configuration) -> Void {
    { made, configuration in
      configuration.clientCertificateFile = made.path(file)
      configuration.clientKeyFile = key.map { made.path($0) }
      configuration.clientKeyPassword = password
    }
  }

  @Test(
    arguments: [
      ("client.pem", "client.key", nil), ("both.pem", nil, nil), ("client.pem", "locked.key", password),
    ] as [(String, String?, String?)])
  func `a server that verifies its clients accepts the certificate of the configuration`(
    file: String, key: String?, password: String?
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let made = try Certificates(in: folder)
      try await SecureServer.run(
        verifyingClientsBy: made.file("client.pem"), certificate: made.file("server.pem"), key: made.file("server.key")
      ) { server in
        let page = try await load(server.url("a"), made.configuration { Self.set(file, key, password)(made, &$0) })
        #expect(page.hasPrefix("200 "))
        #expect(page.contains("s_server"))
      }
    }
  }

  @Test(
    arguments: [
      (nil, nil, nil), ("stranger.pem", "stranger.key", nil), ("client.pem", "server.key", nil),
      ("client.pem", "locked.key", nil), ("client.pem", "locked.key", "wrong secret"), ("missing.pem", nil, nil),
    ] as [(String?, String?, String?)])
  func `without the right certificate and key the load fails, and no secret is in the error`(
    file: String?, key: String?, password: String?
  ) async throws {
    try await TemporaryDirectory.run { folder in
      let made = try Certificates(in: folder)
      try await SecureServer.run(
        verifyingClientsBy: made.file("client.pem"), certificate: made.file("server.pem"), key: made.file("server.key")
      ) { server in
        let configuration = made.configuration { configuration in
          if let file { Self.set(file, key, password)(made, &configuration) }
        }
        let error = await failure(server.url("a"), configuration)
        #expect(error?.description.contains("secret") == false)
        switch error {
        // With TLS 1.3 the server refuses when the request is on its way: its reset may overtake its alert.
        case .secureConnectionFailed(host: "127.0.0.1", _), .connectionLost: break
        default: Issue.record("\(String(describing: error))")
        }
      }
    }
  }

  @Test func `a host with a pinned key is loaded, also while its next key is pinned beside it`() async throws {
    try await withFiles { made, server in
      let pins: Set = [try made.pin(of: "server"), try made.pin(of: "stranger")]
      let configuration = made.configuration { $0.pinnedPublicKeys = ["127.0.0.1": pins, "localhost": pins] }
      #expect(try await load(server.url("a"), configuration) == "200 a page")
      #expect(try await load(server.url("a", host: "LOCALHOST"), configuration) == "200 a page")
    }
  }

  @Test func `a host with another key is an error that names it, and no pin`() async throws {
    try await withFiles { made, server in
      let pin = try made.pin(of: "stranger")
      for pins in [Set([pin]), ["no hash"], []] {
        let error = await failure(server.url("a"), made.configuration { $0.pinnedPublicKeys = ["127.0.0.1": pins] })
        #expect(error == .publicKeyMismatch(host: "127.0.0.1"))
        #expect(error?.description.contains("127.0.0.1") == true)
        #expect(error?.description.contains(pin) == false)
      }
      let other = await failure(
        server.url("a", host: "LOCALHOST"), made.configuration { $0.pinnedPublicKeys = ["localhost": [pin]] })
      guard case .publicKeyMismatch = other else { throw CancellationError() }
    }
  }

  @Test func `a transport checks the pins of each host, over new connections and reused handles`() async throws {
    try await withFiles { made, server in
      let pins = ["127.0.0.1": Set([try made.pin(of: "stranger")])]
      let transport = CurlTransport(configuration: made.configuration { $0.pinnedPublicKeys = pins })
      for _ in 0..<3 {
        let free = TransportRequest(url: server.url("a", host: "localhost"))
        #expect(try await transport.response(to: free).status == 200)
        await #expect(throws: TransportError.publicKeyMismatch(host: "127.0.0.1")) {
          try await transport.response(to: TransportRequest(url: server.url("a")))
        }
      }
    }
  }

  @Test func `a pinned key does not make up for a certificate that is not trusted`() async throws {
    try await withFiles { made, server in
      let pin = try made.pin(of: "server")
      let error = await failure(server.url("a"), .init(pinnedPublicKeys: ["127.0.0.1": [pin]]))
      guard case .secureConnectionFailed = error else {
        Issue.record("\(String(describing: error))")
        return
      }
    }
  }

  /// The proxy's URL, with a user and a password that have to be percent-encoded.
  private func proxyURL(_ proxy: ForwardProxy) throws -> URL {
    try #require(URL(string: "http://user:p%40ss%3Aword%2Fsecret@127.0.0.1:\(proxy.port)"))
  }

  @Test func `the proxy of the configuration gets its user and password, and opens the tunnel`() async throws {
    try await withFiles { made, server in
      try await ForwardProxy.run({ _ in .tunnel() }) { proxy in
        let url = try proxyURL(proxy)
        #expect(try await load(server.url("a"), made.configuration { $0.proxy = url }) == "200 a page")
        let credentials = Data("user:\(Self.password)".utf8).base64EncodedString()
        #expect(proxy.requests.first?.hasPrefix("CONNECT 127.0.0.1:\(server.port) ") == true)
        #expect(proxy.requests.first?.contains("Proxy-Authorization: Basic \(credentials)\r\n") == true)
      }
    }
  }

  @Test func `a proxy that refuses its password is an error without it`() async throws {
    let refusal = Data("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n".utf8)
    try await ForwardProxy.run({ _ in .reply(refusal) }) { proxy in
      let url = try #require(URL(string: "https://images.example/a"))
      let error = await failure(url, .init(proxy: try proxyURL(proxy)))
      guard case .proxyFailed(let name, 407, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(name.contains("127.0.0.1:\(proxy.port)") && error?.description.contains("secret") == false)
    }
  }

  @Test func `the proxy of the configuration stands above the environment, except for the hosts of no_proxy`() throws {
    let configured = try #require(URL(string: "http://configured:1"))
    let settings = ProxySettings(configured) { ["all_proxy": "http://other:1", "no_proxy": "exempt.example"][$0] }
    #expect(settings.proxy(for: try #require(URL(string: "https://a.example/")))?.text == "http://configured:1")
    #expect(settings.proxy(for: try #require(URL(string: "https://exempt.example/"))) == nil)
  }

  @Test func `a proxy of the configuration beside an address policy fails each transfer, and says so`() async throws {
    let proxy = try #require(URL(string: "http://user:secret@127.0.0.1:1"))
    let url = try #require(URL(string: "https://images.example/a"))
    let error = await failure(url, .init(addressPolicy: .publicInternetOnly, proxy: proxy))
    #expect(error?.description.contains("127.0.0.1:1") == true && error?.description.contains("secret") == false)
  }

  @Test func `nothing of a configuration's secrets is in its descriptions`() throws {
    var configuration = CurlTransport.Configuration(proxy: URL(string: "http://user:secret@proxy"))
    configuration.clientKeyPassword = "secret"
    configuration.clientKeyFile = "secret"
    configuration.clientCertificateFile = "secret"
    configuration.pinnedPublicKeys = ["secret": ["secret"]]
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in ["\(configuration)", String(reflecting: configuration), "\([configuration])", dumped] {
      #expect(!text.contains("secret"))
    }
  }
}
#endif
