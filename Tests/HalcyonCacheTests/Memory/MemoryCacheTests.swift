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

  @Test func `the total cost never exceeds the limit`() throws {
    let cache = cache(costLimit: 1000)
    for number in 0..<100 {
      #expect(cache.store(try solidImage(10, 5), for: CacheKey("\(number)")))
      #expect(cache.totalCost <= 1000)
    }
    #expect(cache.count == 5)
    #expect(cache.contains("99"))
    #expect(!cache.contains("0"))
  }

  @Test func `an image larger than the whole limit is rejected and evicts no other`() throws {
    let cache = cache(costLimit: 1000)
    cache.store(try solidImage(5, 5), for: "small")
    cache.store(try solidImage(5, 5), for: "large")
    #expect(!cache.store(try solidImage(100, 100), for: "large"))
    #expect(cache.contains("small"))
    #expect(!cache.contains("large"), "an older image under the key would be outdated")
  }

  @Test func `replacing an image updates the total cost`() throws {
    let cache = cache()
    cache.store(try solidImage(10, 10), for: "a")
    cache.store(try solidImage(5, 5), for: "a")
    #expect(cache.totalCost == 100)
    #expect(cache.count == 1)
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
    #expect(cache.contains("a") && cache.contains("d"))
    #expect(cache.statistics.evictions[.pressure] == 2)
    cache.store(try solidImage(), for: "e")
    #expect(cache.count == 3)
    cache.trim(toCount: 0)
    #expect(cache.count == 0)
  }

  @Test func `removed images leave no cost behind`() throws {
    let cache = cache()
    for key in ["a", "b", "c"] { cache.store(try solidImage(), for: CacheKey(key)) }
    cache.removeImage(for: "a")
    #expect(cache.count == 2)
    cache.removeAll()
    #expect(cache.totalCost == 0)
    #expect(cache.image(for: "b") == nil)
  }

  @Test func `the limit holds with many concurrent tasks`() async throws {
    let cache = cache(costLimit: 10_000)
    let image = try solidImage()
    await withTaskGroup { group in
      for worker in 0..<8 {
        group.addTask {
          for step in 0..<2000 {
            let key = CacheKey("\((worker * 7 + step) % 100)")
            if step % 3 == 0 { cache.store(image, for: key) } else { _ = cache.image(for: key) }
            #expect(cache.totalCost <= 10_000)
          }
        }
      }
    }
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
