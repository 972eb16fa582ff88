import Foundation
import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import HalcyonSupport
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

/// How often a load looks into memory, and what it leaves behind.
@Suite(.integrationTest)
struct LoadFlowTests {
  private let clock = TestClock()

  private func lookUps(_ fixture: PipelineFixture) -> Int {
    let statistics = fixture.memory.statistics
    return statistics.hits + statistics.misses.values.reduce(0, +)
  }

  @Test func `a load looks into memory once`() async throws {
    let fixture = PipelineFixture.serving()
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(lookUps(fixture) == 1)
    #expect(fixture.memory.statistics.misses[.absent] == 1)
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(lookUps(fixture) == 2)
    _ = try await fixture.pipeline.task(for: ImageRequest(url: fixture.url.appending(path: "other"))).image
    #expect(lookUps(fixture) == 3)
    let other = PipelineFixture.serving()
    _ = try await other.pipeline.image(for: ImageRequest(url: other.url, processors: [.grayscale, .invert]))
    #expect(lookUps(other) == 1 && other.memory.statistics.misses[.absent] == 1, "with processors, too")
  }

  @Test func `revalidating a stale image looks into memory once`() async throws {
    let image = SolidImage(width: 10, height: 10)
    let fixture = PipelineFixture { [clock] configuration in
      configuration.time = clock
    } script: { _ in
      .response(body: image.data, headers: ["Cache-Control": "max-age=60"])
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    clock.advance(by: .seconds(61))
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(lookUps(fixture) == 2)
    #expect(fixture.decoder.decodedSizes.count == 1, "the pixels in memory are used again")
  }

  @Test func `stale entries of one URL are revalidated in every cache`() async throws {
    let image = SolidImage(width: 10, height: 10)
    let gate = Lock<Signal?>(nil)
    let fixture = PipelineFixture { [clock] configuration in
      configuration.time = clock
    } script: { _ in
      await gate.withLock { $0 }?.wait()
      return .response(body: image.data, headers: ["Cache-Control": "max-age=60, stale-while-revalidate=600"])
    }
    let caches = [ImageCache(store: MemoryDataStore()), ImageCache(store: MemoryDataStore())]
    func load() async throws {
      for cache in caches {
        var request = ImageRequest(url: fixture.url) { $0.memoryAccess = .disabled }
        request.options.cache = cache
        _ = try await fixture.pipeline.image(for: request)
      }
    }
    try await load()
    for cache in caches { await cache.flush() }
    clock.advance(by: .seconds(61))
    // The revalidation for the first cache is still in flight when the second cache is read.
    let held = Signal()
    gate.withLock { $0 = held }
    try await load()
    held.set()
    for cache in caches { await cache.flush() }
    #expect(fixture.transport.requests.count == 4)
  }

  @Test func `a body of empty pieces ends when its load is cancelled`() async throws {
    let (asked, pieces) = (Signal(), Counter())
    let transport = EmptyPieces {
      pieces.increment()
      if pieces.count == 3 { asked.set() }
    }
    let fixture = PipelineFixture {
      $0.transport = transport
    } script: { _ in
      .failure(.cancelled)
    }
    let load = Task { try await fixture.pipeline.image(for: fixture.url) }
    await asked.wait()
    load.cancel()
    let error = await #expect(throws: ImageError.self) { try await load.value }
    #expect(error?.name == "cancelled")
    while fixture.pipeline.activeJobCount > 0 { try await Task.yieldUnlessCancelled() }
  }

  private func newJobs<Key>() -> InFlightJobs<Key, Int> { InFlightJobs { _ in URL(filePath: "/") } }

  @Test func `a job that ends while callers join leaves no observer behind`() async {
    let jobs: InFlightJobs<Int, Int> = newJobs()
    let subscriptions = (0..<20_000).map { _ in LoadSubscription(priority: .normal) }
    await withTaskGroup(of: Void.self) { group in
      for (index, subscription) in subscriptions.enumerated() {
        group.addTask {
          _ = try? await jobs.value(for: index % 3, subscription: subscription, keepsResult: true) { _ in
            await Task.yield()
            return index
          }
        }
      }
    }
    #expect(subscriptions.allSatisfy { $0.priorityObserverCount == 0 })
    #expect(jobs.count == 0)
  }

  @Test func `a job that is cancelled while its first part runs counts among the writes until its end`() async throws {
    let jobs: InFlightJobs<String, Int> = newJobs()
    let writes = ImageCache(store: MemoryDataStore()).writes
    let hasEnded = Lock(false)
    let (starts, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let caller = Task.detached {
      try await jobs.value(
        for: "a", subscription: LoadSubscription(priority: .normal), keepsResult: true, writes: writes
      ) { _ throws(ImageError) in
        starts.signal()
        // Blocks the part of the job that runs before its task is known.
        blockingWait(for: mayEnd)
        await Task.yield()
        hasEnded.withLock { $0 = true }
        return 1
      }
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        starts.waitWithLimit()
        caller.cancel()
        continuation.resume()
      }
    }
    #expect(writes.pending.count == 1)
    mayEnd.signal()
    await writes.flush()
    #expect(hasEnded.withLock { $0 })
    await #expect(throws: ImageError.self) { try await caller.value }
  }

  @Test func `the end of a job counts among the writes although the job that waits for it did not know its task`()
    async throws
  {
    let (outer, inner): (InFlightJobs<String, Int>, InFlightJobs<String, Int>) = (newJobs(), newJobs())
    let writes = ImageCache(store: MemoryDataStore()).writes
    let hasStored = Lock(false)
    let (starts, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let never = Signal()
    let subscription = LoadSubscription(priority: .normal)
    let caller = Task.detached {
      try await outer.value(for: "a", subscription: subscription, keepsResult: true, writes: writes) {
        _ throws(ImageError) in
        starts.signal()
        blockingWait(for: mayEnd)
        return try await inner.value(for: "b", subscription: subscription, keepsResult: true, writes: writes) {
          _ throws(ImageError) in
          await never.wait()
          // As long as the writing of a part may take.
          for _ in 0..<10_000 { await Task.yield() }
          hasStored.withLock { $0 = true }
          throw .cancelled
        }
      }
    }
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      Thread.detachNewThread {
        starts.waitWithLimit()
        caller.cancel()
        continuation.resume()
      }
    }
    let pending = writes.pending
    mayEnd.signal()
    for write in pending { await write.value }
    #expect(hasStored.withLock { $0 })
    await #expect(throws: ImageError.self) { try await caller.value }
  }

  @Test func `a subscriber that only joins waits for a job in flight, and starts none`() async throws {
    let jobs: InFlightJobs<Int, Int> = newJobs()
    let (started, release) = (Signal(), Signal())
    let only = LoadSubscription(priority: .normal)
    only.joinOnly()
    func joined() async throws -> Int {
      try await jobs.value(for: 0, subscription: only, keepsResult: true) { _ in 2 }
    }
    await #expect(throws: ImageError.self) { try await joined() }
    let first = Task {
      try await jobs.value(for: 0, subscription: LoadSubscription(priority: .normal), keepsResult: true) { _ in
        started.set()
        await release.wait()
        return 1
      }
    }
    await started.wait()
    async let value = joined()
    while only.priorityObserverCount == 0 { try await Task.yieldUnlessCancelled() }
    release.set()
    #expect(try await [first.value, value] == [1, 1])
  }

  @Test func `a job keeps its priority when a caller of a lower one joins`() async throws {
    let jobs: InFlightJobs<Int, Int> = newJobs()
    let (job, release) = (JobSubscription(), Signal())
    let callers = [ImagePriority.high, .low].map { LoadSubscription(priority: $0) }
    func value(_ caller: LoadSubscription) -> Task<Int, any Error> {
      Task {
        try await jobs.value(for: 0, subscription: caller, keepsResult: true) { subscription in
          job.subscription.withLock { $0 = subscription }
          await release.wait()
          return 0
        }
      }
    }
    var loads: [Task<Int, any Error>] = []
    for caller in callers {
      loads.append(value(caller))
      while caller.priorityObserverCount == 0 { try await Task.yieldUnlessCancelled() }
    }
    while job.subscription.withLock({ $0 }) == nil { try await Task.yieldUnlessCancelled() }
    #expect(job.subscription.withLock { $0?.priority } == .high)
    release.set()
    for load in loads { _ = try await load.value }
  }

  @Test func `a job ends up with the highest priority of its callers, in whatever order they change it`() async throws {
    for _ in 0..<200 {
      let jobs: InFlightJobs<Int, Int> = newJobs()
      let (started, release) = (Signal(), Signal())
      let job = JobSubscription()
      let callers = [LoadSubscription(priority: .low), LoadSubscription(priority: .low)]
      let loads = callers.map { subscription in
        Task {
          try await jobs.value(for: 0, subscription: subscription, keepsResult: true) { subscription in
            job.subscription.withLock { $0 = subscription }
            started.set()
            await release.wait()
            return 0
          }
        }
      }
      await started.wait()
      await withTaskGroup(of: Void.self) { group in
        for subscription in callers {
          group.addTask {
            for priority in [ImagePriority.high, .low, .veryHigh, .normal, .veryLow] {
              subscription.priority = priority
            }
          }
        }
      }
      #expect(job.subscription.withLock { $0?.priority } == .veryLow)
      release.set()
      for load in loads { _ = try await load.value }
    }
  }

  @Test func `a request for a permit stops observing when it is granted or cancelled`() async throws {
    let limiter = ConnectionLimiter(limits: ConnectionLimits(total: 1, perHost: 1))
    let origin = try #require(URL(string: "http://example.com").flatMap { HTTPURL($0) })
    let held = limiter.newPermit()
    try await held.acquire(origin, LoadSubscription(priority: .normal))
    let (granted, cancelled) = (LoadSubscription(priority: .normal), LoadSubscription(priority: .normal))
    let (first, second) = (limiter.newPermit(), limiter.newPermit())
    let outcomes = EventLog<ConnectionLimiter.Outcome>()
    first.request(origin, granted) { outcomes.record($0) }
    second.request(origin, cancelled) { outcomes.record($0) }
    #expect(granted.priorityObserverCount == 1 && cancelled.priorityObserverCount == 1)
    second.release()
    held.release()
    let names = outcomes.events.map { if case .failure(let error) = $0 { error.name } else { "granted" } }
    #expect(names == ["cancelled", "granted"])
    #expect(granted.priorityObserverCount == 0 && cancelled.priorityObserverCount == 0)
    first.release()
    #expect(limiter.activeCount == 0)
  }

  @Test func `a load that waits for a thread starts earlier when its priority is raised`() async throws {
    let (gate, started) = (Latch(), Signal())
    let fixture = PipelineFixture(configure: { $0.decodingThreads = 1 }) { _ in
      .response(body: SolidImage(width: 10, height: 10).data)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    let order = Lock<[Int]>([])
    func task(_ number: Int, _ work: @escaping @Sendable () -> Void = {}) -> ImageTask {
      let processor = BuiltInProcessor.custom(identifier: "\(number)") { bitmap in
        work()
        order.withLock { $0.append(number) }
        return bitmap
      }
      return fixture.pipeline.task(for: ImageRequest(url: fixture.url, processors: [processor]))
    }
    let blocking = task(0) {
      started.set()
      gate.wait()
    }
    await started.wait()
    var tasks: [ImageTask] = []
    for number in 1...3 {
      tasks.append(task(number))
      while fixture.pipeline.loader.workers.waitingCount < number { try await Task.yieldUnlessCancelled() }
    }
    tasks[2].priority = .high
    tasks[0].priority = .low
    gate.open()
    for task in [blocking] + tasks { _ = try await task.image }
    #expect(order.withLock { $0 } == [0, 3, 2, 1])
  }
}

/// The subscription that a job hands to its operation.
private final class JobSubscription: Sendable {
  let subscription = Lock<LoadSubscription?>(nil)
}

/// Blocks the thread, as long calculations of a job do.
private func blockingWait(for semaphore: DispatchSemaphore) { semaphore.waitWithLimit() }

/// Sends bodies of empty pieces without end, and does not notice a cancellation.
private struct EmptyPieces: Transport {
  let onRead: @Sendable () -> Void

  func response(to request: TransportRequest) async throws -> TransportResponse {
    TransportResponse(
      status: 200, headers: HTTPHeaders(),
      body: TransportBody {
        onRead()
        return Data()
      })
  }
}
