import Foundation
import HalcyonHTTP
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct WebAddressTests {
  @Test(arguments: [
    "http://a.example/", "https://a-1.example/b.c/d.png?e=f@g&h", "http://localhost:8080/a", "https://a.example:80/b",
    "http://127.0.0.1/a@2x.png", "http://a.example/b..c/d", "https://a.example/?x=%23",
  ])
  func `usual URLs are known to be normal at once`(text: String) {
    #expect(WebAddress.isNormal(text))
    #expect(WebAddress.normalized(text) == nil)
  }

  @Test(arguments: [
    "", "http://", "http:///", "http://a.example", "http://A.example/", "http://a.example:80/",
    "https://a.example:443/",
    "http://a.example:/", "http://a.example:8080:80/", "http://:80/", "http://user@a.example/", "http://[::1]/",
    "ftp://a.example/",
    "http://a.example/./b", "http://a.example/b/..", "http://a.example/b\\c", "http://a.example/#b", "http://a_b/c",
  ])
  func `other texts are looked at in detail`(text: String) {
    #expect(!WebAddress.isNormal(text))
  }

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
    ("http://a.example/b%4", "http://a.example/b%254"),
    ("http://a.example/b%4z", "http://a.example/b%254z"),
    ("http://a.example/b%z4", "http://a.example/b%25z4"),
    ("http://a.example/b%aF", "http://a.example/b%aF"),
    ("http://a.example/b?%4#%4", "http://a.example/b?%254#%254"),
    ("http://a.example/b?c?d#e?f#g", "http://a.example/b?c?d#e?f%23g"),
    ("http://a.example/b#c?d", "http://a.example/b#c?d"),
    ("http://a.example/~a!b$c&d'(e)*f,g;h=i:j@k", "http://a.example/~a!b$c&d'(e)*f,g;h=i:j@k"),
    ("http://a.example/\u{7F}", "http://a.example/%7F"),
    ("\u{1}http://a.example/b\u{1F}", "http://a.example/b"),
    ("http://a.example\\b?c\\d", "http://a.example/b?c%5Cd"),
    ("http://a.example#b", "http://a.example#b"),
    ("http://a.example/x/.", "http://a.example/x/"),
    ("http://a.example/x/%2e", "http://a.example/x/"),
    ("http://a.example/x/.%2E/y", "http://a.example/y"),
    ("http://a.example/..", "http://a.example/"),
    ("http://a.example/x//../y", "http://a.example/x/y"),
    ("http://a.example/x/...", "http://a.example/x/..."),
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
    ("HTTP:c.png", "http://a.example:81/f/c.png"),
    ("http://b.example", "http://b.example"),
    ("http:\\\\b.example/c", "http://b.example/c"),
    (" c.png\n", "http://a.example:81/f/c.png"),
    (".", "http://a.example:81/f/"),
    ("..", "http://a.example:81/"),
    ("c/./d", "http://a.example:81/f/c/d"),
    ("?", "http://a.example:81/f/a.png?"),
    ("c?d#e", "http://a.example:81/f/c?d#e"),
    (":c", "http://a.example:81/f/:c"),
    ("a+b.c-d:e", "a+b.c-d:e"),
    ("a_b:c", "http://a.example:81/f/a_b:c"),
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
