import Foundation
import Testing

@testable import HalcyonSupport
@testable import HalcyonHTTP
@testable import HalcyonPipeline

struct QueuedTransferTests {
  private let url = URL(string: "http://example.com/1") ?? URL(filePath: "/")
  private let log = Log()

  /// A transfer that has requested a permit.
  private func queue(_ name: String, at gate: ConnectionLimiter) throws -> (held: HeldTransfer, queued: QueuedTransfer)
  {
    let place = gate.newPlace()
    let held = HeldTransfer(name, log: log) { place.leave() }
    let queued = QueuedTransfer(held, time: SystemTime())
    place.ask(try #require(Origin(url)), LoadSubscription(priority: .normal)) { queued.take($0) }
    return (held, queued)
  }

  @Test func `the end of a transfer starts the next one synchronously`() throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let (first, second, third) = (try queue("1", at: gate), try queue("2", at: gate), try queue("3", at: gate))
    #expect(log.names == ["1"])
    #expect(second.queued.beginning == nil)
    first.held.end()
    #expect(log.names == ["1", "2"])
    #expect(second.queued.beginning != nil)
    second.held.end()
    #expect(log.names == ["1", "2", "3"])
    third.held.end()
    #expect(gate.activeCount == 0)
  }

  @Test func `a transfer cancelled while queued never starts, and the next one starts in its turn`() throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let (first, second, third) = (try queue("1", at: gate), try queue("2", at: gate), try queue("3", at: gate))
    second.held.cancel()
    #expect(gate.waitingCount == 1)
    first.held.end()
    #expect(log.names == ["1", "3"])
    third.held.end()
    #expect(gate.activeCount == 0)
  }

  @Test func `a rejected transfer never starts, and throws the reason`() async throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1, waiting: 0))
    let (first, second) = (try queue("1", at: gate), try queue("2", at: gate))
    let error = await #expect(throws: ImageError.self) { _ = try await second.queued.response(from: url) }
    #expect(error?.name == "tooManyWaiting")
    first.held.end()
    #expect(log.names == ["1"])
    #expect(gate.activeCount == 0)
  }

  @Test func `20,000 permits released as soon as granted do not overflow the stack`() throws {
    let count = 20_000
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1, waiting: count))
    let first = try queue("first", at: gate)
    let origin = try #require(Origin(url))
    for _ in 0..<count {
      let place = gate.newPlace()
      place.ask(origin, LoadSubscription(priority: .normal)) { _ in
        log.add("granted")
        place.leave()
      }
    }
    #expect(gate.waitingCount == count)
    first.held.end()
    #expect(log.names.count == count + 1)
    #expect(gate.activeCount == 0)
  }

  @Test func `releasing a permit is idempotent`() throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 2, perHost: 2))
    let place = gate.newPlace()
    let other = try queue("other", at: gate)
    place.ask(try #require(Origin(url)), LoadSubscription(priority: .normal)) { _ in }
    #expect(gate.activeCount == 2)
    place.leave()
    place.leave()
    #expect(gate.activeCount == 1)
    other.held.end()
    #expect(gate.activeCount == 0)
  }
}

/// A transfer that ends when `end()` or `cancel()` is called.
private final class HeldTransfer: PreparedTransfer {
  private let name: String
  private let log: Log
  private let onEnd: @Sendable () -> Void

  init(_ name: String, log: Log, onEnd: @escaping @Sendable () -> Void) {
    self.name = name
    self.log = log
    self.onEnd = onEnd
  }

  func end() { onEnd() }

  func begin() { log.add(name) }

  func cancel() { onEnd() }

  func response() async throws -> TransportResponse { throw CancellationError() }
}

private final class Log: Sendable {
  private let lines = Lock<[String]>([])

  var names: [String] { lines.withLock { $0 } }

  func add(_ name: String) { lines.withLock { $0.append(name) } }
}
