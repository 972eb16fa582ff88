#if os(Linux) && !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

/// Proxies, good and hostile: what they say themselves is not the response of a server.
@Suite(.integrationTest)
struct ProxyTests {
  private static let image = Data("GIF89a and more".utf8)

  private func file(_ name: String) -> URL {
    Bundle.module.bundleURL.appending(path: "Certificates/\(name)")
  }

  private func transport(over proxy: String) -> CurlTransport {
    CurlTransport(
      configuration: .init(certificateAuthorityFile: file("authority.pem").path),
      proxies: ProxySettings { $0 == "all_proxy" ? proxy : nil })
  }

  private func transport(over proxy: ForwardProxy) -> CurlTransport {
    transport(over: "http://user:secret@127.0.0.1:\(proxy.port)")
  }

  private func load(_ url: URL, by transport: CurlTransport) async throws -> (TransportResponse, Data) {
    let response = try await transport.response(to: TransportRequest(url: url))
    return (response, try await response.body.reduce(into: Data()) { $0 += $1 })
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  /// The status in the error of a proxy, which has to be the outcome of a load, and its text.
  private func failure(of url: URL, by transport: CurlTransport) async -> (status: Int?, text: String)? {
    // Not even a head is received, which could be a redirect.
    let error = await #expect(throws: TransportError.self) {
      try await transport.response(to: TransportRequest(url: url))
    }
    guard case .proxyFailed(let proxy, let status, _) = error else {
      Issue.record("not an error of the proxy: \(error.map { "\($0)" } ?? "none")")
      return nil
    }
    #expect(proxy.contains("127.0.0.1"))
    #expect(!proxy.contains("secret"))
    return (status, error?.description ?? "")
  }

  @Test(
    .enabled(if: SecureServer.isInstalled, "nghttpd is missing: install Debian's nghttp2-server"),
    arguments: [
      "HTTP/1.1 200 Connection established\r\n\r\n",
      "HTTP/1.0 200 OK\r\nLocation: http://127.0.0.1/x\r\nContent-Type: image/gif\r\nCache-Control: no-store\r\n\r\n",
      "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n",
    ])
  func `behind a proxy the first response over each tunnel is the server's`(head: String) async throws {
    try await TemporaryDirectory.run { folder in
      try Self.image.write(to: folder.appending(path: "a.gif"))
      try await SecureServer.run(folder: folder, certificate: file("server.pem"), key: file("server.key")) { server in
        try await ForwardProxy.run({ _ in .tunnel(head: head) }) { proxy in
          let (missing, _) = try await load(server.url("missing"), by: transport(over: proxy))
          #expect(missing.status == 404)
          let (found, body) = try await load(server.url("a.gif"), by: transport(over: proxy))
          #expect(found.status == 200)
          #expect(body == Self.image)
          #expect(found.headers["Content-Length"] == "\(Self.image.count)")
          #expect(found.headers["Last-Modified"] != nil && found.headers["Location"] == nil)
          #expect(proxy.requests.allSatisfy { $0.hasPrefix("CONNECT 127.0.0.1:\(server.port) ") })
          #expect(proxy.requests.count == 2)
        }
      }
    }
  }

  @Test(arguments: [301, 302, 304, 307, 401, 403, 404, 407, 429, 500, 502, 503])
  func `a refusal of CONNECT is an error of the proxy, whatever it contains`(status: Int) async throws {
    let head = [
      "HTTP/1.1 \(status) Refused", "Location: https://127.0.0.1:1/other.gif", "Content-Type: image/gif",
      "Retry-After: 1", "ETag: \"1\"", "Content-Length: \(Self.image.count)",
    ].joined(separator: "\r\n")
    let reply = Data((head + "\r\n\r\n").utf8) + Self.image
    try await ForwardProxy.run({ _ in .reply(reply) }) { proxy in
      let failure = await failure(of: try url("https://bank.example/logo.gif"), by: transport(over: proxy))
      #expect(failure?.status == status)
      #expect(failure?.text.contains("127.0.0.1:\(proxy.port)") == true, "\(failure?.text ?? "")")
      #expect(failure?.text.contains("HTTP \(status)") == true)
    }
  }

