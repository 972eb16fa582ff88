import Foundation
import HalcyonTestSupport
import HalcyonTestDoubles
import HalcyonTestTraits
import HalcyonTesting
import Testing

@testable import HalcyonSupport
@testable import HalcyonHTTP
@testable import HalcyonPipeline

@Suite(.unitTest)
struct ConnectionLimiterTests {
  private let order = OrderLog()

  private func origin(_ host: String) throws -> HTTPURL {
    let url = try #require(URL(string: "https://\(host)/"))
    return try #require(HTTPURL(url))
  }

  /// Starts a task that acquires a permit, and returns once it waits for one.
  private func queue(
    _ name: String, at limiter: ConnectionLimiter, host: String, subscription: LoadSubscription
  ) async throws -> Task<Void, any Error> {
    let (origin, count) = (try origin(host), limiter.waitingCount)
    let task = Task {
      let permit = try await limiter.acquire(origin, subscription)
      order.add(name)
      permit.release()
    }
    while limiter.waitingCount == count { try await Task.yieldUnlessCancelled() }
    return task
  }

  private func subscription(_ priority: ImagePriority = .normal) -> LoadSubscription {
    LoadSubscription(priority: priority)
  }

  /// Holds a permit until `release` is set.
  private func occupy(
    _ limiter: ConnectionLimiter, host: String, priority: ImagePriority = .normal, until release: Signal
  ) async throws -> Task<Void, any Error> {
    let origin = try origin(host)
    let entered = Signal()
    let task = Task {
      let permit = try await limiter.acquire(origin, subscription(priority))
      entered.set()
      await release.wait()
      permit.release()
    }
    await entered.wait()
    return task
  }

