import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.integrationTest)
struct GateTests {
  @Test func `an open gate lets current and future waiters pass`() async throws {
    let gate = Gate()
    async let first: Void = gate.wait()
    async let second: Void = gate.wait()
    try await gate.waitUntilHolding(2)
    gate.open()
    _ = try await (first, second)
    try await gate.wait()
    #expect(gate.heldCount == 0)
  }

  @Test func `a release lets one waiter pass, the longest waiting`() async throws {
    let gate = Gate()
    let log = EventLog<Int>()
    let waiters = try await (1...3).asyncMap { number in
      let waiter = Task {
        try await gate.wait()
        log.record(number)
      }
      try await gate.waitUntilHolding(number)
      return waiter
    }
    gate.release()
    #expect(try await log.waitForEvents(count: 1) == [1])
    #expect(gate.heldCount == 2)
    gate.release(2)
    for waiter in waiters { try await waiter.value }
    #expect(Set(log.events) == [1, 2, 3])
  }

  @Test func `a release without a waiter is kept for the next one`() async throws {
    let gate = Gate()
    gate.release()
    try await gate.wait()
    let late = Task { try await gate.wait() }
    try await gate.waitUntilHolding()
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `a cancelled wait uses no release`() async throws {
    let gate = Gate()
    let cancelled = Task { try await gate.wait() }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(gate.heldCount == 0)
    gate.release()
    try await gate.wait()
  }

  @Test func `cancelling at any time neither hangs nor corrupts the count`() async {
    let gate = Gate()
    await withTaskGroup { group in
      for _ in 1...500 {
        group.addTask { try? await gate.wait() }
      }
      group.cancelAll()
    }
    #expect(gate.heldCount == 0)
  }

  @Test func `a thread can wait at a gate`() async throws {
    let gate = Gate()
    let log = EventLog<String>()
    Thread {
      gate.waitBlocking()
      log.record("passed")
    }.start()
    try await gate.waitUntilHolding()
    #expect(log.events.isEmpty)
    gate.open()
    try await log.waitForEvents(count: 1)
  }
}

extension Sequence {
  fileprivate func asyncMap<Mapped>(_ transform: (Element) async throws -> Mapped) async rethrows -> [Mapped] {
    var mapped: [Mapped] = []
    for element in self { mapped.append(try await transform(element)) }
    return mapped
  }
}
