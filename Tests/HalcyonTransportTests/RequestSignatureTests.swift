#if !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTransport
import TestSupport
import TestTraits
import Testing

/// Requests that libcurl signs for S3-compatible storage.
@Suite(.integrationTest)
struct RequestSignatureTests {
  private let transport = CurlTransport()
  private let credentials = S3Credentials(accessKeyID: "AKID", secretAccessKey: "hidden:key", sessionToken: "token")

  private func web(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

  private func send(_ request: TransportRequest) async throws {
    for try await _ in try await transport.response(to: request).body {}
  }

  @Test func `a signed request has an authorization, a date and the token; the next one has none`() async throws {
    try await ImageServer.run { server in
      let url = server.serve("/bucket/a%20b.png", .body(Data([1])))
      let signature = RequestSignature(credentials: credentials, region: "eu-central-1")
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
        #expect(authorization.contains("x-amz-content-sha256") && !authorization.contains("user-agent"))
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
        request.signature = RequestSignature(credentials: credentials, region: "eu-central-1")
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

  @Test func `descriptions do not contain the keys`() throws {
    let storage = try #require(
      S3Storage(
        region: "us-east-1", endpoint: web("http://127.0.0.1:1"), credentials: credentials))
    let request = try #require(storage.request(bucket: "photos", key: "a.png"))
    #expect(request.signature != nil)
    var dumped = ""
    dump(request, to: &dumped)
    dump(storage, to: &dumped)
    dump(credentials, to: &dumped)
    for text in ["\(request)", "\(storage)", String(reflecting: request), "\(credentials)", dumped] {
      #expect(!text.contains("hidden") && !text.contains("AKID") && !text.contains("token"))
    }
  }

  @Test(arguments: [
    (
      S3Storage.Addressing.path, "https://s3.example.com", "photos", "a b/ä+.png",
      "https://s3.example.com/photos/a%20b/%C3%A4%2B.png"
    ),
    (.path, "http://127.0.0.1:9000/s3/", "photos", "a.png", "http://127.0.0.1:9000/s3/photos/a.png"),
    (.virtualHost, "https://s3.example.com", "photos", "a//b", "https://photos.s3.example.com/a//b"),
    (.virtualHost, "https://s3.example.com", "my.photos", "a", "https://s3.example.com/my.photos/a"),
    (.virtualHost, "https://s3.example.com", "My_photos", "a", "https://s3.example.com/My_photos/a"),
  ])
  func `an object has a URL of the storage`(
    addressing: S3Storage.Addressing, endpoint: String, bucket: String, key: String, url: String
  ) throws {
    let storage = try #require(
      S3Storage(region: "r", endpoint: web(endpoint), addressing: addressing))
    let made = try #require(storage.url(bucket: bucket, key: key))
    #expect(made.absoluteString == url)
    #expect(storage.contains(made))
  }

  @Test(arguments: [
    ("ab", "a"), ("a/b", "a"), ("evil.com@x", "a"), ("...", "a"), ("photos", ""), ("photos", "../a"),
    ("photos", "a/./b"),
    ("photos?", "a"), ("photos", String(repeating: "a", count: 1025)),
  ])
  func `names that are not valid have no URL`(bucket: String, key: String) throws {
    let endpoint = try #require(URL(string: "https://s3.example.com"))
    for addressing in [S3Storage.Addressing.path, .virtualHost] {
      let storage = try #require(S3Storage(region: "r", endpoint: endpoint, addressing: addressing))
      #expect(storage.url(bucket: bucket, key: key) == nil)
    }
  }

  @Test(arguments: [
    "http://s3.example.com/a", "https://s3.example.com:444/a", "https://s3.example.com.evil.org/a",
    "https://evils3.example.com/a", "https://a.b.s3.example.com/a", "https://example.com/a",
  ])
  func `requests to other hosts are not signed`(text: String) throws {
    let endpoint = try #require(URL(string: "https://s3.example.com"))
    let storage = try #require(
      S3Storage(region: "r", endpoint: endpoint, addressing: .virtualHost, credentials: credentials))
    #expect(storage.signed(TransportRequest(url: web(text))).signature == nil)
    let own = try #require(URL(string: "https://photos.s3.example.com/a"))
    #expect(storage.signed(TransportRequest(url: own)).signature != nil)
  }

  @Test(arguments: ["ftp://s3.example.com", "https://user:word@s3.example.com", "https://s3.example.com?a", "s3"])
  func `an endpoint is a web URL without a password`(text: String) throws {
    #expect(S3Storage(region: "r", endpoint: web(text)) == nil)
  }
}
#endif