  @Test func `permits are granted by priority, including a priority raised while waiting`() async throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let release = Signal()
    let first = try await occupy(limiter, host: "a", until: release)
    let raised = subscription(.veryLow)
    var tasks = [try await queue("raised", at: limiter, host: "a", subscription: raised)]
    for (name, priority) in [("low", ImagePriority.low), ("normal", .normal), ("high", .high), ("later", .normal)] {
      tasks.append(try await queue(name, at: limiter, host: "a", subscription: subscription(priority)))
    }
    raised.priority = .veryHigh
    release.set()
    try await first.value
    for task in tasks { try await task.value }
    #expect(order.names == ["raised", "high", "normal", "later", "low"])
    #expect(limiter.activeCount == 0)
  }

  @Test func `a host at its limit does not block other hosts`() async throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 10, perHost: 1))
    let release = Signal()
    let stalled = try await occupy(limiter, host: "stalled", until: release)
    let waiting = try await queue("stalled", at: limiter, host: "stalled", subscription: subscription(.veryHigh))
    let permit = try await limiter.acquire(origin("other"), subscription(.low))
    order.add("other")
    permit.release()
    release.set()
    try await stalled.value
    try await waiting.value
    #expect(order.names == ["other", "stalled"])
  }

  @Test(arguments: [["a", "b"], ["b", "a"]])
  func `of equal priorities the permit requested first is granted first, whatever its host`(hosts: [String])
    async throws
  {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let release = Signal()
    var tasks = [try await occupy(limiter, host: "a", until: release)]
    for host in hosts + hosts {
      tasks.append(try await queue(host, at: limiter, host: host, subscription: subscription()))
    }
    release.set()
    for task in tasks { try await task.value }
    #expect(order.names == hosts + hosts)
  }

  @Test func `a waiter that is cancelled takes no permit`() async throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let release = Signal()
    let first = try await occupy(limiter, host: "a", until: release)
    let waiting = try await queue("waiting", at: limiter, host: "a", subscription: subscription())
    waiting.cancel()
    await #expect(throws: ImageError.self) { try await waiting.value }
    #expect(limiter.waitingCount == 0)
    release.set()
    try await first.value
    #expect(limiter.activeCount == 0)
    #expect(order.names.isEmpty)
  }

  @Test func `low-priority loads leave permits to visible loads`() async throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 100, perHost: 6))
    let release = Signal()
    var tasks: [Task<Void, any Error>] = []
    for _ in 0..<4 { tasks.append(try await occupy(limiter, host: "a", priority: .low, until: release)) }
    let raised = subscription(.low)
    tasks.append(try await queue("raised", at: limiter, host: "a", subscription: raised))
    tasks.append(try await queue("waits", at: limiter, host: "a", subscription: subscription(.veryLow)))
    tasks.append(try await occupy(limiter, host: "a", priority: .normal, until: release))
    #expect(order.names.isEmpty)
    raised.priority = .high
    while order.names.isEmpty { try await Task.yieldUnlessCancelled() }
    #expect(order.names == ["raised"])
    release.set()
    for task in tasks { try await task.value }
    #expect(order.names == ["raised", "waits"])
  }

  @Test(arguments: [
    (-1, 1, 1), (0, 1, 1), (1, 1, 1), (2, 2, 1), (3, 3, 2), (4, 4, 2), (5, 5, 3), (6, 6, 4), (8, 8, 5), (24, 24, 16),
    (Int.max, Int.max, Int.max / 3 * 2),
  ])
  func `prefetching gets two thirds of the connections, and everything at least one`(
    limit: Int, most: Int, prefetched: Int
  ) {
    var changed = ConnectionLimits()
    (changed.total, changed.perHost) = (limit, limit)
    for limits in [ConnectionLimits(total: limit, perHost: limit), changed] {
      for priority in ImagePriority.allCases {
        let most = [.veryLow, .low].contains(priority) ? prefetched : most
        for (count, isAllowed) in [(most - 1, true), (most, false)] {
          #expect(limits.allowTransfer(at: priority, activeCount: count) == isAllowed)
          #expect(limits.allowTransfer(at: priority, hostCount: count) == isAllowed)
        }
      }
    }
  }

  @Test func `the limits of connections and of each host are their own`() {
    let limits = ConnectionLimits()
    #expect(limits.total == 24)
    #expect(limits.perHost == 6)
    #expect(limits.waiting == 10_000)
    #expect(limits.allowTransfer(at: .normal, activeCount: 23))
    #expect(!limits.allowTransfer(at: .normal, hostCount: 6))
  }

  @Test func `raising the limits grants permits to waiting loads at once`() async throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let release = Signal()
    let first = try await occupy(limiter, host: "a", until: release)
    let second = try await queue("second", at: limiter, host: "a", subscription: subscription())
    limiter.limits = ConnectionLimits(total: 2, perHost: 2)
    try await second.value
    #expect(order.names == ["second"])
    #expect(limiter.activeCount == 1)
    release.set()
    try await first.value
    #expect(limiter.activeCount == 0)
  }

  @Test(arguments: [(429, 30, false), (429, 31, true), (500, 5, true)])
  func `Retry-After of a refusal pauses the other loads of its host, but not for longer than a load waits`(
    status: Int, seconds: Int, isGranted: Bool
  ) throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(), time: TestClock())
    let (target, outcomes) = (try origin("a"), OrderLog())
    let refused = limiter.newPermit()
    refused.request(target, subscription()) { _ in }
    refused.release(TransportHead(status: status, headers: ["Retry-After": "\(seconds)"]))
    let next = limiter.newPermit()
    next.request(target, subscription()) { outcome in
      if case .success = outcome { outcomes.add("granted") }
    }
    #expect(outcomes.names == (isGranted ? ["granted"] : []))
    next.release()
  }

  @Test func `when the queue is full, the waiter of lowest priority that came last is rejected`() async throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1, waiting: 2))
    let release = Signal()
    let first = try await occupy(limiter, host: "a", until: release)
    let waiting = try await queue("early", at: limiter, host: "a", subscription: subscription(.low))
    let late = try await queue("late", at: limiter, host: "a", subscription: subscription(.low))
    let urgent = Task { [order] in
      let permit = try await limiter.acquire(origin("a"), subscription(.high))
      order.add("urgent")
      permit.release()
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
  fileprivate func acquire(_ origin: HTTPURL, _ subscription: LoadSubscription) async throws -> Permit {
    let permit = newPermit()
    try await permit.acquire(origin, subscription)
    return permit
  }
}

private final class OrderLog: Sendable {
  private let log = Lock<[String]>([])

  var names: [String] { log.withLock { $0 } }

  func add(_ name: String) { log.withLock { $0.append(name) } }
}
