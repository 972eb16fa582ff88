import Foundation
import HalcyonHTTP
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct WebAddressTests {
  @Test(arguments: [
    ("http://a.example/b.png", "http://a.example/b.png"),
    ("  http://a.example/b.png\n", "http://a.example/b.png"),
    ("http://a.example/b\t.p\r\nng", "http://a.example/b.png"),
    ("HTTP://a.example/b.png", "http://a.example/b.png"),
    ("http:a.example/b.png", "http://a.example/b.png"),
    ("https:\\\\a.example\\b.png", "https://a.example/b.png"),
    ("http:///a.example/b.png", "http://a.example/b.png"),
    ("http://a.example", "http://a.example"),
    ("http://a.example?b", "http://a.example?b"),
    ("http://a.example/a b%20c.png", "http://a.example/a%20b%20c.png"),
    ("http://a.example/a%2520b.png", "http://a.example/a%2520b.png"),
    ("http://a.example/100%.png", "http://a.example/100%25.png"),
    ("http://a.example/5%zz.png", "http://a.example/5%25zz.png"),
    ("http://a.example/b%", "http://a.example/b%25"),
    ("http://a.example/é.png?é#é", "http://a.example/%C3%A9.png?%C3%A9#%C3%A9"),
    ("http://a.example/b.png?a=b c&d=\"<>", "http://a.example/b.png?a=b%20c&d=%22%3C%3E"),
    ("http://a.example/b.png?a=\\%5C", "http://a.example/b.png?a=%5C%5C"),
    ("http://a.example/a|b{c}[d]^`.png", "http://a.example/a%7Cb%7Bc%7D%5Bd%5D%5E%60.png"),
    ("http://a.example/x/../b.png", "http://a.example/b.png"),
    ("http://a.example/x/%2E%2e/./b.png", "http://a.example/b.png"),
    ("http://a.example/x/y/..", "http://a.example/x/"),
    ("http://a.example/../../b.png", "http://a.example/b.png"),
    ("http://a.example//x//b.png", "http://a.example//x//b.png"),
    ("http://user:pass@a.example:81/b.png", "http://user:pass@a.example:81/b.png"),
    ("http://[::1]:81/b.png", "http://[::1]:81/b.png"),
    ("http://a.example/a+b.png?c+d", "http://a.example/a+b.png?c+d"),
    ("file:///a.png", "file:///a.png"),
  ])
  func `an address becomes a URL`(text: String, expected: String) {
    #expect(WebAddress.url(text)?.absoluteString == expected)
  }

  @Test(arguments: ["", " ", "http:", "http://", "http:///", "http://?a", "http://a.example:x/"])
  func `an address without a host is none`(text: String) {
    let url = WebAddress.url(text)
    #expect(url.flatMap(HTTPURL.init) == nil, "\(url?.absoluteString ?? "")")
  }

  @Test(arguments: [
    ("b.png", "http://a.example:81/f/b.png"),
    ("/b.png", "http://a.example:81/b.png"),
    ("../b.png", "http://a.example:81/b.png"),
    ("//b.example/c", "http://b.example/c"),
    ("\\b.png", "http://a.example:81/b.png"),
    ("\\\\b.example\\c", "http://b.example/c"),
    ("http:/b.png", "http://a.example:81/b.png"),
    ("http:b.png", "http://a.example:81/f/b.png"),
    ("https:/b.png", "https://b.png"),
    ("?c", "http://a.example:81/f/a.png?c"),
    ("#c", "http://a.example:81/f/a.png?q#c"),
    ("", "http://a.example:81/f/a.png?q"),
    ("a b%20c.png", "http://a.example:81/f/a%20b%20c.png"),
    ("1:2.png", "http://a.example:81/f/1:2.png"),
    ("x/y:z", "http://a.example:81/f/x/y:z"),
    ("ftp://b.example/c", "ftp://b.example/c"),
  ])
  func `a reference is relative to a URL`(text: String, expected: String) throws {
    let base = try #require(URL(string: "http://a.example:81/f/a.png?q#r"))
    #expect(WebAddress.url(text, relativeTo: base)?.absoluteString == expected)
  }

  @Test func `a reference to the root of a server without a path is its path`() throws {
    let base = try #require(URL(string: "http://a.example"))
    #expect(WebAddress.url("b.png", relativeTo: base)?.absoluteString == "http://a.example/b.png")
  }
}
