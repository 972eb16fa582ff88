@_spi(Programs) import HalcyonSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct PermitsTests {
  @Test func `permits are granted in the order of the requests, and a large request is not overtaken`() async throws {
    let permits = Permits(limit: 3)
    try await permits.acquire(2)
    let large = Task { try await permits.acquire(2) }
    while permits.waitingCount < 1 { await Task.yield() }
    let small = Task { try await permits.acquire() }
    while permits.waitingCount < 2 { await Task.yield() }
    #expect(permits.usedCount == 2)
    permits.release(2)
    try await large.value
    try await small.value
    #expect(permits.usedCount == 3 && permits.waitingCount == 0)
  }

  @Test func `a cancelled request leaves the queue, and those behind it are granted`() async throws {
    let permits = Permits(limit: 3)
    try await permits.acquire(2)
    let large = Task { try await permits.acquire(3) }
    while permits.waitingCount < 1 { await Task.yield() }
    let small = Task { try await permits.acquire() }
    while permits.waitingCount < 2 { await Task.yield() }
    large.cancel()
    try await small.value
    await #expect(throws: Permits.Refusal.cancelled) { try await large.value }
    #expect(permits.usedCount == 3)
  }

  @Test func `a request is refused when too many wait`() async throws {
    let permits = Permits(limit: 1)
    try await permits.acquire(queueLimit: 0)
    await #expect(throws: Permits.Refusal.queueFull) { try await permits.acquire(queueLimit: 0) }
    let waiting = Task { try await permits.acquire(queueLimit: 1) }
    while permits.waitingCount < 1 { await Task.yield() }
    await #expect(throws: Permits.Refusal.queueFull) { try await permits.acquire(queueLimit: 1) }
    permits.release()
    try await waiting.value
  }

  @Test func `what is taken beyond the limit delays the others`() async throws {
    let permits = Permits(limit: 2)
    permits.take(5)
    let waiting = Task { try await permits.acquire() }
    while permits.waitingCount < 1 { await Task.yield() }
    permits.release(3)
    #expect(permits.waitingCount == 1, "2 are in use")
    permits.release()
    try await waiting.value
    permits.release(2)
    try await permits.acquire(9)
    #expect(permits.usedCount == 9, "alone")
  }
}
