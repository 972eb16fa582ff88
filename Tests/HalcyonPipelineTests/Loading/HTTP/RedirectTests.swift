import Foundation
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonHTTP
@testable import HalcyonPipeline

@Suite(.unitTest)
struct RedirectTests {
  private let credentials: HTTPHeaders = [
    "Authorization": "Bearer secret", "Cookie": "id=1", "X-Api-Key": "key", "Accept": "image/png",
  ]

  private let signature = RequestSignature(
    key: .init(id: "id", secret: "key"), region: "eu")

  private func request(_ url: String) throws -> TransportRequest {
    var request = TransportRequest(url: try #require(URL(string: url)), headers: credentials)
    request.signature = signature
    return request
  }

  @Test(arguments: [
    ("/b.jpg", "https://example.com/b.jpg"),
    ("c.jpg?x=1", "https://example.com/a/c.jpg?x=1"),
    ("https://example.com:443/b.jpg", "https://example.com:443/b.jpg"),
  ])
  func `a redirect within the origin keeps all headers`(location: String, expected: String) throws {
    let next = try Redirect.next(
      after: request("https://example.com/a/b"), status: 302, headers: ["Location": location])
    #expect(next?.url.absoluteString == expected)
    #expect(next?.headers == credentials)
    #expect(next?.signature == signature)
  }

  @Test(arguments: [
    "https://other.example/b.jpg", "http://example.com/b.jpg", "https://example.com:8443/b.jpg", "//evil.example/x",
  ])
  func `a redirect to another origin drops credentials`(location: String) throws {
    var request = try request("https://example.com/a")
    let impersonal: HTTPHeaders = ["User-Agent": "Test/1", "Accept-Language": "de", "Cache-Control": "no-cache"]
    for field in impersonal.fields { request.headers[field.name] = field.value }
    let next = try Redirect.next(after: request, status: 301, headers: ["Location": location])
    #expect(next?.headers == impersonal.adding(["Accept": "image/png"]))
    #expect(next != nil && next?.signature == nil)
  }

  @Test(arguments: [
    ("https://app.example/page?x=1", "https://other.example/b", "https://app.example/page?x=1"),
    ("http://app.example/", "https://other.example/b", "http://app.example/"),
    ("http://app.example/", "http://other.example/b", "http://app.example/"),
    ("https://anna:secret@app.example/page", "https://other.example/b", "https://app.example/page"),
    ("https://app.example/page", "http://other.example/b", nil), ("a b@c", "https://other.example/b", nil),
    ("https://anna:secret@app.example/page", "https://example.com/b", "https://anna:secret@app.example/page"),
  ])
  func `the Referer follows to another origin, without credentials, and not from a secure to an unsecured one`(
    referer: String, location: String, sent: String?
  ) throws {
    var request = try request("https://example.com/a")
    request.headers["Referer"] = referer
    let next = try Redirect.next(after: request, status: 302, headers: ["Location": location])
    #expect(next?.headers["Referer"] == sent)
  }

  @Test(arguments: ["file:///etc/passwd", "ftp://example.com/a", "data:image/png;base64,AAAA", "http://"])
  func `a redirect to anything but a valid HTTP URL is rejected`(location: String) throws {
    #expect(throws: ImageError.self) {
      try Redirect.next(after: request("https://example.com/a"), status: 302, headers: ["Location": location])
    }
  }

  @Test func `a Location that is repeated is one, and different ones are an error`() throws {
    var headers: HTTPHeaders = ["Location": "/b.jpg", "location": "/b.jpg"]
    let next = try Redirect.next(after: request("https://example.com/a"), status: 302, headers: headers)
    #expect(next?.url.absoluteString == "https://example.com/b.jpg")
    headers.add(name: "Location", value: "/c.jpg")
    #expect(throws: ImageError.self) {
      try Redirect.next(after: request("https://example.com/a"), status: 302, headers: headers)
    }
  }

  @Test(arguments: [[:], ["Location": ""]] as [HTTPHeaders])
  func `a redirect without a Location is not followed`(headers: HTTPHeaders) throws {
    #expect(try Redirect.next(after: request("https://example.com/a"), status: 302, headers: headers) == nil)
  }

  @Test(arguments: [200, 204, 300, 304, 404])
  func `other status codes are not redirects`(status: Int) throws {
    let next = try Redirect.next(after: request("https://example.com/a"), status: status, headers: ["Location": "/b"])
    #expect(next == nil)
  }
}
