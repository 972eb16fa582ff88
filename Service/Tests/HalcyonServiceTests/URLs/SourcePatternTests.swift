import Foundation
@testable import HalcyonService
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct SourcePatternTests {
  @Test(arguments: [
    ("https://example.com", "https://example.com/a.jpg"), ("https://example.com", "https://EXAMPLE.com:443/a.jpg"),
    ("https://example.com/x", "https://example.com/x/a.jpg"), ("https://example.com/x/", "https://example.com/x"),
    ("https://*.example.com", "https://a.b.example.com/a.jpg"), ("http://example.com:81", "http://example.com:81/a"),
    ("https://example.com", "https://example.com./a.jpg"), ("https://example.com/x", "https://example.com/%78/a.jpg"),
    ("https://", "https://example.com:444/a"), ("s3://", "s3://bucket/a"),
    ("https://img-*.example.com/", "https://img-1.example.com/a"), ("http*://a.com/", "https://a.com/x"),
    ("https://*/photos/", "https://example.com:444/photos/a"), ("s3://*-public/", "s3://team-public/a"),
    ("https://a.com/*/thumbs/", "https://a.com/42/thumbs/a.jpg"), ("https://a.com/u*-x/", "https://a.com/u7-x/a"),
    ("https://a*c*e.com", "https://abcde.com/x"), ("https://*.com:81/", "https://a.com:81/x"),
    ("https://a.com/o/", "https://a.com/o/photos%2Fcat.png"),
    ("https://a.com/o/pho*/", "https://a.com/o/photos%2fcat.png"),
    ("https://a.com/o/photos%2F", "https://a.com/o/photos%5Ccat.png"), ("https://a.com", "https://a.com/a%5C%CC%81b"),
    ("https://a.com/caf%E9/", "https://a.com/caf%e9/a"), ("https://a.com/*/x/", "https://a.com/%FC%80/x/a"),
  ])
  func `a pattern allows the sources below it`(pattern: String, source: String) throws {
    let source = try #require(SourceURL(source))
    #expect(try #require(SourcePattern(pattern)).matches(source))
  }

  @Test(arguments: [
    ("https://example.com", "http://example.com/a.jpg"), ("https://example.com", "https://example.com.evil.net/a"),
    ("https://example.com", "https://evil.net/https://example.com"),
    ("https://example.com", "https://example.com:444/"),
    ("https://example.com", "https://sub.example.com/a"), ("https://example.com/x", "https://example.com/xy/a.jpg"),
    ("https://example.com/caf\u{e9}", "https://example.com/cafe%CC%81/a.jpg"),
    ("https://*.example.com", "https://example.com/a"), ("https://*.example.com", "https://evilexample.com/a"),
    ("https://", "http://example.com/a"), ("s3://", "https://example.com/a"),
    ("https://img-*.example.com/", "https://img-1.example.com.evil.net/a"), ("http*://a.com/", "s3://a.com/x"),
    ("https://*/photos/", "https://example.com/other/photos/a"), ("s3://*-public/", "s3://team-private/a"),
    ("https://a.com/*/thumbs/", "https://a.com/1/2/thumbs/a.jpg"), ("https://*.com:81/", "https://a.com/x"),
    ("https://*.com/", "https://a.com:81/x"), ("local://", "https://example.com/a"),
    ("https://a*a.com", "https://a.com/"), ("https://a.com/o/public/", "https://a.com/o/private%2Fpublic%2Fcat.png"),
    ("https://a.com/*/x/", "https://a.com/a%2Fb/x/c"), ("https://a.com/x/y", "https://a.com/x"),
    ("https://a.com/x", "https://a.com/"), ("https://a.com/caf%E9/", "https://a.com/caf%C3%A9/a"),
    ("https://a.com/%FC/", "https://a.com/%FD/a"), ("https://a.com/%FC/", "https://a.com/%25FC/a"),
  ])
  func `a pattern refuses what only begins alike`(pattern: String, source: String) throws {
    let source = try #require(SourceURL(source))
    #expect(try !#require(SourcePattern(pattern)).matches(source))
  }

  @Test func `credentials are bytes, which need not be UTF-8`() throws {
    let url = try #require(SourceURL("https://%FC:%FD%3A@a.com/%FE"))
    #expect(url.authorization == "Basic " + Data([0xFC, 0x3A, 0xFD, 0x3A]).base64EncodedString())
    #expect(url.url.absoluteString == "https://a.com/%FE")
  }

  @Test func `credentials of a URL are no part of its host`() throws {
    let url = try #require(SourceURL("https://example.com:b%40c@evil.net/a"))
    #expect(url.url.absoluteString == "https://evil.net/a" && url.host == "evil.net")
    #expect(url.authorization == "Basic " + Data("example.com:b@c".utf8).base64EncodedString())
    #expect(try !#require(SourcePattern("https://example.com")).matches(url))
    #expect(SourceURL("s3://a:b@bucket/key") == nil)
  }

  @Test func `local files are below the folder of a pattern`() throws {
    let pattern = try #require(SourcePattern("local:///public/*/small"))
    func allows(_ path: String, _ pattern: SourcePattern) throws -> Bool {
      pattern.matches(local: try LocalFolder.segments(of: "local:///" + path))
    }
    #expect(try allows("public/a/small/b.png", pattern))
    for path in ["public/a/b.png", "private/a/small"] { #expect(try !allows(path, pattern), "\(path)") }
    for text in ["https://", "s3://", "https://*/"] {
      #expect(try !allows("a.png", try #require(SourcePattern(text))), "\(text)")
    }
    #expect(try #require(SourcePattern("local:///%E9*/")).matches(local: [[0xE9, 0x74], [0x61]]))
  }

  @Test(arguments: [
    "", "*", "example.com", "ftp://a", "https://a b/", "https://a@b/", "https://a/?x", "local://a/b", "https:///a",
  ])
  func `a text that no source begins with is no pattern`(text: String) {
    #expect(SourcePattern(text) == nil)
  }

  @Test(arguments: [
    "https://example.com@evil.net/a", "https://:secret@example.com/a", "https://a:b@c@example.com/a",
    "https://a@b:c@example.com", "https://example.com\\@evil.net/a",
    "https://example.com/x/../y", "https://example.com/x/%2e%2e/y", "https://example.com/x%2f..%2fy",
    "https://example.com/..%2f%CC%81y", "https://example.com/a%00%CC%81b", "https://example.com/x%5c..%5Cy",
    "https://example.com/x%2F%2e%2e%2Fy", "https://example.com/x/..%5cy", "https://example.com/%2E%5Cy",
    "https://a.com/..%2F", "https://a.com/%FC%2f..%2Fy", "https://a.com/%FC/%2e%2E/y", "https://a.com/%FC%5C.",
    "https://a.com/%FC%00", "https://%FC.com/a", "https://u%FC:@b:c@a.com/", "https://u%FC@a.com/",
    "https://example.com/a\u{0}b", "https://example.com/a\nb", "ftp://example.com/a", "file:///etc/passwd",
    "//example.com/a", "example.com/a", "", "https:///a", "https://./a", "gopher://example.com:11211/x",
    "https://example.com/x/%252e%252e/y ",
  ])
  func `an ambiguous or foreign URL is no source`(text: String) {
    #expect(SourceURL(text) == nil)
  }
}
