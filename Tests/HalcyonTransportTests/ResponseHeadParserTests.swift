#if !URLSESSION
import HalcyonHTTP
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

@Suite(.integrationTest)
struct ResponseHeadParserTests {
  private func parse(
    _ lines: [String], byteLimit: Int = 1000, ignoresInvalidLength: Bool = false
  ) throws -> Transfer.Head? {
    var parser = ResponseHeadParser(byteLimit: byteLimit, ignoresInvalidLength: ignoresInvalidLength)
    var head: Transfer.Head?
    for line in lines { head = try Array((line + "\r\n").utf8).withUnsafeBytes { try parser.receive($0) } ?? head }
    return head
  }

  @Test func `interim responses are skipped`() throws {
    let head = try parse(["HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 200 OK", "ETag:  \"1\" ", ""])
    #expect(head?.status == 200)
    #expect(head?.headers == ["ETag": "\"1\""])
  }

  @Test func `an HTTP 2 status line is parsed, and lines without a colon are skipped`() throws {
    let head = try parse(["HTTP/2 404", "nonsense", "a:b:c", ""])
    #expect(head?.status == 404)
    #expect(head?.headers == ["a": "b:c"])
  }

  @Test func `headers over the byte limit are rejected`() {
    #expect(throws: TransportError.headersTooLarge(byteLimit: 30)) {
      try parse(["HTTP/1.1 200 OK", "X: 12345678901234567890"], byteLimit: 30)
    }
  }

  @Test func `a folded line continues the previous header value`() throws {
    let head = try parse(["HTTP/1.1 200 OK", " lost", "ETag: \"a", "  b\"", "\tc", "Age: 1", ""])
    #expect(head?.headers == ["ETag": "\"a b\" c", "Age": "1"])
  }

  @Test(arguments: [["10"], ["10", "10"], ["10, 10"], ["0"], ["00"], ["+1"]])
  func `equal Content-Length values are accepted`(lengths: [String]) throws {
    let head = try parse(["HTTP/1.1 200 OK"] + lengths.map { "Content-Length: \($0)" } + [""])
    #expect(head?.headers.contentLength == Int(lengths[0].prefix(2)))
  }

  @Test(arguments: [["10", "20"], ["10, 20"], ["10,\u{301} 20"]])
  func `a conflicting Content-Length is rejected`(lengths: [String]) {
    let lines = ["HTTP/1.1 200 OK"] + lengths.map { "Content-Length: \($0)" } + [""]
    for ignores in [false, true] {
      #expect(throws: TransportError.self) { try parse(lines, ignoresInvalidLength: ignores) }
    }
  }

  @Test(arguments: ["-1", "1x", "", "0x10", "++5", "99999999999999999999"])
  func `a Content-Length that is not a number can be ignored`(length: String) throws {
    let lines = ["HTTP/1.1 200 OK", "Content-Length: \(length)", "ETag: a", ""]
    #expect(throws: ResponseHeadParser.InvalidLength.self) { try parse(lines) }
    #expect(try parse(lines, ignoresInvalidLength: true)?.headers == ["ETag": "a"])
  }

  @Test func `no other transfer coding than chunked is accepted, which may be named several times`() throws {
    let field = "Transfer-Encoding: chunked"
    #expect(try parse(["HTTP/1.1 200 OK", field, field, ""])?.status == 200)
    #expect(try parse(["HTTP/1.1 200 OK", field + ", identity,,chunked", ""])?.status == 200)
    #expect(throws: TransportError.self) { try parse(["HTTP/1.1 200 OK", field + ", gzip", ""]) }
    // Where case is ignored as Unicode does, the sign of the kelvin is a K.
    #expect(throws: TransportError.self) { try parse(["HTTP/1.1 200 OK", "Transfer-Encoding: chun\u{212A}ed", ""]) }
  }

  @Test func `a Location keeps its bytes, encoded`() throws {
    var parser = ResponseHeadParser(byteLimit: 100)
    for line in [Data("HTTP/1.1 302\r\n".utf8), Data("Location: /\u{e9}".utf8) + Data([0xe9, 0x0d, 0x0a])] {
      _ = try line.withUnsafeBytes { try parser.receive($0) }
    }
    let head = try Data([0x0d, 0x0a]).withUnsafeBytes { try parser.receive($0) }
    #expect(head?.headers == ["Location": "/%C3%A9%E9"])
  }

  @Test func `header bytes that are not UTF-8 are decoded as Latin-1`() throws {
    var parser = ResponseHeadParser(byteLimit: 100)
    for line in [Data("HTTP/1.1 200\r\n".utf8), Data([0x41, 0x3a, 0xe9, 0x0d, 0x0a])] {
      _ = try line.withUnsafeBytes { try parser.receive($0) }
    }
    let head = try Data([0x0d, 0x0a]).withUnsafeBytes { try parser.receive($0) }
    #expect(head?.headers == ["A": "é"])
  }
}
#endif
