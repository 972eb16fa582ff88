import HalcyonService
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
  ])
  func `a pattern refuses what only begins alike`(pattern: String, source: String) throws {
    let source = try #require(SourceURL(source))
    #expect(try !#require(SourcePattern(pattern)).matches(source))
  }

  @Test(arguments: [
    "https://example.com@evil.net/a", "https://user:secret@example.com/a", "https://example.com\\@evil.net/a",
    "https://example.com/x/../y", "https://example.com/x/%2e%2e/y", "https://example.com/x%2f..%2fy",
    "https://example.com/..%2f%CC%81y", "https://example.com/a%5C%CC%81b", "https://example.com/a%00%CC%81b",
    "https://example.com/a\u{0}b", "https://example.com/a\nb", "ftp://example.com/a", "file:///etc/passwd",
    "//example.com/a", "example.com/a", "", "https:///a", "https://./a", "gopher://example.com:11211/x",
    "https://example.com/x/%252e%252e/y ",
  ])
  func `an ambiguous or foreign URL is no source`(text: String) {
    #expect(SourceURL(text) == nil)
  }
}
