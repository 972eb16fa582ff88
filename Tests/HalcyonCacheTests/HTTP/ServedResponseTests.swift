import HalcyonHTTP
import HalcyonCache
import Foundation
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ServedResponseTests {
  private static let start = Date(timeIntervalSince1970: 784_111_777)

  private func stored(_ headers: HTTPHeaders) -> EntryMetadata {
    EntryMetadata(headers: headers, requestDate: Self.start, responseDate: Self.start)
  }

  @Test func `a served response has an Age and a Date`() {
    let headers = HTTPCacheRules().servedHeaders(of: stored(["Age": "30", "X": "1"]), at: Self.start + 12.9)
    #expect(headers == ["Age": "42", "X": "1", "Date": "Sun, 06 Nov 1994 08:49:37 GMT"])
    let dated = stored(["Date": "Sun, 06 Nov 1994 08:49:30 GMT"])
    #expect(
      HTTPCacheRules().servedHeaders(of: dated, at: Self.start) == [
        "Age": "7", "Date": "Sun, 06 Nov 1994 08:49:30 GMT",
      ])
    let ancient = HTTPCacheRules().servedHeaders(of: stored(["Age": "99999999999"]), at: Self.start)
    #expect(ancient["Age"] == "2147483647", "the largest that clients have to understand")
  }

  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let later = "Sun, 06 Nov 1994 08:49:38 GMT"
  private static let cases: [(HTTPHeaders, HTTPHeaders, Bool)] = [
    (["ETag": "\"a\""], ["If-None-Match": "\"a\""], true), (["ETag": "\"a\""], ["If-None-Match": "\"b\""], false),
    (["ETag": "W/\"a\""], ["If-None-Match": "\"a\""], true), (["ETag": "\"a\""], ["If-None-Match": "W/\"a\""], true),
    (["ETag": "\"a\""], ["If-None-Match": "\"b\" , \"a\",\"c\""], true),
    (["ETag": "\"a,b\""], ["If-None-Match": "\"x\", \"a,b\""], true),
    (["ETag": "\"a\""], ["If-None-Match": "\"a,b\""], false), (["ETag": "\"a\""], ["If-None-Match": "*"], true),
    ([:], ["If-None-Match": "*"], true), ([:], ["If-None-Match": "\"a\""], false),
    (["Last-Modified": date], ["If-Modified-Since": date], true),
    (["Last-Modified": later], ["If-Modified-Since": date], false),
    (["Last-Modified": date, "Date": later], ["If-Modified-Since": date], true),
    (["Date": later], ["If-Modified-Since": later], true), (["Date": later], ["If-Modified-Since": date], false),
    ([:], ["If-Modified-Since": date], true), (["Last-Modified": date], ["If-Modified-Since": "tomorrow"], false),
    (["ETag": "\"a\"", "Last-Modified": later], ["If-None-Match": "\"a\"", "If-Modified-Since": date], true),
    (["ETag": "\"a\"", "Last-Modified": date], ["If-None-Match": "\"b\"", "If-Modified-Since": date], false),
    (["ETag": "\"a\""], [:], false),
  ]

  @Test(arguments: cases)
  func `matching validators of a request show that it needs only a 304`(
    response: HTTPHeaders, request: HTTPHeaders, isNotModified: Bool
  ) {
    #expect(stored(response).isNotModified(for: request) == isNotModified)
  }
}
