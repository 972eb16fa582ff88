import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import Testing

@Suite(.timeLimit(.minutes(10)))
struct MemoryPressureTests {
  /// Scripted memory pressure; `isOver` ends when all of it has been handled.
  private final class ScriptedPressure: MemoryPressureSource {
    let isOver: AsyncStream<Never>
    private let end: AsyncStream<Never>.Continuation
    private let pressures: Lock<[MemoryPressure]>

    init(_ pressures: [MemoryPressure]) {
      self.pressures = Lock(pressures.reversed())
      (isOver, end) = AsyncStream.makeStream()
    }

    func events() -> AsyncStream<MemoryPressure> {
      AsyncStream { [self] in
        // The next event is requested when the previous one has been handled.
        let next = pressures.withLock { $0.popLast() }
        if next == nil { end.finish() }
        return next
      }
    }
  }

  private func fullCache() throws -> MemoryCache {
    let cache = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 10_000))
    for number in 0..<25 { cache.store(try solidImage(10, 10), for: CacheKey("\(number)")) }
    return cache
  }

  @Test(arguments: [
    ([MemoryPressure.some], 4800), ([.full], 800), ([.some, .some], 2400), ([.some, .full], 400),
  ])
  func `memory pressure trims the cache`(pressures: [MemoryPressure], cost: Int) async throws {
    let cache = try fullCache()
    let source = ScriptedPressure(pressures)
    let monitor = MemoryPressureMonitor(trimming: cache, on: source)
    for await _ in source.isOver {}
    #expect(cache.totalCost == cost)
    #expect(cache.configuration.costLimit == 10_000)
    #expect(cache.statistics.evictions.byPressure == 25 - cost / 400)
    withExtendedLifetime(monitor) {}
  }

  @Test func `a monitor reports memory pressure to a closure, in order`() async {
    let source = ScriptedPressure([.some, .full, .some])
    let (reported, continuation) = AsyncStream.makeStream(of: MemoryPressure.self)
    let monitor = MemoryPressureMonitor(source: source) { continuation.yield($0) }
    for await _ in source.isOver {}
    continuation.finish()
    var pressures: [MemoryPressure] = []
    for await pressure in reported { pressures.append(pressure) }
    #expect(pressures == [.some, .full, .some])
    withExtendedLifetime(monitor) {}
  }

  @Test func `an image cache trims its memory tier under memory pressure`() async throws {
    let memory = try fullCache()
    let source = ScriptedPressure([.some])
    let cache = ImageCache(memory: memory, pressure: source)
    for await _ in source.isOver {}
    #expect(memory.totalCost == 4800)
    withExtendedLifetime(cache) {}
  }

  @Test func `a store without pressure handling is emptied under full pressure`() throws {
    let memory = try fullCache()
    let store: any MemoryStore = SimpleStore(cache: memory)
    store.trim(for: .some)
    #expect(memory.count == 25)
    store.trim(for: .full)
    #expect(memory.count == 0)
  }

  /// A store with only the required members.
  private struct SimpleStore: MemoryStore {
    let cache: MemoryCache

    var configuration: MemoryCacheConfiguration {
      get { cache.configuration }
      nonmutating set { cache.configuration = newValue }
    }
    func image(for key: CacheKey) -> DecodedImage? { cache.image(for: key) }
    func contains(_ key: CacheKey) -> Bool { cache.contains(key) }
    func store(_ image: DecodedImage, for key: CacheKey, expiration: CacheExpiration?) -> Bool {
      cache.store(image, for: key, expiration: expiration)
    }
    func removeImage(for key: CacheKey) { cache.removeImage(for: key) }
    func removeAll() { cache.removeAll() }
  }

  @Test func `the system's pressure source can be started and stopped on every platform`() async {
    let watching = Task {
      for await _ in SystemMemoryPressure().events() {}
    }
    watching.cancel()
    await watching.value
  }
}
