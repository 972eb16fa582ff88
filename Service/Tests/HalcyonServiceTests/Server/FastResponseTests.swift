import Foundation
import Halcyon
import TestSupport
import Testing

@testable import HalcyonService

/// Results that are sent from memory without a task.
@Suite(.timeLimit(.minutes(10)))
struct FastResponseTests {
  private func result(_ count: Int) -> ResultResponse {
    ResultResponse(
      ImageResult(data: Data(count: count), format: .png, isHit: false), ProcessingOptions(), source: "http://a/b.png",
      ServiceConfiguration())
  }

  @Test func `results are kept up to a number of bytes, the oldest dropped first`() {
    let cache = ResponseCache(byteLimit: 100_000, time: SystemTime())
    let keys = (0..<12).map { ResponseCache.Key(path: "/\($0)", format: nil) }
    for key in keys { cache.insert(result(10_000), for: key, freshness: .seconds(1000), isCurrent: nil) }
    #expect(keys.map { cache[$0] != nil } == Array(repeating: false, count: 3) + Array(repeating: true, count: 9))
    for _ in 0..<1000 { cache.insert(result(10_000), for: keys[0], freshness: .seconds(1000), isCurrent: nil) }
    #expect(cache[keys[0]] != nil && cache[keys[11]] != nil)
    cache.removeAll()
    #expect(keys.allSatisfy { cache[$0] == nil })
  }

  @Test func `a result that is stale, too large or of a changed file is not sent`() {
    let cache = ResponseCache(byteLimit: 100_000, time: SystemTime())
    let (stale, large, changed) = (
      ResponseCache.Key(path: "/a", format: nil), ResponseCache.Key(path: "/b", format: nil),
      ResponseCache.Key(path: "/c", format: .webp)
    )
    cache.insert(result(10), for: stale, freshness: .zero, isCurrent: nil)
    cache.insert(result(20_000), for: large, freshness: .seconds(1000), isCurrent: nil)
    cache.insert(result(10), for: changed, freshness: .seconds(1000)) { false }
    #expect([stale, large, changed].allSatisfy { cache[$0] == nil })
  }

  @Test func `responses keep the order of pipelined requests, whether they are in memory or not`() async throws {
    try await TemporaryDirectory.run { folder in
      try Quadrants.png().write(to: folder.appending(path: "a.png"))
      try await RunningService.run {
        $0.localRoot = folder
      } body: { service, _ in
        let fast = "/_/rs:fill:20:20/plain/local:///a.png@png"
        _ = try await service.get(fast)
        #expect(try await service.get(fast).headers["Cache-Status"] == "halcyon; hit")
        let paths = [fast, "/health", fast, fast, "/nothing", "/_/w:33/plain/local:///a.png@png", fast]
        let text = paths.enumerated().map { index, path in
          let last = index == paths.count - 1 ? "Connection: close\r\n" : ""
          return "GET \(path) HTTP/1.1\r\nHost: a\r\nX-Request-ID: number-\(index)\r\n\(last)\r\n"
        }
        let received = try await exchange(Data(text.joined().utf8), withPort: UInt16(service.port))
        let heads = String(decoding: received, as: Unicode.ASCII.self).components(separatedBy: "X-Request-ID: number-")
        #expect(heads.dropFirst().compactMap { $0.first.flatMap { Int(String($0)) } } == Array(0..<paths.count))
      }
    }
  }

  /// Sends bytes and returns all that is received until the connection is closed, on a thread of its own.
  private func exchange(_ bytes: Data, withPort port: UInt16) async throws -> Data {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(
          with: Result {
            let socket = try Socket.connected(toPort: port)
            _ = socket.send(bytes)
            var received = Data()
            while case let piece = try socket.receive(), !piece.isEmpty { received += piece }
            return received
          })
      }
    }
  }
}
