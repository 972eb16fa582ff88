import Foundation
import HalcyonHTTP
import HalcyonTestTraits
import Testing

@testable import HalcyonBackend

@Suite(.unitTest)
struct S3StorageTests {
  private let credentials = S3Credentials(accessKeyID: "AKID", secretAccessKey: "hidden:key", sessionToken: "token")

  private func web(_ text: String) -> URL { URL(string: text) ?? URL(filePath: "/") }

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
      #expect(!text.contains("hidden"))
      #expect(!text.contains("AKID"))
      #expect(!text.contains("token"))
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
    "http://photos.s3.example.com:443/a", "https://photos.s3.example.com:444/a",
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

  @Test func `keys of objects have no segment that leads elsewhere, whatever follows its slash`() throws {
    let endpoint = try #require(URL(string: "https://s3.example.com"))
    let storage = try #require(S3Storage(region: "us-east-1", endpoint: endpoint))
    for key in ["../secret/a", "..\u{2F}\u{301}a", "a/..\u{2F}\u{301}b", "a/.\u{2F}\u{301}b", "a\0\u{301}"] {
      #expect(storage.url(bucket: "images", key: key) == nil)
    }
    #expect(storage.url(bucket: "images", key: "a/\u{301}b") != nil)
  }
}
