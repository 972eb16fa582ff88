import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestSupport
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonImaging
@testable import HalcyonCache

@Suite(.unitTest)
struct MemorySweeperTests {
  private let clock = TestClock()

  private func sweptCache() -> MemoryCache {
    MemoryCache(
      configuration: MemoryCacheConfiguration(costLimit: 1 << 20), time: clock, pool: PixelPool(),
      sweepInterval: .seconds(30))
  }

  @Test func `expired images are removed from an idle cache`() async throws {
    let cache = sweptCache()
    let reasons = Lock<[EvictionReason]>([])
    let evicted = Counter()
    let subscription = cache.evictionObservers.observe { item in
      reasons.withLock { $0.append(item.reason) }
      evicted.increment()
    }
    cache.store(try solidImage(), for: "brief", expiration: .after(.seconds(10)))
    cache.store(try solidImage(), for: "longer", expiration: .after(.seconds(50)))
    for round in 1...2 {
      await clock.waitForSleepers()
      clock.advance(by: .seconds(29))
      #expect(cache.count == 3 - round, "nothing is removed before the interval has passed")
      clock.advance(by: .seconds(1))
      await evicted.wait(for: round)
      #expect(cache.count == 2 - round)
    }
    #expect(cache.statistics.evictions[.expiration] == 2)
    #expect(reasons.withLock { $0 } == [.expiration, .expiration])
    withExtendedLifetime(subscription) {}
  }

  @Test func `an observer that ends leaves the others`() throws {
    let cache = sweptCache()
    let counts = Lock([0, 0])
    var subscriptions = (0..<2).map { index in
      cache.evictionObservers.observe { item in counts.withLock { $0[index] += item.count } }
    }
    func evict() throws {
      cache.store(try solidImage(), for: "a", expiration: .after(.seconds(1)))
      clock.advance(by: .seconds(2))
      _ = cache.sweep()
    }
    try evict()
    subscriptions.removeFirst()
    try evict()
    #expect(counts.withLock { $0 } == [1, 2])
    withExtendedLifetime(subscriptions) {}
  }

  @Test
  func `sweeping stops when no image can expire, and starts again with the next one that can`() async throws {
    let cache = sweptCache()
    let evicted = Signal()
    let subscription = cache.evictionObservers.observe { _ in evicted.set() }
    cache.store(try solidImage(), for: "lasting", expiration: .never)
    #expect(!cache.sweep(), "there is nothing to wait for")
    cache.store(try solidImage(), for: "brief", expiration: .after(.seconds(10)))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    await evicted.wait()
    cache.store(try solidImage(), for: "next", expiration: .after(.seconds(120)))
    for _ in 0..<3 {
      await clock.waitForSleepers()
      #expect(clock.sleeperCount == 1)
      clock.advance(by: .seconds(30))
    }
    await clock.waitForSleepers()
    #expect(cache.count == 2)
    withExtendedLifetime(subscription) {}
  }

  @Test func `an image that is stored again with an expiration is swept`() async throws {
    let cache = sweptCache()
    let evicted = Signal()
    let subscription = cache.evictionObservers.observe { _ in evicted.set() }
    cache.store(try solidImage(), for: "a", expiration: .never)
    cache.store(try solidImage(), for: "a", expiration: .after(.seconds(10)))
    await clock.waitForSleepers()
    clock.advance(by: .seconds(30))
    await evicted.wait()
    #expect(cache.count == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test func `sweeping does not keep a cache alive, and ends with it`() async throws {
    var cache: MemoryCache? = sweptCache()
    weak let remembered = cache
    cache?.store(try solidImage(), for: "a")
    await clock.waitForSleepers()
    cache = nil
    #expect(remembered == nil)
    #expect(clock.sleeperCount == 0)
  }

  @Test func `only caches on the system clock are swept automatically`() {
    #expect(MemoryCache().sweeper != nil)
    #expect(MemoryCache(time: clock).sweeper == nil)
  }
}
