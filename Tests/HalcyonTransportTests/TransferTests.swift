import Foundation
import HalcyonCore
import Testing

@testable import HalcyonTransport

struct TransferTests {
  private func transfer() throws -> Transfer {
    let url = try #require(URL(string: "http://example.com/"))
    return Transfer(request: TransportRequest(url: url))
  }

  private func offer(_ count: Int, to transfer: Transfer) -> Bool {
    [UInt8](repeating: 1, count: count).withUnsafeBytes { transfer.offer($0) }
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

  @Test func `a receiver that cannot refuse is told once when to make the server wait`() async throws {
    let transfer = try transfer()
    let bytes = [UInt8](repeating: 1, count: 100 << 10)
    let answers = (0..<4).map { _ in bytes.withUnsafeBytes { transfer.take($0) } }
    #expect(answers == [false, false, true, false])
    let (piece, hasRoom) = try await transfer.nextPiece()
    #expect(piece?.count == 400 << 10)
    #expect(hasRoom)
    #expect(!bytes.withUnsafeBytes { transfer.take($0) })
  }

  @Test func `what came before the end is still read, unless the reader gave up`() async throws {
    let good = try transfer()
    #expect(offer(10, to: good))
    #expect(good.end(.success(())))
    #expect(!good.end(.failure(.cancelled)), "the first outcome stays")
    #expect(try await good.nextPiece().piece?.count == 10)
    #expect(try await good.nextPiece().piece == nil)

    let bad = try transfer()
    #expect(offer(10, to: bad))
    bad.end(.failure(.connectionLost(received: 10, expected: 20)))
    #expect(try await bad.nextPiece().piece?.count == 10)
    await #expect(throws: TransportError.self) { try await bad.nextPiece() }

    let cancelled = try transfer()
    #expect(offer(10, to: cancelled))
    cancelled.end(.failure(.cancelled))
    await #expect(throws: TransportError.self) { try await cancelled.nextPiece() }
  }
}

struct ResponseHeadParserTests {
  private func parse(_ lines: [String], byteLimit: Int = 1000) throws -> Transfer.Head? {
    var parser = ResponseHeadParser(byteLimit: byteLimit)
    var head: Transfer.Head?
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
