#if URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The settings of a session that a program makes, over connections to a real server.
@Suite(.integrationTest)
struct URLSessionTransportTests {
  private func status(of url: URL, _ transport: URLSessionTransport) async throws -> Int {
    let response = try await transport.response(to: TransportRequest(url: url))
    for try await _ in response.body {}
    return response.status
  }

  @Test func `the headers and cookies of a configuration are sent`() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["X-App": "1"]
    let cookies = try #require(configuration.httpCookieStorage)
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1]), headers: ["Set-Cookie": "session=7; Path=/"]))
      let transport = URLSessionTransport(configuration: configuration)
      for _ in 0..<2 { _ = try await status(of: url, transport) }
      #expect(server.requests.map { $0.headers["X-App"] } == ["1", "1"])
      #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "session=7"])
      #expect(cookies.cookies?.count == 1)
    }
  }

  @Test func `without a configuration there are no cookies`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1]), headers: ["Set-Cookie": "session=7; Path=/"]))
      let transport = URLSessionTransport()
      for _ in 0..<2 { _ = try await status(of: url, transport) }
      #expect(server.requests.map { $0.headers["Cookie"] } == [nil, nil])
    }
  }

  @Test func `the configuration of the caller is not changed, and its cache not used`() async throws {
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = .shared
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1]), headers: ["Cache-Control": "max-age=60"]))
      let transport = URLSessionTransport(configuration: configuration)
      for _ in 0..<2 { _ = try await status(of: url, transport) }
      #expect(server.requests.count == 2)
      #expect(configuration.urlCache === URLCache.shared)
    }
  }

  @Test func `the status that only proxies send is not that of the server`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .status(407, body: Data([1])))
      let error = await #expect(throws: TransportError.self) { try await status(of: url, URLSessionTransport()) }
      guard case .proxyFailed(_, 407, _)? = error else { return #expect(Bool(false), "\(String(describing: error))") }
    }
  }

  private func locked(_ server: ImageServer) -> URL {
    server.serve("/a") { request in
      request.headers["Authorization"] == "Basic YTpi"
        ? .body(Data([1])) : .status(401, headers: ["WWW-Authenticate": "Basic realm=\"images\""])
    }
  }

  @Test(.requires(.challenges)) func `a challenge handler answers with a credential`() async throws {
    try await ImageServer.run { server in
      let url = locked(server)
      let transport = URLSessionTransport { challenge in
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
          return (.performDefaultHandling, nil)
        }
        return (.useCredential, URLCredential(user: "a", password: "b", persistence: .forSession))
      }
      let statuses = [try await status(of: url, transport), try await status(of: url, URLSessionTransport())]
      #expect(statuses == [200, 401])
    }
  }

  @Test func `a rejected challenge is a failed connection, not a cancellation`() async throws {
    try await ImageServer.run { server in
      let url = locked(server)
      let transport = URLSessionTransport { _ in (.cancelAuthenticationChallenge, nil) }
      let error = await #expect(throws: TransportError.self) { try await status(of: url, transport) }
      guard case .secureConnectionFailed(let host, _) = error else {
        Issue.record("\(String(describing: error))")
        return
      }
      #expect(host == url.host(percentEncoded: false))
    }
  }
}
#endif
