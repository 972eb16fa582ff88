import HalcyonSupport
import HalcyonCache
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.unitTest)
struct MemoryCacheTests {
  private let clock = TestClock()

  private func cache(costLimit: Int = .max, countLimit: Int = .max) -> MemoryCache {
    MemoryCache(configuration: MemoryCacheConfiguration(costLimit: costLimit, countLimit: countLimit), time: clock)
  }

  @Test func `an image larger than the whole limit is rejected and evicts no other`() throws {
    let cache = cache(costLimit: 1000)
    cache.store(try solidImage(5, 5), for: "small")
    cache.store(try solidImage(5, 5), for: "large")
    #expect(!cache.store(try solidImage(100, 100), for: "large"))
    #expect(cache.contains("small"))
    #expect(!cache.contains("large"), "an older image under the key would be outdated")
  }

  @Test(arguments: [(0, .max), (-1, .max), (1000, 0), (1000, -1)] as [(Int, Int)])
  func `with a limit of zero or less no image is stored`(costLimit: Int, countLimit: Int) throws {
    let cache = cache(costLimit: costLimit, countLimit: countLimit)
    #expect(!cache.store(try solidImage(), for: "a"))
    #expect(!cache.contains("a"))
    #expect(cache.count == 0)
  }

  @Test func `a lower limit evicts at once`() throws {
    let cache = cache()
    for number in 0..<10 { cache.store(try solidImage(10, 10), for: CacheKey("\(number)")) }
    cache.configuration.countLimit = 3
    #expect(cache.count == 3)
    cache.configuration.costLimit = 400
    #expect(cache.totalCost == 400)
    #expect(cache.image(for: "9") != nil)
  }

  @Test func `reading renews the expiration of an image, checking for it does not`() throws {
    let cache = cache()
    cache.store(try solidImage(), for: "read")
    cache.store(try solidImage(), for: "checked")
    clock.advance(by: .seconds(200))
    #expect(cache.image(for: "read") != nil)
    #expect(cache.contains("checked"))
    clock.advance(by: .seconds(200))
    #expect(cache.image(for: "read") != nil)
    #expect(!cache.contains("checked"))
    #expect(cache.image(for: "checked") == nil)
  }

  @Test(arguments: [
    (CacheExpiration.never, true, true), (.expired, false, false), (.after(.seconds(3600)), true, false),
    (.date(Date(timeIntervalSince1970: 1_700_000_600)), true, false),
  ])
  func `an image may have an expiration of its own`(
    expiration: CacheExpiration, afterMinutes: Bool, afterHours: Bool
  ) throws {
    let cache = cache()
    cache.store(try solidImage(), for: "a", expiration: expiration)
    clock.advance(by: .seconds(300))
    #expect(cache.contains("a") == afterMinutes)
    clock.advance(by: .seconds(7200))
    #expect((cache.image(for: "a") != nil) == afterHours)
  }

  @Test func `trimming to a count evicts the least recently used, and changes no limit`() throws {
    let cache = cache()
    cache.configuration.policy = .leastRecentlyUsed
    for key in ["a", "b", "c", "d"] { cache.store(try solidImage(), for: CacheKey(key)) }
    #expect(cache.image(for: "a") != nil)
    cache.trim(toCount: 2)
    #expect(cache.count == 2)
    #expect(cache.contains("a"))
    #expect(cache.contains("d"))
    #expect(cache.statistics.evictions[.pressure] == 2)
    cache.store(try solidImage(), for: "e")
    #expect(cache.count == 3)
    cache.trim(toCount: 0)
    #expect(cache.count == 0)
  }

  @Test func `the entries are listed without counting as used, and without expired ones`() throws {
    let cache = cache()
    cache.store(try solidImage(10, 5), for: "a", expiration: .never)
    cache.store(try solidImage(4, 4), for: "b", expiration: .after(.seconds(5)))
    #expect(Set(cache.entries.map { "\($0.key.text) \($0.image.size)" }) == ["a 10x5", "b 4x4"])
    clock.advance(by: .seconds(4))
    #expect(cache.entries.count == 2)
    clock.advance(by: .seconds(2))
    #expect(cache.entries.map(\.key) == ["a"])
    #expect(cache.statistics.hits == 0)
  }
}
