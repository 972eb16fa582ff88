import HalcyonCache
import HalcyonHTTP
import HalcyonImaging
import Foundation
import HalcyonTesting
import HalcyonSupport
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonPipeline

@Suite(.integrationTest)
struct CoalescingTests {
  /// A pipeline whose transfers increment `started`, then wait for `release`.
  private func heldFixture(_ release: Signal, started: Counter) -> PipelineFixture {
    PipelineFixture { _ in
      started.increment()
      await release.wait()
      return .response(body: SolidImage(width: 8, height: 8).data)
    }
  }

  @Test func `a thousand coalesced requests cause one transfer, one decode and a thousand deliveries`() async throws {
    let (release, started) = (Signal(), Counter())
    let fixture = heldFixture(release, started: started)
    let delivered = Counter()
    let tasks = (0..<1000).map { _ in
      Task {
        _ = try await fixture.pipeline.image(for: fixture.url)
        delivered.increment()
      }
    }
    await started.wait(for: 1)
    release.set()
    for task in tasks { try await task.value }
    #expect(delivered.count == 1000)
    #expect(fixture.transport.requests.count == 1)
    #expect(fixture.decoder.decodedSizes.count == 1)
  }

  @Test func `cancelling 999 of 1000 coalesced requests leaves one delivery`() async throws {
    let (release, started) = (Signal(), Counter())
    let fixture = heldFixture(release, started: started)
    // The kept task starts first: cancelling every task that has started would cancel the transfer too.
    let kept = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await started.wait(for: 1)
    let others = (0..<999).map { _ in fixture.pipeline.task(for: ImageRequest(url: fixture.url)) }
    for task in others { task.cancel() }
    release.set()
    let outcomes = await withTaskGroup(of: Bool.self) { group in
      for task in [kept] + others { group.addTask { (try? await task.image) != nil } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(outcomes == 1)
    #expect(fixture.transport.requests.count == 1)
  }

  @Test func `cancelling the last subscriber cancels the transfer, and the next request starts a new one`() async throws
  {
    let (begun, ended, joined) = (Counter(), Signal(), Counter())
    let fixture = PipelineFixture { configuration in
      configuration.eventHandler = { if case .joined(.image) = $0.kind { joined.increment() } }
    } script: { _ in
      begun.increment()
      if begun.count == 1 {
        await withTaskCancellationHandler {
          await ended.wait()
        } onCancel: {
          ended.set()
        }
        try Task.checkCancellation()
      }
      return .response(body: SolidImage(width: 8, height: 8).data)
    }
    let tasks = (0..<5).map { _ in fixture.pipeline.task(for: ImageRequest(url: fixture.url)) }
    await begun.wait(for: 1)
    // A task that joins later would keep the transfer for the next request.
    await joined.wait(for: 4)
    for task in tasks { task.cancel() }
    // A request that is sent before may keep the transfer.
    await ended.wait()
    let image = try await fixture.pipeline.image(for: fixture.url)
    #expect(image.size.width == 8)
    #expect(fixture.transport.requests.count == 2)
    for task in tasks {
      let error = await #expect(throws: ImageError.self) { try await task.image }
      #expect(error?.name == "cancelled")
    }
  }

  @Test(arguments: [true, false])
  func `a shared load falls back to the priority of those who still wait for it`(cancels: Bool) async throws {
    let held = HeldPipeline { $0.connectionLimits = ConnectionLimits(total: 1) }
    let urls = [URL].numbered(3)
    let first = held.pipeline.task(for: ImageRequest(url: urls[0]))
    try await held.began.waitForEvents(count: 1)
    let patient = held.pipeline.task(for: ImageRequest(url: urls[1]) { $0.priority = .veryLow })
    let urgent = held.pipeline.task(for: ImageRequest(url: urls[1]) { $0.priority = .veryHigh })
    let other = held.pipeline.task(for: ImageRequest(url: urls[2]))
    while held.pipeline.loader.bytes.http.limiter.waitingCount < 2 { try await Task.yieldUnlessCancelled() }
    while held.pipeline.activeJobCount < 7 { try await Task.yieldUnlessCancelled() }
    if cancels { urgent.cancel() } else { urgent.priority = .low }
    held.gate.release()
    #expect(try await held.began.waitForEvents(count: 2) == ["0", "2"])
    held.gate.open()
    for task in [first, patient, other] { _ = try await task.image }
  }

  @Test func `a load that joins another one sees its progress and the header at once`() async throws {
    let (gate, body) = (Gate(), SolidImage(width: 8, height: 8, paddingByteCount: 1000).data)
    let fixture = PipelineFixture(configure: { $0.progressInterval = .zero }) { _ in
      .response(body: body, headers: ["Content-Length": "\(body.count)"], pieceByteCount: 500) {
        try? await gate.wait()
      }
    }
    let first = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    try await gate.waitUntilHolding()
    let second = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    var names: Set<String> = []
    for await event in second.events {
      names.insert(Mirror(reflecting: event).children.first?.label ?? "")
      if names.count == 2 { break }
    }
    #expect(names == ["info", "progress"])
    #expect(second.latestProgress?.receivedByteCount == 500)
    gate.open()
    _ = try await (first.image, second.image)
  }

  @Test func `a task cancelled before it starts loads nothing`() async throws {
    let fixture = PipelineFixture.serving()
    let task = Task {
      await Task.yield()
      withUnsafeCurrentTask { $0?.cancel() }
      return try await fixture.pipeline.image(for: fixture.url)
    }
    let error = await #expect(throws: ImageError.self) { try await task.value }
    #expect(error?.name == "cancelled")
    #expect(fixture.transport.requests.isEmpty)
    #expect(fixture.pipeline.activeJobCount == 0)
  }

  @Test func `a failure is delivered to every subscriber once, and the next request starts a new transfer`()
    async throws
  {
    let (release, started, joined) = (Signal(), Counter(), Counter())
    let fixture = PipelineFixture { configuration in
      configuration.options.retryStrategy = .never
      configuration.eventHandler = { if case .joined(.image) = $0.kind { joined.increment() } }
    } script: { _ in
      started.increment()
      await release.wait()
      if started.count > 1 { return .response(body: SolidImage(width: 8, height: 8).data) }
      return .failure(.connectionLost(received: 3, expected: 9))
    }
    let tasks = (0..<50).map { _ in fixture.pipeline.task(for: ImageRequest(url: fixture.url)) }
    await joined.wait(for: 49)
    release.set()
    for task in tasks {
      var endings = 0
      for await event in task.events {
        if case .finished(.failure(.transport(.connectionLost, _))) = event { endings += 1 }
      }
      #expect(endings == 1)
    }
    _ = try await fixture.pipeline.image(for: fixture.url)
    #expect(fixture.transport.requests.count == 2)
  }

  @Test func `a request that misses just before an equal load ends returns its image and starts no transfer`()
    async throws
  {
    let memory = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 1 << 20))
    let size = PixelSize(width: 8, height: 8)
    let image = DecodedImage(
      bitmap: try Bitmap(size: size, isOpaque: true) { _ in }, info: ImageInfo(format: .bmp, storedSize: size))
    let fixture = PipelineFixture { configuration in
      configuration.cache = ImageCache(memory: LateStore(memory: memory, image: image), store: MemoryDataStore())
    } script: { _ in
      .response(body: SolidImage(width: 9, height: 9).data)
    }
    #expect(try await fixture.pipeline.image(for: fixture.url).size.width == 8)
    #expect(fixture.transport.requests.isEmpty)
  }

