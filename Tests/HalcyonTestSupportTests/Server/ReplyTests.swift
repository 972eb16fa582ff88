import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonTestSupport

@Suite(.integrationTest)
struct ReplyTests {
  private let abc = Reply.body(Data("abcdef".utf8))
  private let head = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n"
  private let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

  @Test func `a body has a Content-Length`() {
    #expect(script(abc) == [head + "abcdef"])
  }

  @Test func `the reply to HEAD is the one to GET without the body`() {
    #expect(script(abc, method: "HEAD") == [head])
  }

  @Test(arguments: [204, 304]) func `a status without a body has no Content-Length`(status: Int) {
    let text = script(.status(status, headers: ["ETag": "\"v1\""], body: Data("x".utf8))).joined()
    #expect(text.hasPrefix("HTTP/1.1 \(status) "))
    #expect(text.hasSuffix("\r\nETag: \"v1\"\r\n\r\n"))
    #expect(!text.contains("Content-Length"))
  }

  @Test func `a given Content-Length replaces the computed one`() {
    let reply = Reply.body(Data("abc".utf8), headers: ["content-length": "9"])
    #expect(script(reply) == ["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"])
  }

  @Test func `a redirect sends its Location as written`() {
    let text = script(.redirect(to: "file:///etc/passwd", status: 307)).joined()
    #expect(text.hasPrefix("HTTP/1.1 307 Temporary Redirect\r\nLocation: file:///etc/passwd\r\n"))
  }

  @Test func `the last chunk size is repeated`() {
    #expect(script(abc.chunked(1, 2)) == [chunkedHead + "1\r\na\r\n2\r\nbc\r\n2\r\nde\r\n1\r\nf\r\n0\r\n\r\n"])
  }

  @Test func `positions in a chunked body do not count chunk sizes`() {
    #expect(script(abc.chunked(4).cut(at: .body(5))) == [chunkedHead + "4\r\nabcd\r\n2\r\ne", "cut"])
    #expect(script(abc.chunked(4).cut(at: .body(4))) == [chunkedHead + "4\r\nabcd", "cut"])
  }

  @Test func `a close-delimited reply is HTTP 1.0 without a length`() {
    let reply = abc.closeDelimited()
    #expect(script(reply) == ["HTTP/1.0 200 OK\r\n\r\nabcdef"])
    #expect(!reply.keepsAlive)
  }

  @Test func `raw bytes are sent as they are`() {
    let reply = Reply.raw(Data("HTP/9 zero\n\n".utf8))
    #expect(script(reply) == ["HTP/9 zero\n\n"])
    #expect(!reply.keepsAlive)
  }

  @Test func `incidents happen in the order of their positions`() {
    let gate = Gate()
    let reply = abc.reset(at: .body(4)).held(by: gate).held(by: gate, at: .body(2))
    #expect(script(reply) == ["hold", head + "ab", "hold", "cd", "reset"])
  }

  @Test func `nothing follows the first incident that ends the reply`() {
    #expect(script(abc.stalled(at: .body(0)).cut(at: .end)) == [head, "stall"])
    #expect(script(abc.cut(at: .head(4))) == ["HTTP", "cut"])
    #expect(script(abc.cut(at: .head(0))) == ["cut"])
  }

  @Test func `a position past the end is the end`() {
    #expect(script(abc.cut(at: .body(700))) == [head + "abcdef", "cut"])
    #expect(script(abc.cut(at: .head(9_999))) == [head, "cut"])
  }

  @Test func `a paced reply holds before each write`() {
    let reply = abc.paced(by: Gate(), byteCount: 4, from: .body(0))
    #expect(script(reply) == [head, "hold", "abcd", "hold", "ef"])
  }

  @Test func `padding adds the given number of headers of the given size`() {
    let padded = abc.padded(headerCount: 64, valueByteCount: 1024)
    #expect(padded.headers.fields.count == 64)
    #expect(padded.headers["x-padding-64"]?.utf8.count == 1024)
  }

  private func script(_ reply: Reply, method: String = "GET") -> [String] {
    reply.steps(for: method).map { step in
      switch step {
      case .send(let data): String(decoding: data, as: UTF8.self)
      case .hold: "hold"
      case .goDeaf: "go deaf"
      case .cut: "cut"
      case .stall: "stall"
      case .reset: "reset"
      }
    }
  }
}