  @Test(arguments: [
    // Trailer fields that look like another response; their last line is not empty, but blank.
    "HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nHTTP/1.1 302 Found\r\nLocation: http://x/\r\n \r\n\r\n",
    "HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nHTTP/1.1 200 OK\r\nX: 1\r\n \r\n\r\n",
    "HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 302 Found\r\nLocation: http://x/\r\n\r\n",
    "HTTP/1.1 101 Switching\r\n\r\nHTTP/1.1 302 Found\r\nLocation: http://x/\r\n\r\n",
    "HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 302 Found\r\nLocation: http://x/\r\n\r\n",
    "HTTP/2 302\r\nlocation: http://x/\r\n\r\n", "nonsense\r\n\r\n", "",
  ])
  func `no other message of a proxy is a response of the server`(reply: String) async throws {
    try await ForwardProxy.run({ _ in .reply(Data(reply.utf8)) }) { proxy in
      let error = await #expect(throws: TransportError.self) {
        try await transport(over: proxy).response(to: TransportRequest(url: try url("https://bank.example/logo.gif")))
      }
      #expect(error?.description.contains("127.0.0.1:\(proxy.port)") == true, "\(error?.description ?? "")")
    }
  }

  @Test(arguments: [
    (407, "Proxy-Authenticate: Basic realm=\"x\""), (407, "X: 1"), (502, "Proxy-Status: cdn, squid; error=dns_error"),
    (504, "Proxy-Status: p;error=connection_timeout"), (503, "X-Squid-Error: ERR_DNS_FAIL 0"),
    (403, "X-Squid-Error: ERR_ACCESS_DENIED 0"),
  ])
  func `an error that a proxy has made itself names it, for http too`(status: Int, field: String) async throws {
    let reply = "HTTP/1.1 \(status) No\r\n\(field)\r\nContent-Length: 0\r\n\r\n"
    try await ForwardProxy.run({ _ in .reply(Data(reply.utf8)) }) { proxy in
      let failure = await failure(of: try url("http://images.example/a.gif"), by: transport(over: proxy))
      #expect(failure?.status == status)
      #expect(proxy.requests.first?.hasPrefix("GET http://images.example/a.gif ") == true)
    }
  }

  @Test(arguments: [
    (404, "Via: 1.1 p"), (502, "X: 1"), (502, "Proxy-Status: cdn; error=dns_error, p"), (200, "X: 1"),
    (404, "Proxy-Status: p; error=http_request_error"), (200, "X-Squid-Error: ERR_NONE 0"),
  ])
  func `another response over a proxy is the server's`(status: Int, field: String) async throws {
    let reply = "HTTP/1.1 \(status) Status\r\n\(field)\r\nContent-Length: 3\r\n\r\nabc"
    try await ForwardProxy.run({ _ in .reply(Data(reply.utf8)) }) { proxy in
      let (response, body) = try await load(try url("http://images.example/a.gif"), by: transport(over: proxy))
      #expect(response.status == status)
      #expect(body == Data("abc".utf8))
    }
  }

  @Test func `a proxy that closes the connection instead of a response is named`() async throws {
    try await ForwardProxy.run({ _ in .reply(Data()) }) { proxy in
      let failure = await failure(of: try url("http://images.example/a.gif"), by: transport(over: proxy))
      #expect(failure?.text.contains("127.0.0.1:\(proxy.port)") == true)
      #expect(failure?.status == nil)
    }
  }

  @Test(arguments: ["http", "https", "socks5h"])
  func `a proxy that cannot be reached is named`(scheme: String) async throws {
    try await ImageServer.run { server in
      let port = try #require(try server.refusingURL("/").port)
      for target in ["http://images.example/", "https://images.example/"] {
        let transport = transport(over: "\(scheme)://user:secret@127.0.0.1:\(port)")
        let failure = await failure(of: try url(target), by: transport)
        #expect(failure?.text.contains("127.0.0.1:\(port)") == true)
        #expect(failure?.text.contains("secret") == false)
      }
    }
  }

  @Test func `a proxy that does not respond in time is named`() async throws {
    let port = try SilentPort()
    let request = TransportRequest(
      url: try url("https://images.example/"), limits: TransportLimits(connectTimeout: .milliseconds(100)))
    let transport = transport(over: "http://127.0.0.1:\(port.number)")
    let error = await #expect(throws: TransportError.self) { try await transport.response(to: request) }
    #expect(error?.description.contains("127.0.0.1:\(port.number)") == true, "\(error?.description ?? "")")
  }

  @Test(.enabled(if: SecureServer.isInstalled, "nghttpd is missing: install Debian's nghttp2-server"))
  func `an untrusted certificate behind a proxy is an error that names the proxy`() async throws {
    try await TemporaryDirectory.run { folder in
      try await SecureServer.run(folder: folder, certificate: file("otherhost.pem"), key: file("server.key")) {
        server in
        try await ForwardProxy.run({ _ in .tunnel() }) { proxy in
          let error = await #expect(throws: TransportError.self) {
            try await load(server.url("a"), by: transport(over: proxy))
          }
          guard case .secureConnectionFailed(_, let reason) = error else {
            Issue.record("\(error?.description ?? "")")
            return
          }
          #expect(reason.contains("127.0.0.1:\(proxy.port)"))
          #expect(!reason.contains("secret"))
        }
      }
    }
  }

  @Test(
    arguments: [
      (["http_proxy": "a"], "http://h.example/", "a"), (["HTTP_PROXY": "a"], "http://h.example/", nil),
      (["https_proxy": "", "HTTPS_PROXY": "b"], "https://h.example/", "b"),
      (["http_proxy": "a"], "HTTPS://h.example/", nil),
      (["all_proxy": "a", "https_proxy": "b"], "https://h.example/", "b"),
      (["ALL_PROXY": "a"], "http://h.example/", "a"),
      (["all_proxy": "a", "no_proxy": "*"], "http://h.example/", nil),
      (["all_proxy": "a", "no_proxy": "x, .Example"], "http://h.example/", nil),
      (["all_proxy": "a", "no_proxy": "example"], "http://H.EXAMPLE./", nil),
      (["all_proxy": "a", "no_proxy": "ample"], "http://h.example/", "a"),
      (["all_proxy": "a", "NO_PROXY": "10.0.0.0/8 127.0.0.1"], "http://10.2.3.4:80/", nil),
      (["all_proxy": "a", "no_proxy": "10.0.0.0/8"], "http://11.2.3.4/", "a"),
      (["all_proxy": "a", "no_proxy": "::1"], "http://[::1]:8080/", nil), ([:], "http://h.example/", nil),
    ] as [([String: String], String, String?)])
  func `the proxy of a URL is chosen from the environment as libcurl does`(
    variables: [String: String], text: String, expected: String?
  ) throws {
    #expect(ProxySettings { variables[$0] }.proxy(for: try url(text))?.text == expected)
  }

  @Test(arguments: [
    ("http://p", "http://h.example/", true), ("http://p", "https://h.example/", false),
    ("SOCKS5h://p", "http://h.example/", false),
  ])
  func `only a proxy that reads the request may respond to it itself`(proxy: String, text: String, reads: Bool) throws {
    let settings = ProxySettings { $0 == "all_proxy" ? proxy : nil }
    #expect(try settings.proxy(for: url(text))?.readsRequest == reads)
  }
}
#endif