  @Test func `a cache-only request does not join a network load in flight`() async throws {
    let (release, started) = (Signal(), Counter())
    let fixture = heldFixture(release, started: started)
    let normal = fixture.pipeline.task(for: ImageRequest(url: fixture.url))
    await started.wait(for: 1)
    let cacheOnly = ImageRequest(url: fixture.url) { $0.cachePolicy = .cacheOnly }
    await #expect(throws: ImageError.self) { try await fixture.pipeline.image(for: cacheOnly) }
    release.set()
    _ = try await normal.image
  }

  @Test func `tasks started and cancelled concurrently each finish exactly once`() async throws {
    let fixture = PipelineFixture.serving()
    await withTaskGroup { group in
      for worker in 0..<8 {
        group.addTask {
          for step in 0..<250 {
            let size = TargetSize.fit(width: 1 + (worker + step) % 5, height: 100)
            let task = fixture.pipeline.task(for: ImageRequest(url: fixture.url, size: size))
            if step % 2 == 0 { task.cancel() }
            var endings = 0
            for await event in task.events {
              if case .finished = event { endings += 1 }
            }
            #expect(endings == 1)
            if step % 5 == 0 { fixture.memory.removeAll() }
          }
        }
      }
    }
    #expect(fixture.pipeline.activeJobCount == 0)
  }
}

/// A memory store in which another load stores `image` just after the first look-up.
private struct LateStore: MemoryStore {
  let memory: MemoryCache
  let image: DecodedImage

  var configuration: MemoryCacheConfiguration {
    get { memory.configuration }
    nonmutating set { memory.configuration = newValue }
  }

  func image(for key: CacheKey) -> DecodedImage? {
    if let found = memory.image(for: key) { return found }
    memory.store(image, for: key)
    return nil
  }

  func contains(_ key: CacheKey) -> Bool { memory.contains(key) }
  func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool {
    memory.store(image, for: key, expiration: expiration)
  }
  func removeImage(for key: CacheKey) { memory.removeImage(for: key) }
  func removeAll() { memory.removeAll() }
}
