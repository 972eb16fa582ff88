import Foundation
@_spi(Programs) import HalcyonSupport
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct PermitsTests {
  @Test func `permits are granted in the order of the requests, and a large request is not overtaken`() async throws {
    let permits = Permits(limit: 3)
    try await permits.acquire(2)
    let large = Task { try await permits.acquire(2) }
    while permits.waitingCount < 1 { try await Task.yieldUnlessCancelled() }
    let small = Task { try await permits.acquire() }
    while permits.waitingCount < 2, permits.usedCount == 2 { try await Task.yieldUnlessCancelled() }
    #expect(permits.usedCount == 2)
    permits.release(2)
    try await large.value
    try await small.value
    #expect(permits.usedCount == 3)
    #expect(permits.waitingCount == 0)
  }

  @Test func `a cancelled request leaves the queue, and those behind it are granted`() async throws {
    let permits = Permits(limit: 3)
    try await permits.acquire(2)
    let large = Task { try await permits.acquire(3) }
    while permits.waitingCount < 1 { try await Task.yieldUnlessCancelled() }
    let small = Task { try await permits.acquire() }
    while permits.waitingCount < 2, permits.usedCount == 2 { try await Task.yieldUnlessCancelled() }
    #expect(permits.usedCount == 2)
    large.cancel()
    try await small.value
    await #expect(throws: CancellationError.self) { try await large.value }
    #expect(permits.usedCount == 3)
  }

  @Test func `a thread that waits goes on with its permit, or once it is cancelled`() async throws {
    let permits = Permits(limit: 1)
    let isCancelled = Atomic(false)
    #expect(permits.acquireBlocking { isCancelled.load() })
    async let granted = onThread { permits.acquireBlocking { false } }
    while permits.waitingCount < 1 { await Task.yield() }
    async let refused = onThread { permits.acquireBlocking { isCancelled.load() } }
    while permits.waitingCount < 2 { await Task.yield() }
    isCancelled.store(true)
    #expect(await !refused && permits.waitingCount == 1)
    permits.release()
    #expect(await granted && permits.usedCount == 1)
    #expect(!permits.acquireBlocking { true })
  }

  private func onThread(_ work: @escaping @Sendable () -> Bool) async -> Bool {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: work()) }
    }
  }

  @Test func `what is taken beyond the limit delays the others`() async throws {
    let permits = Permits(limit: 2)
    permits.take(5)
    let waiting = Task { try await permits.acquire() }
    while permits.waitingCount < 1 { try await Task.yieldUnlessCancelled() }
    permits.release(3)
    #expect(permits.waitingCount == 1, "2 are in use")
    permits.release()
    try await waiting.value
    permits.release(2)
    try await permits.acquire(9)
    #expect(permits.usedCount == 9, "alone")
  }
}
