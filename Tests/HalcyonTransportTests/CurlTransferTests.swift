import Foundation
import HalcyonCore
import Testing

@testable import HalcyonTransport

struct CurlTransferTests {
  private func transfer() throws -> CurlTransfer {
    let url = try #require(URL(string: "http://example.com/"))
    return CurlTransfer(request: TransportRequest(url: url), configuration: .init())
  }

  private func offer(_ count: Int, to transfer: CurlTransfer) -> Bool {
    [UInt8](repeating: 1, count: count).withUnsafeBytes { transfer.receive($0) }
  }

  @Test func `a reader that does not read makes the server wait, and reading lets it go on`() async throws {
    let transfer = try transfer()
    var taken = 0
    while offer(16 << 10, to: transfer) { taken += 16 << 10 }
    #expect(taken == 256 << 10)
    #expect(transfer.isPaused)
    let (piece, hasRoom) = try await transfer.nextPiece()
    #expect(piece?.count == taken)
    #expect(hasRoom)
    #expect(!transfer.isPaused)
    #expect(offer(10, to: transfer))
    #expect(try await transfer.nextPiece().hasRoom == false)
  }

  @Test func `what came before a good end is still read, what came before a bad one is not`() async throws {
    let good = try transfer()
    #expect(offer(10, to: good))
    #expect(good.end(.success(())))
    #expect(!good.end(.failure(.cancelled)), "the first outcome stays")
    #expect(try await good.nextPiece().piece?.count == 10)
    #expect(try await good.nextPiece().piece == nil)

    let bad = try transfer()
    #expect(offer(10, to: bad))
    bad.end(.failure(.connectionLost(received: 10, expected: 20)))
    await #expect(throws: TransportError.self) { try await bad.nextPiece() }
  }
}

struct ResponseHeadParserTests {
  private func parse(_ lines: [String], byteLimit: Int = 1000) throws -> CurlTransfer.Head? {
    var parser = ResponseHeadParser(byteLimit: byteLimit)
    var head: CurlTransfer.Head?
    for line in lines { head = try Array((line + "\r\n").utf8).withUnsafeBytes { try parser.receive($0) } ?? head }
    return head
  }

  @Test func `an interim answer is passed over`() throws {
    let head = try parse(["HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 200 OK", "ETag:  \"1\" ", ""])
    #expect(head?.status == 200)
    #expect(head?.headers == ["ETag": "\"1\""])
  }

  @Test func `HTTP 2 and lines without a colon are read`() throws {
    let head = try parse(["HTTP/2 404", "nonsense", "a:b:c", ""])
    #expect(head?.status == 404)
    #expect(head?.headers == ["a": "b:c"])
  }

  @Test func `a head that grows over the limit is refused`() {
    #expect(throws: TransportError.headersTooLarge(byteLimit: 30)) {
      try parse(["HTTP/1.1 200 OK", "X: 12345678901234567890"], byteLimit: 30)
    }
  }
}
