import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonTestSupport

@Suite(.integrationTest)
struct RequestReaderTests {
  @Test func `a request split at any byte is parsed once it is complete`() {
    let text = "POST /a?x=1 HTTP/1.1\r\nhost: h\r\nContent-Length: 3\r\n\r\nabc"
    for cut in 1..<text.utf8.count {
      var reader = RequestReader(connectionID: 7)
      reader.append(Data(text.utf8.prefix(cut)))
      #expect(taken(from: &reader).isEmpty)
      reader.append(Data(text.utf8.dropFirst(cut)))
      #expect(taken(from: &reader) == ["POST /a?x=1 abc true"])
    }
  }

  @Test func `two requests in one piece are parsed separately`() {
    var reader = RequestReader(connectionID: 1)
    reader.append(Data("GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\nConnection: close\r\n\r\n".utf8))
    #expect(taken(from: &reader) == ["GET /1  true", "GET /2  false"])
  }

  @Test(arguments: [
    "GET /\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
  ])
  func `a malformed request is not reported as incomplete`(text: String) {
    var reader = RequestReader(connectionID: 1)
    reader.append(Data(text.utf8))
    guard case .malformed = reader.next() else {
      Issue.record("“\(text)” was not rejected")
      return
    }
  }

  @Test func `header names are case-insensitive, and repeated lines are kept`() {
    var headers: HeaderFields = ["Accept": "a", "ACCEPT": "b"]
    #expect(headers.values(for: "accept") == ["a", "b"])
    headers["accept"] = "c"
    #expect(headers.fields == [.init(name: "accept", value: "c")])
    headers["Accept"] = nil
    #expect(headers["accept"] == nil)
  }

  private func taken(from reader: inout RequestReader) -> [String] {
    var requests: [String] = []
    while case .request(let request, let keepsAlive) = reader.next() {
      let body = String(decoding: request.body, as: UTF8.self)
      requests.append("\(request.method) \(request.path) \(body) \(keepsAlive)")
    }
    return requests
  }
}
