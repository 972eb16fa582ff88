import Foundation
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonHTTP
@testable import HalcyonPipeline

@Suite(.unitTest)
struct QueuedTransferTests {
  private let url = URL(string: "http://example.com/1") ?? URL(filePath: "/")
  private let log = Log()

  /// A transfer that has requested a permit.
  private func queue(_ name: String, at limiter: ConnectionLimiter) throws -> (
    held: HeldTransfer, queued: QueuedTransfer
  ) {
    let permit = limiter.newPermit()
    let held = HeldTransfer(name, log: log) { _ in permit.release() }
    let queued = QueuedTransfer(held, time: SystemTime())
    permit.request(try #require(HTTPURL(url)), LoadSubscription(priority: .normal)) { queued.receive($0) }
    return (held, queued)
  }

  @Test func `the end of a transfer starts the next one synchronously`() throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let (first, second, third) = (try queue("1", at: limiter), try queue("2", at: limiter), try queue("3", at: limiter))
    #expect(log.names == ["1"])
    #expect(second.queued.beginning == nil)
    first.held.end()
    #expect(log.names == ["1", "2"])
    #expect(second.queued.beginning != nil)
    second.held.end()
    #expect(log.names == ["1", "2", "3"])
    third.held.end()
    #expect(limiter.activeCount == 0)
  }

  @Test func `a transfer cancelled while queued never starts, and the next one starts in its turn`() throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let (first, second, third) = (try queue("1", at: limiter), try queue("2", at: limiter), try queue("3", at: limiter))
    second.held.cancel()
    #expect(limiter.waitingCount == 1)
    first.held.end()
    #expect(log.names == ["1", "3"])
    third.held.end()
    #expect(limiter.activeCount == 0)
  }

  @Test func `a rejected transfer never starts, and throws the reason`() async throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1, waiting: 0))
    let (first, second) = (try queue("1", at: limiter), try queue("2", at: limiter))
    let error = await #expect(throws: ImageError.self) { _ = try await second.queued.response(from: url) }
    #expect(error?.name == "tooManyWaiting")
    first.held.end()
    #expect(log.names == ["1"])
    #expect(limiter.activeCount == 0)
  }

  @Test func `20,000 permits released as soon as granted do not overflow the stack`() throws {
    let count = 20_000
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1, waiting: count))
    let first = try queue("first", at: limiter)
    let origin = try #require(HTTPURL(url))
    for _ in 0..<count {
      let permit = limiter.newPermit()
      permit.request(origin, LoadSubscription(priority: .normal)) { _ in
        log.add("granted")
        permit.release()
      }
    }
    #expect(limiter.waitingCount == count)
    first.held.end()
    #expect(log.names.count == count + 1)
    #expect(limiter.activeCount == 0)
  }

  @Test func `releasing a permit is idempotent`() throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 2, perHost: 2))
    let permit = limiter.newPermit()
    let other = try queue("other", at: limiter)
    permit.request(try #require(HTTPURL(url)), LoadSubscription(priority: .normal)) { _ in }
    #expect(limiter.activeCount == 2)
    permit.release()
    permit.release()
    #expect(limiter.activeCount == 1)
    other.held.end()
    #expect(limiter.activeCount == 0)
  }
}

/// A transfer that ends when `end()` or `cancel()` is called.
private final class HeldTransfer: PreparedTransfer {
  private let name: String
  private let log: Log
  private let onEnd: @Sendable (TransportHead?) -> Void

  init(_ name: String, log: Log, onEnd: @escaping @Sendable (TransportHead?) -> Void) {
    self.name = name
    self.log = log
    self.onEnd = onEnd
  }

  func end() { onEnd(nil) }

  func begin() { log.add(name) }

  func cancel() { onEnd(nil) }

  func response() async throws -> TransportResponse { throw CancellationError() }
}

private final class Log: Sendable {
  private let lines = Lock<[String]>([])

  var names: [String] { lines.withLock { $0 } }

  func add(_ name: String) { lines.withLock { $0.append(name) } }
}
