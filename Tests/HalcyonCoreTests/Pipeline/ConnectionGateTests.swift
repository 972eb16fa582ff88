import Foundation
import Testing

@testable import HalcyonCore

struct ConnectionGateTests {
  private let order = OrderLog()

  private func origin(_ host: String) throws -> WebOrigin {
    let url = try #require(URL(string: "https://\(host)/"))
    return try #require(WebOrigin(url))
  }

  /// Starts something that passes the gate, and returns once it waits there.
  private func queue(
    _ name: String, at gate: ConnectionGate, host: String, interest: LoadInterest
  ) async throws -> Task<Void, any Error> {
    let (origin, count) = (try origin(host), gate.waitingCount)
    let task = Task {
      try await gate.run(for: origin, interest: interest) { () async throws(ImageError) in order.add(name) }
    }
    while gate.waitingCount == count { await Task.yield() }
    return task
  }

  private func interest(_ priority: ImagePriority = .normal) -> LoadInterest {
    LoadInterest(priority: priority)
  }

  /// Takes a place until the signal.
  private func occupy(_ gate: ConnectionGate, host: String, until release: Signal) async throws -> Task<Void, any Error>
  {
    let origin = try origin(host)
    let entered = Signal()
    let task = Task {
      try await gate.run(for: origin, interest: interest()) { () async throws(ImageError) in
        entered.set()
        await release.wait()
      }
    }
    await entered.wait()
    return task
  }

  @Test func `the most urgent goes first, also one that became urgent while it waited`() async throws {
    let gate = ConnectionGate(limit: 1, limitPerHost: 1)
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

  @Test func `a host that is full lets others pass`() async throws {
    let gate = ConnectionGate(limit: 10, limitPerHost: 1)
    let release = Signal()
    let stalled = try await occupy(gate, host: "stalled", until: release)
    let waiting = try await queue("stalled", at: gate, host: "stalled", interest: interest(.veryHigh))
    try await gate.run(for: origin("other"), interest: interest(.low)) { () async throws(ImageError) in
      order.add("other")
    }
    release.set()
    try await stalled.value
    try await waiting.value
    #expect(order.names == ["other", "stalled"])
  }

  @Test func `one that is cancelled while it waits takes no place`() async throws {
    let gate = ConnectionGate(limit: 1, limitPerHost: 1)
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
}

private final class OrderLog: Sendable {
  private let log = Lock<[String]>([])

  var names: [String] { log.withLock { $0 } }

  func add(_ name: String) { log.withLock { $0.append(name) } }
}
