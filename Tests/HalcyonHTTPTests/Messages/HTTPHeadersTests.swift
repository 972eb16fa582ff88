import HalcyonHTTP
import Foundation
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct HTTPHeadersTests {
  @Test func `field names are case-insensitive`() {
    let headers: HTTPHeaders = ["Content-Type": "image/png"]
    #expect(headers["content-type"] == "image/png")
    #expect(headers["Content"] == nil)
    // Only of letters.
    for (name, other, isSame) in [("A-Z", "a-z", true), ("@", "`", false), ("[", "{", false), ("É", "é", false)] {
      let headers: HTTPHeaders = [name: "1"]
      #expect((headers[other] != nil) == isSame, "\(name)")
    }
  }

  @Test func `repeated fields are joined in order`() {
    var headers = HTTPHeaders()
    headers.add(name: "Cache-Control", value: "max-age=60")
    headers.add(name: "cache-control", value: "public")
    #expect(headers["Cache-Control"] == "max-age=60, public")
    headers["CACHE-CONTROL"] = "no-store"
    #expect(headers.fields.count == 1)
    headers["Cache-Control"] = nil
    #expect(headers.fields.isEmpty)
  }

  @Test func `fields are added unless there are some of the same name`() {
    let headers: HTTPHeaders = ["Accept": "image/png"]
    #expect(headers.adding(["accept": "*/*", "X": "1"]).fields.map(\.value) == ["image/png", "1"])
    #expect(HTTPHeaders().adding(headers) == headers)
  }

  @Test func `a comma separates also before a combining mark`() throws {
    let caching = CacheControl(["Cache-Control": "no-store,\u{301}x, max-age=5,\u{301}, private"])
    #expect(caching.forbidsStorage)
    #expect(caching.maxAge == 5)
    #expect(caching.isPrivate)
    #expect(VaryKey(of: ["Vary": "*,\u{301}"], requestHeaders: [:]) == nil)
    let headers: HTTPHeaders = ["Connection": "X-Secret,\u{301}a", "X-Secret": "1", "X-Other": "2"]
    #expect(headers.endToEnd == ["X-Other": "2"])
  }

  @Test func `equality and hash ignore case and order`() {
    let left: HTTPHeaders = ["A": "1", "B": "2"]
    let right: HTTPHeaders = ["b": "2", "a": "1"]
    #expect(left == right)
    #expect(Set([left, right]).count == 1)
    #expect(left != ["A": "1", "B": "3"])
  }

  @Test func `hop-by-hop fields are not among the end-to-end fields`() {
    let headers: HTTPHeaders = [
      "connection": "close, X-Hop", "x-hop": "1", "Keep-Alive": "timeout=5", "TE": "trailers", "Upgrade": "h2c",
      "Transfer-Encoding": "chunked", "Proxy-Authorization": "x", "ETag": "1", "Cache-Control": "no-store",
    ]
    #expect(headers.endToEnd == ["ETag": "1", "Cache-Control": "no-store"])
  }

  @Test(
    arguments: [
      (["If-None-Match": "\"a\""], true), (["if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT"], true),
      (["If-Range": "\"a\"", "Cache-Control": "no-cache"], false), ([:], false),
    ] as [(HTTPHeaders, Bool)])
  func `If-None-Match and If-Modified-Since make a request conditional`(headers: HTTPHeaders, isConditional: Bool) {
    #expect(headers.isConditional == isConditional)
  }
}

@Suite(.unitTest)
struct DigitsTests {
  @Test(arguments: [
    ("0", true), ("0123456789", true), ("", false), ("+1", false), ("-1", false), (" 1", false), ("1.0", false),
    ("1a", false), ("\u{0661}", false),
  ])
  func `only one or more ASCII digits are digits`(text: String, isDigits: Bool) {
    #expect(text.isASCIIDigits == isDigits)
  }

  @Test(
    arguments: [
      ("7", 7), ("0", 0), ("99999999999", 1 << 31), ("Sun, 06 Nov 1994 08:49:47 GMT", 10),
      ("Sun, 06 Nov 1994 08:49:27 GMT", 0), ("-1", nil), ("1.5", nil), ("soon", nil), (nil, nil),
    ] as [(String?, Int?)])
  func `Retry-After is a number of seconds or a date, and never negative`(field: String?, seconds: Int?) {
    let now = Date(timeIntervalSince1970: 784_111_777)
    #expect(RetryAfter.parse(field, now: now) == seconds.map { .seconds($0) })
  }

  @Test(
    arguments: [("Sun, 06 Nov 1994 08:49:37 GMT", 60), ("Sun, 06 Nov 1994 08:50:47 GMT", 0), (nil, 10)]
      as [(String?, Int)])
  func `a date in Retry-After counts from the server's own date`(date: String?, seconds: Int) {
    var headers: HTTPHeaders = ["Retry-After": "Sun, 06 Nov 1994 08:50:37 GMT"]
    headers["Date"] = date
    let now = Date(timeIntervalSince1970: 784_111_827)
    #expect(RetryAfter.delay(in: headers, now: now) == .seconds(seconds))
  }

  @Test func `a field value without digits is not a number`() {
    #expect((["Content-Length": ""] as HTTPHeaders).contentLength == nil)
    #expect((["Content-Length": "5, "] as HTTPHeaders).contentLength == nil)
    #expect(RetryAfter.parse("", now: Date()) == nil)
    #expect(CacheControl(["Cache-Control": "max-age=, stale-if-error"]).maxAge == 0)
  }

  @Test func `fields are printed one a line, without the values of credentials`() {
    let headers: HTTPHeaders = [
      "Accept": "image/webp", "authorization": "Bearer secret", "Cookie": "id=secret",
      "Proxy-Authorization": "Basic secret", "set-cookie": "id=secret",
    ]
    let secrets = "authorization: …\nCookie: …\nProxy-Authorization: …\nset-cookie: …"
    #expect(headers.description == "Accept: image/webp\n" + secrets)
  }
}
