import Foundation
import Testing

@testable import HalcyonSupport
@testable import HalcyonHTTP
@testable import HalcyonPipeline

struct ConnectionLimiterTests {
  private let order = OrderLog()

  private func origin(_ host: String) throws -> Origin {
    let url = try #require(URL(string: "https://\(host)/"))
    return try #require(Origin(url))
  }

  /// Starts a task that acquires a permit, and returns once it waits for one.
  private func queue(
    _ name: String, at gate: ConnectionLimiter, host: String, interest: LoadSubscription
  ) async throws -> Task<Void, any Error> {
    let (origin, count) = (try origin(host), gate.waitingCount)
    let task = Task {
      let place = try await gate.enter(origin, interest)
      order.add(name)
      place.leave()
    }
    while gate.waitingCount == count { await Task.yield() }
    return task
  }

  private func interest(_ priority: ImagePriority = .normal) -> LoadSubscription {
    LoadSubscription(priority: priority)
  }

  /// Holds a permit until `release` is set.
  private func occupy(
    _ gate: ConnectionLimiter, host: String, priority: ImagePriority = .normal, until release: Signal
  ) async throws -> Task<Void, any Error> {
    let origin = try origin(host)
    let entered = Signal()
    let task = Task {
      let place = try await gate.enter(origin, interest(priority))
      entered.set()
      await release.wait()
      place.leave()
    }
    await entered.wait()
    return task
  }

  @Test func `permits are granted by priority, including a priority raised while waiting`() async throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let release = Signal()
    let first = try await occupy(gate, host: "a", until: release)
    let raised = interest(.veryLow)
    var tasks = [try await queue("raised", at: gate, host: "a", interest: raised)]
    for (name, priority) in [("low", ImagePriority.low), ("normal", .normal), ("high", .high), ("later", .normal)] {
      tasks.append(try await queue(name, at: gate, host: "a", interest: interest(priority)))
    }
    raised.priority = .veryHigh
    release.set()
    try await first.value
    for task in tasks { try await task.value }
    #expect(order.names == ["raised", "high", "normal", "later", "low"])
    #expect(gate.activeCount == 0)
  }

  @Test func `a host at its limit does not block other hosts`() async throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 10, perHost: 1))
    let release = Signal()
    let stalled = try await occupy(gate, host: "stalled", until: release)
    let waiting = try await queue("stalled", at: gate, host: "stalled", interest: interest(.veryHigh))
    let place = try await gate.enter(origin("other"), interest(.low))
    order.add("other")
    place.leave()
    release.set()
    try await stalled.value
    try await waiting.value
    #expect(order.names == ["other", "stalled"])
  }

  @Test func `a waiter that is cancelled takes no permit`() async throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let release = Signal()
    let first = try await occupy(gate, host: "a", until: release)
    let waiting = try await queue("waiting", at: gate, host: "a", interest: interest())
    waiting.cancel()
    await #expect(throws: ImageError.self) { try await waiting.value }
    #expect(gate.waitingCount == 0)
    release.set()
    try await first.value
    #expect(gate.activeCount == 0)
    #expect(order.names.isEmpty)
  }

  @Test func `low-priority loads leave permits to visible loads`() async throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 100, perHost: 6))
    let release = Signal()
    var tasks: [Task<Void, any Error>] = []
    for _ in 0..<4 { tasks.append(try await occupy(gate, host: "a", priority: .low, until: release)) }
    let raised = interest(.low)
    tasks.append(try await queue("raised", at: gate, host: "a", interest: raised))
    tasks.append(try await queue("waits", at: gate, host: "a", interest: interest(.veryLow)))
    tasks.append(try await occupy(gate, host: "a", priority: .normal, until: release))
    #expect(order.names.isEmpty)
    raised.priority = .high
    while order.names.isEmpty { await Task.yield() }
    #expect(order.names == ["raised"])
    release.set()
    for task in tasks { try await task.value }
    #expect(order.names == ["raised", "waits"])
  }

  @Test func `raising the limits grants permits to waiting loads at once`() async throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let release = Signal()
    let first = try await occupy(gate, host: "a", until: release)
    let second = try await queue("second", at: gate, host: "a", interest: interest())
    gate.limits = ConnectionLimits(total: 2, perHost: 2)
    try await second.value
    release.set()
    try await first.value
  }

  @Test func `when the queue is full, the waiter of lowest priority that came last is rejected`() async throws {
    let gate = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1, waiting: 2))
    let release = Signal()
    let first = try await occupy(gate, host: "a", until: release)
    let waiting = try await queue("early", at: gate, host: "a", interest: interest(.low))
    let late = try await queue("late", at: gate, host: "a", interest: interest(.low))
    let urgent = Task { [order] in
      let place = try await gate.enter(origin("a"), interest(.high))
      order.add("urgent")
      place.leave()
    }
    let error = await #expect(throws: ImageError.self) { try await late.value }
    #expect(error?.name == "tooManyWaiting")
    release.set()
    try await first.value
    try await urgent.value
    try await waiting.value
    #expect(order.names == ["urgent", "early"])
  }
}

extension ConnectionLimiter {
  fileprivate func enter(_ origin: Origin, _ interest: LoadSubscription) async throws -> Place {
    let place = newPlace()
    try await place.enter(origin, interest)
    return place
  }
}

private final class OrderLog: Sendable {
  private let log = Lock<[String]>([])

  var names: [String] { log.withLock { $0 } }

  func add(_ name: String) { log.withLock { $0.append(name) } }
}
