import Foundation
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport

@Suite(.unitTest)
struct WorkerPoolTests {
  /// Keeps the only thread of a pool busy until `release` is opened.
  private func occupy(_ pool: WorkerPool, until release: Latch) async -> Task<Void, any Error> {
    let started = Signal()
    let task = Task {
      try await pool.run { _ in
        started.set()
        release.wait()
      }
    }
    await started.wait()
    return task
  }

  @Test func `no more work items run concurrently than there are threads`() async throws {
    let pool = WorkerPool(name: "test", width: 3)
    let gauge = Gauge()
    try await withThrowingTaskGroup { group in
      for _ in 0..<200 {
        group.addTask {
          let running = try await pool.run { _ in
            defer { gauge.leave() }
            return gauge.enter()
          }
          #expect(running <= 3)
        }
      }
      try await group.waitForAll()
    }
  }

  private final class Gauge: Sendable {
    private let count = Lock(0)

    func enter() -> Int {
      count.withLock { count in
        count += 1
        return count
      }
    }

    func leave() { count.withLock { $0 -= 1 } }
  }

  @Test(arguments: [0, 10.0])
  func `work runs by priority, then in order of submission`(idleSeconds: Double) async throws {
    let pool = WorkerPool(name: "test", width: 1, idleSeconds: idleSeconds)
    let release = Latch()
    let blocker = await occupy(pool, until: release)
    let order = Lock<[String]>([])
    for (name, priority) in [("a", ImagePriority.low), ("b", .normal), ("c", .veryHigh), ("d", .normal)] {
      pool.enqueue(priority: priority) { order.withLock { $0.append(name) } }
    }
    release.open()
    try await blocker.value
    try await pool.run(priority: .veryLow) { _ in }
    #expect(order.withLock { $0 } == ["c", "b", "d", "a"])
  }

  private func waitUntilThreadsEnd(_ pool: WorkerPool) async {
    while pool.threadCount > 0, !Task.isCancelled { await Task.yield() }
  }

  @Test func `threads start with work, and end when they have none`() async throws {
    let pool = WorkerPool(name: "test", width: 3, idleSeconds: 0)
    #expect(pool.threadCount == 0)
    for _ in 0..<3 {
      let release = Latch()
      let blocker = await occupy(pool, until: release)
      #expect(pool.threadCount == 1)
      let other = await occupy(pool, until: release)
      #expect(pool.threadCount == 2)
      release.open()
      try await blocker.value
      try await other.value
      await waitUntilThreadsEnd(pool)
    }
  }

  @Test func `a thread that sleeps takes the next work, and ends with the pool`() async throws {
    let pool = WorkerPool(name: "test", width: 1, idleSeconds: 1000)
    for number in 0..<1000 {
      #expect(try await pool.run { _ in number } == number)
      #expect(pool.threadCount == 1)
    }
    pool.close()
    await waitUntilThreadsEnd(pool)
  }

  @Test(arguments: [0, 1e-9, 1e-5, 1], [false, true])
  func `no work is lost while threads end and start`(idleSeconds: Double, spins: Bool) async throws {
    let pool = WorkerPool(name: "test", width: 3, idleSeconds: idleSeconds, spins: spins)
    try await withThrowingTaskGroup { group in
      for _ in 0..<5 {
        group.addTask {
          for number in 0..<400 {
            let result = try await pool.run { _ in number }
            #expect(result == number)
            if number % 10 == 0 { await Task.yield() }
          }
        }
      }
      try await group.waitForAll()
    }
    pool.close()
    await waitUntilThreadsEnd(pool)
    #expect(pool.waitingCount == 0)
  }

  @Test func `work that is cancelled while it is queued never starts`() async throws {
    let pool = WorkerPool(name: "test", width: 1)
    let release = Latch()
    let blocker = await occupy(pool, until: release)
    let runs = Counter()
    let waiting = (0..<1000).map { _ in
      Task { try await pool.run { _ in runs.increment() } }
    }
    for task in waiting.dropFirst(10) { task.cancel() }
    for task in waiting.dropFirst(10) {
      await #expect(throws: CancellationError.self) { try await task.value }
    }
    release.open()
    for task in waiting.prefix(10) { try await task.value }
    try await blocker.value
    #expect(runs.count == 10)
  }

  @Test func `a closed pool ends the work that waits, and starts no other`() async throws {
    let pool = WorkerPool(name: "test", width: 1)
    let release = Latch()
    let blocker = await occupy(pool, until: release)
    let order = Lock<[String]>([])
    pool.enqueue { order.withLock { $0.append("before") } }
    pool.close()
    pool.enqueue { order.withLock { $0.append("after") } }
    await #expect(throws: CancellationError.self) { try await pool.run { _ in } }
    release.open()
    try await blocker.value
    await waitUntilThreadsEnd(pool)
    #expect(order.withLock { $0 } == ["before"])
  }

  @Test func `of equal priority the newest work starts first, where a pool says so`() async throws {
    let pool = WorkerPool(name: "test", width: 1, newestFirst: true)
    let release = Latch()
    let blocker = await occupy(pool, until: release)
    let order = Lock<[String]>([])
    for (name, priority) in [("a", ImagePriority.low), ("b", .normal), ("c", .low), ("d", .normal)] {
      pool.enqueue(priority: priority) { order.withLock { $0.append(name) } }
    }
    release.open()
    try await blocker.value
    try await pool.run(priority: .veryLow) { _ in }
    #expect(order.withLock { $0 } == ["d", "b", "c", "a"])
  }

  @Test func `work notices its cancellation at every 16th row`() throws {
    let flag = CancellationFlag()
    #expect(!flag.asCurrent { CancellationFlag.isCurrentCancelled })
    flag.cancel()
    try flag.asCurrent {
      #expect(CancellationFlag.isCurrentCancelled)
      for row in [1, 15, 17, 31] { try CancellationFlag.checkCurrent(atRow: row) }
      for row in [0, 16, 160] {
        #expect(throws: CancellationError.self) { try CancellationFlag.checkCurrent(atRow: row) }
      }
    }
    #expect(!CancellationFlag.isCurrentCancelled)
  }

  @Test func `running work sees its cancellation flag`() async throws {
    let pool = WorkerPool(name: "test", width: 1)
    let (started, release) = (Signal(), Latch())
    let task = Task {
      try await pool.run { flag in
        started.set()
        release.wait()
        return flag.isCancelled
      }
    }
    await started.wait()
    task.cancel()
    release.open()
    #expect(try await task.value)
  }

  #if os(Linux)
  @Test func `threads have a system name`() async throws {
    let pool = WorkerPool(name: "test", width: 1)
    let name = try await pool.run { _ in try String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) }
    #expect(name == "halcyon.test\n")
  }
  #endif

  @Test func `an actor on a thread executor runs its calls in order`() async {
    let log = Log()
    for number in 0..<100 { await log.add(number) }
    #expect(await log.numbers == Array(0..<100))
  }

  private actor Log {
    private nonisolated let executor = ThreadExecutor(name: "test")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private(set) var numbers: [Int] = []

    func add(_ number: Int) { numbers.append(number) }
  }
}
