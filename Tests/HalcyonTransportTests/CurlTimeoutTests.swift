#if !URLSESSION
import Foundation
import HalcyonHTTP
import HalcyonTestTraits
import Testing

@testable import HalcyonTransport

/// The timeouts of a transfer at any time, without waiting.
@Suite(.unitTest)
struct CurlTimeoutTests {
  private let limits = TransportLimits(connectTimeout: .seconds(10), idleTimeout: .seconds(15))
  private let received = PendingWakeups()
  private let connections = OpenConnections(leastFirstByteLimit: .seconds(1))

  private func handle(_ limits: TransportLimits) throws -> CurlHandle {
    let url = try #require(URL(string: "http://example.com/"))
    let easy = try EasyHandle(CurlTransport.Configuration(), connections: connections)
    let transfer = Transfer(request: TransportRequest(url: url, limits: limits))
    return CurlHandle(
      transfer: transfer, easy: easy, addressPolicy: .any, proxy: nil, received: received, openConnections: connections)
  }

  private func error(_ handle: CurlHandle, after seconds: Int) -> TransportError? {
    handle.timeoutError(at: handle.start + .seconds(seconds))
  }

  /// The seconds from the start until a transfer can fail.
  private func deadline(_ handle: CurlHandle, after seconds: Int = 0) -> Duration {
    handle.start.duration(to: handle.nextDeadline(at: handle.start + .seconds(seconds)))
  }

  @Test func `connecting has a timeout of its own`() throws {
    let handle = try handle(limits)
    #expect(error(handle, after: 9) == nil)
    #expect(error(handle, after: 10) == .connectTimedOut(.seconds(10)))
    #expect(deadline(handle) == .seconds(10))
  }

  @Test func `a server is idle when it has sent nothing since the head`() throws {
    let handle = try handle(limits)
    handle.transfer.receive(Transfer.Head(status: 200, headers: HTTPHeaders()))
    #expect(error(handle, after: 14) == nil)
    #expect(error(handle, after: 15) == .idleTimedOut(.seconds(15)))
    #expect(deadline(handle) == .seconds(15))
  }

  @Test func `the idle timeout begins anew when the reader has read`() throws {
    let handle = try handle(limits)
    #expect(handle.lastActivity == handle.start)
    received.updateTime()
    handle.unpause()
    #expect(handle.lastActivity == received.time)
    #expect(handle.lastActivity > handle.start)
  }

  @Test func `a slow reader does not make the server idle, only the whole transfer late`() throws {
    for total in [nil, Duration.seconds(60)] {
      var limits = limits
      limits.totalTimeout = total
      let handle = try handle(limits)
      handle.transfer.receive(Transfer.Head(status: 200, headers: HTTPHeaders()))
      let piece = [UInt8](repeating: 0, count: 256 << 10)
      while piece.withUnsafeBytes({ handle.transfer.offer($0) }) {}
      #expect(handle.transfer.isPaused)
      #expect(error(handle, after: 59) == nil)
      #expect(error(handle, after: 60) == total.map { .totalTimedOut($0) })
      #expect(deadline(handle, after: 40) == .seconds(55))
      #expect(deadline(handle, after: 50) == total ?? .seconds(65))
    }
  }
}
#endif
