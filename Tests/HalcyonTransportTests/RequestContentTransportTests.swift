import Foundation
import HalcyonHTTP
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Requests other than a plain GET, over connections to a real server.
@Suite(.integrationTest)
struct RequestContentTransportTests {
  private let transport = PlatformTransport()
  private let body = Data((0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })

  @discardableResult
  private func send(_ request: TransportRequest, idleTimeout: Duration = .seconds(600)) async throws -> Data {
    var request = request
    request.limits.idleTimeout = idleTimeout
    var data = Data()
    for try await piece in try await transport.response(to: request).body { data.append(piece) }
    return data
  }

  @Test func `method, body and only the given headers are sent`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1])))
      try await send(TransportRequest(url: url, method: .post, headers: ["Content-Type": "a/b"], body: body))
      try await send(TransportRequest(url: url, method: .put, body: Data([0, 1, 0])))
      try await send(TransportRequest(url: url, method: .post))
      let method = try #require(HTTPMethod("DELETE"))
      try await send(TransportRequest(url: url, method: method, headers: ["X-A": "1"]))
      let requests = server.requests
      #expect(requests.map(\.method) == ["POST", "PUT", "POST", "DELETE"])
      #expect(requests.map(\.body) == [body, Data([0, 1, 0]), Data(), Data()])
      #expect(requests.map { $0.headers["Content-Type"] } == ["a/b", nil, nil, nil])
      #expect(requests[2].headers["Content-Length"] == "0")
      #expect(requests.allSatisfy { $0.headers["Expect"] == nil && $0.headers["Transfer-Encoding"] == nil })
    }
  }

  @Test(.requires(.bodyOfGET)) func `a GET request may have a body`() async throws {
    try await ImageServer.run { server in
      try await send(TransportRequest(url: server.serve("/a", .body(Data([1]))), method: .get, body: Data([2])))
      #expect(server.requests.map(\.method) == ["GET"])
      #expect(server.requests.map(\.body) == [Data([2])])
    }
  }

  #if URLSESSION
  @Test func `a GET request with a body is refused, and the error names the method to use`() async throws {
    let url = try #require(URL(string: "http://127.0.0.1:1/a"))
    let error = await #expect(throws: TransportError.self) {
      try await send(TransportRequest(url: url, body: Data([2])))
    }
    #expect(error?.description.contains("use POST") == true)
  }
  #endif

  @Test func `a plain request after others is plain again`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/a", .body(Data([1])))
      for _ in 1...2 {
        try await send(TransportRequest(url: url, headers: ["X-A": "1"]))
        try await send(TransportRequest(url: url, method: .post, headers: ["X-A": "1"], body: Data([1, 2])))
        try await send(TransportRequest(url: url, headers: ["X-A": "1"]))
      }
      let plain = server.requests.filter { $0.method == "GET" }
      #expect(plain.count == 4)
      #expect(plain.allSatisfy { $0.body.isEmpty && $0.headers["Content-Length"] == nil })
      #expect(plain.allSatisfy { $0.headers["Content-Type"] == nil && $0.headers["X-A"] == "1" })
    }
  }

  @Test
  func `a request that is not idempotent is sent once, also when its connection is lost`() async throws {
    try await ImageServer.run { server in
      let ready = server.serve("/ready", .body(Data([1])))
      let lost = server.serve("/lost", Reply.body(Data([1])).reset(at: .head(0)))
      // Makes a connection that is reused: libcurl repeats a request when a reused connection turns out to be closed.
      try await send(TransportRequest(url: ready))
      await #expect(throws: TransportError.self) {
        // `URLSession` of Foundation for Linux does not notice the reset.
        try await send(TransportRequest(url: lost, method: .post, body: Data([1])), idleTimeout: .seconds(2))
      }
      #expect(server.requests.filter { $0.path == "/lost" }.count == 1)
    }
  }
}
