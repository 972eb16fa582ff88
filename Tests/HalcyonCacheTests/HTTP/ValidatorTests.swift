import HalcyonHTTP
@_spi(Programs) import HalcyonCache
import Foundation
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct ValidatorTests {
  private let stored = EntryMetadata(
    headers: ["ETag": "\"a\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT", "Content-Length": "9", "X": "old"],
    requestDate: Date(timeIntervalSince1970: 0), responseDate: Date(timeIntervalSince1970: 0))
  private static let fieldsOfBody = [
    "Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Set-Cookie", "Set-Cookie2",
  ]
  private let later = Date(timeIntervalSince1970: 100)

  @Test func `both validators are sent, also weak ones`() {
    #expect(stored.validators["If-None-Match"] == "\"a\"")
    #expect(stored.validators["If-Modified-Since"] == "Sun, 06 Nov 1994 08:49:37 GMT")
    var weak = stored
    weak.headers = ["ETag": "W/\"a\""]
    #expect(weak.validators == ["If-None-Match": "W/\"a\""])
  }

  @Test func `a 304 updates the header fields, except those about the body`() throws {
    let response: HTTPHeaders = [
      "ETag": "\"a\"", "Cache-Control": "max-age=3600", "Content-Length": "0", "X": "näw", "Connection": "close",
    ]
    let renewed = try #require(stored.refreshed(by: response, requestDate: later, responseDate: later))
    #expect(renewed.headers["Cache-Control"] == "max-age=3600")
    #expect(renewed.headers["Content-Length"] == "9")
    #expect(renewed.headers["X"] == "näw")
    #expect(renewed.headers["Connection"] == nil)
    #expect(renewed.headers["Last-Modified"] == stored.headers["Last-Modified"])
    #expect(renewed.responseDate == later)
  }

  @Test(arguments: fieldsOfBody)
  func `a 304 neither changes, adds nor removes a field about the body or of a user`(name: String) throws {
    for value in [nil, "old"] {
      var known = stored
      known.headers[name] = value
      for response in [[name: "new", "Age": "1"], [name.lowercased(): ""], [:]] as [HTTPHeaders] {
        let renewed = try #require(known.refreshed(by: response, requestDate: later, responseDate: later))
        #expect(renewed.headers[name] == value)
        #expect(renewed.requestDate == later)
      }
    }
  }

  @Test(
    arguments: [
      ("\"a\"", "\"b\"", false), ("\"a\"", "W/\"b\"", true), ("\"a\"", nil, true), ("\"a\"", "W/\"a\"", true),
      ("W/\"a\"", "\"a\"", true), ("W/\"a\"", "W/\"a\"", true), ("W/\"a\"", "\"b\"", false), (nil, "\"a\"", true),
      ("\"a b\"", "\"a c\"", false), ("\"é\"", "\"e\u{301}\"", false), ("W/\"a\"", " \"a\" ", true),
      // With and without the name of a coding.
      ("\"x-gzip\"", "\"x\"", true), ("\"x;gzip\"", "\"x\"", true), ("\"x-br\"", "\"x\"", true),
      ("\"x-df\"", "\"x\"", true), ("\"x--gzip\"", "\"x\"", true), ("W/\"x-gzip\"", "\"x\"", true),
      ("\"x\"", "\"x-gzip\"", true), ("\"x-br\"", "\"x-gzip\"", true), ("\"x-gzip\"", "\"y\"", false),
      ("\"x-gzip2\"", "\"x\"", false), ("\"x-zip\"", "\"x\"", false), ("\"a-gzip\"", "\"b-gzip\"", false),
    ] as [(String?, String?, Bool)])
  func `a 304 with another strong tag is not applied, and one that is applied leaves the stored tag`(
    ours: String?, theirs: String?, isApplied: Bool
  ) {
    var known = stored
    known.headers["ETag"] = ours
    var response: HTTPHeaders = ["Age": "1"]
    response["ETag"] = theirs
    let renewed = known.refreshed(by: response, requestDate: later, responseDate: later)
    #expect((renewed != nil) == isApplied)
    #expect(renewed.map { $0.headers["ETag"] == ours } ?? true)
  }

  @Test(arguments: [
    ("\"a b\"", false), ("\"a c\"", true), ("  W/\"a c\"\t, \"b\"", true), ("\"a c\"d", false), ("*", true),
  ])
  func `a tag of a request matches as a whole`(tags: String, isNotModified: Bool) {
    let stored = EntryMetadata(headers: ["ETag": "\"a c\""], requestDate: later, responseDate: later)
    #expect(stored.isNotModified(for: ["If-None-Match": tags]) == isNotModified)
  }
}
