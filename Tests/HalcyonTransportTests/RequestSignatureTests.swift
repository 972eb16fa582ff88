#if !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTransport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

/// Requests that libcurl signs for S3-compatible storage.
@Suite(.integrationTest)
struct RequestSignatureTests {
  private let transport = CurlTransport()
  private let signature = RequestSignature(
    key: .init(id: "AKID", secret: "hidden:key", sessionToken: "token"), region: "eu-central-1")

  private func web(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

  private func send(_ request: TransportRequest) async throws {
    for try await _ in try await transport.response(to: request).body {}
  }

  @Test func `a signed request has an authorization, a date and the token; the next one has none`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/bucket/a%20b.png", .body(Data([1])))
      for _ in 1...2 {
        var request = TransportRequest(url: url, headers: ["X-A": "1", "User-Agent": "Test/1"])
        request.signature = signature
        try await send(request)
        try await send(TransportRequest(url: url, headers: ["X-A": "1"]))
      }
      var put = TransportRequest(url: url, method: .put, body: Data([1, 2]))
      put.signature = signature
      try await send(put)
      let requests = server.requests
      for index in [0, 2, 4] {
        let authorization = try #require(requests[index].headers["Authorization"])
        #expect(authorization.hasPrefix("AWS4-HMAC-SHA256 Credential=AKID/"))
        #expect(authorization.contains("/eu-central-1/s3/aws4_request"))
        #expect(requests[index].headers["X-Amz-Date"] != nil)
        #expect(authorization.contains("x-amz-content-sha256"))
        #expect(!authorization.contains("user-agent"))
        if index < 4 { #expect(requests[index].headers.values(for: "User-Agent") == ["Test/1"]) }
        #expect(requests[index].headers["X-Amz-Security-Token"] == "token")
        #expect(requests[index].headers["Accept-Encoding"] == nil)
        #expect(!"\(requests[index].headers)".contains("hidden"))
      }
      for index in [1, 3] {
        #expect(requests[index].headers["User-Agent"] == nil)
        #expect(requests[index].headers["Authorization"] == nil && requests[index].headers["X-Amz-Date"] == nil)
        #expect(requests[index].headers["Accept-Encoding"] != nil && requests[index].headers["X-A"] == "1")
      }
      #expect(requests[4].body == Data([1, 2]))
      #expect(requests[4].headers["X-Amz-Content-Sha256"] == "UNSIGNED-PAYLOAD")
    }
  }

  @Test(arguments: [nil, "image/png"]) func `every signed field is sent`(type: String?) async throws {
    try await ImageServer.run { server in
      let url = server.serve("/bucket/a.png", .body(Data([1])))
      for (method, body) in [(HTTPMethod.put, Data(count: 2_000_000)), (.delete, nil), (.get, nil)]
        as [(HTTPMethod, Data?)]
      {
        var request = TransportRequest(url: url, method: method, body: body)
        request.headers["Content-Type"] = type
        request.signature = signature
        try await send(request)
      }
      #expect(server.requests.map(\.body.count) == [2_000_000, 0, 0])
      for request in server.requests {
        let authorization = try #require(request.headers["Authorization"])
        let names = try #require(authorization.split(separator: "SignedHeaders=").last?.prefix { $0 != "," })
        #expect(names.contains("host"))
        for name in names.split(separator: ";") { #expect(request.headers[String(name)] != nil, "\(name)") }
      }
    }
  }

  @Test func `descriptions do not contain the keys`() {
    var request = TransportRequest(url: web("http://127.0.0.1:1"))
    request.signature = signature
    var dumped = ""
    dump(request, to: &dumped)
    for text in ["\(request)", String(reflecting: request), dumped] {
      #expect(!text.contains("hidden"))
      #expect(!text.contains("AKID"))
      #expect(!text.contains("token"))
    }
  }
}
#endif
