import HalcyonHTTP
import HalcyonSupport
import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

@Suite(.integrationTest)
struct TransferTests {
  private func transfer() throws -> Transfer {
    let url = try #require(URL(string: "http://example.com/"))
    return Transfer(request: TransportRequest(url: url))
  }

  private func offer(_ count: Int, to transfer: Transfer) -> Bool {
    [UInt8](repeating: 1, count: count).withUnsafeBytes { transfer.offer($0) }
  }

  @Test func `a full buffer pauses the transfer, and reading resumes it`() async throws {
    let transfer = try transfer()
    var taken = 0
    while offer(16 << 10, to: transfer) { taken += 16 << 10 }
    #expect(taken == 256 << 10)
    #expect(transfer.isPaused)
    let piece = try await transfer.nextPiece()
    #expect(piece.bytes?.count == taken)
    #expect(piece.wasPaused)
    #expect(!transfer.isPaused)
    #expect(offer(10, to: transfer))
    #expect(try await transfer.nextPiece().wasPaused == false)
  }

  @Test func `a buffer that cannot refuse bytes requests a pause once`() async throws {
    let transfer = try transfer()
    let bytes = [UInt8](repeating: 1, count: 100 << 10)
    let pauses = (0..<4).map { _ in bytes.withUnsafeBytes { transfer.take($0) } }
    #expect(pauses == [false, false, true, false])
    let piece = try await transfer.nextPiece()
    #expect(piece.bytes?.count == 400 << 10)
    #expect(piece.wasPaused)
    #expect(!bytes.withUnsafeBytes { transfer.take($0) })
  }

  @Test func `bytes received before the end are still read, unless the transfer was cancelled`() async throws {
    let ends = Lock(0)
    let good = Transfer(request: try transfer().request) { _ in ends.withLock { $0 += 1 } }
    #expect(offer(10, to: good))
    #expect(good.end(.success(())))
    #expect(!good.end(.failure(.cancelled)), "the first outcome is kept")
    #expect(ends.withLock { $0 } == 1)
    #expect(try await good.nextPiece().bytes?.count == 10)
    #expect(try await good.nextPiece().bytes == nil)

    let bad = try transfer()
    #expect(offer(10, to: bad))
    bad.end(.failure(.connectionLost(received: 10, expected: 20)))
    #expect(try await bad.nextPiece().bytes?.count == 10)
    await #expect(throws: TransportError.self) { try await bad.nextPiece() }

    let cancelled = try transfer()
    #expect(offer(10, to: cancelled))
    cancelled.end(.failure(.cancelled))
    await #expect(throws: TransportError.self) { try await cancelled.nextPiece() }
  }

  @Test func `a reader receives the head, all bytes and the end`() async throws {
    let transfer = try transfer()
    let reader = Task {
      let status = try await transfer.head().status
      var count = 0
      while let piece = try await transfer.nextPiece().bytes { count += piece.count }
      return (status, count)
    }
    transfer.receive(Transfer.Head(status: 200, headers: ["ETag": "1"]))
    #expect(offer(10, to: transfer))
    transfer.wakeReader()
    #expect(offer(20, to: transfer))
    transfer.end(.success(()))
    let (status, count) = try await reader.value
    #expect(status == 200)
    #expect(count == 30)
  }

  @Test func `an end before the head is an error, and an end after the head is not`() async throws {
    let without = try transfer()
    without.end(.success(()))
    await #expect(throws: TransportError.self) { try await without.head() }

    let with = try transfer()
    with.receive(Transfer.Head(status: 204, headers: HTTPHeaders()))
    with.end(.failure(.connectionLost(received: 0, expected: nil)))
    #expect(try await with.head().status == 204)
    await #expect(throws: TransportError.self) { try await with.nextPiece() }
  }
}
