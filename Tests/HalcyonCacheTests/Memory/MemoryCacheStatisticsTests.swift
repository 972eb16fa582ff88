import HalcyonSupport
import HalcyonCache
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct MemoryCacheStatisticsTests {
  @Test func `every hit, miss and eviction is counted by reason`() throws {
    let clock = TestClock()
    let cache = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: 1000), time: clock)
    for number in 0..<12 { cache.store(try solidImage(10, 2), for: CacheKey("\(number)")) }
    #expect(!cache.store(try solidImage(100, 100), for: "large"))
    #expect(cache.image(for: "11") != nil)
    #expect(cache.image(for: "none") == nil)
    cache.removeImage(for: "11")
    cache.removeImage(for: "11")
    cache.trim(to: 700)
    cache.configuration.countLimit = 5
    cache.store(try solidImage(1, 1), for: "brief", expiration: .after(.seconds(1)))
    clock.advance(by: .seconds(1))
    #expect(cache.image(for: "brief") == nil)
    cache.removeAll()

    let statistics = cache.statistics
    #expect(statistics.hits == 1)
    #expect(statistics.hitsInUse == 0)
    #expect(statistics.misses == [.absent: 1, .expired: 1])
    #expect(statistics.stores == 13)
    #expect(statistics.rejections == 1)
    #expect(statistics.evictions == [.pressure: 3, .count: 4, .expiration: 1])
    #expect(cache.totalCost == 0)
    #expect(cache.count == 0)
    for number in 0..<20 { cache.store(try solidImage(10, 20), for: CacheKey("\(number)")) }
    #expect(cache.statistics.evictions[.size] == 19)
    #expect(cache.totalCost == 800)
  }
}
