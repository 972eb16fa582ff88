import HalcyonSupport
import HalcyonImaging
import HalcyonCache
import Foundation
import HalcyonTesting
import TestDoubles
import TestTraits
import Testing

@Suite(.unitTest)
struct MemoryCacheExpirationTests {
  private let clock = TestClock()

  private func cache() -> MemoryCache {
    MemoryCache(configuration: MemoryCacheConfiguration(costLimit: .max), time: clock)
  }

  @Test(arguments: [
    (ExpirationExtension.unchanged, [false, false]), (.renewed, [true, false]), (.to(.hours(1)), [true, true]),
    (.to(.never), [true, true]), (.to(.expired), [false, false]),
    (.to(.date(Date(timeIntervalSince1970: 1_700_000_450))), [true, false]),
  ])
  func `a read renews the expiration of an image as requested`(extending: ExpirationExtension, isThere: [Bool]) throws {
    let cache = cache()
    cache.store(try solidImage(), for: "a")
    clock.advance(by: .seconds(200))
    #expect(cache.image(for: "a", extending: extending) != nil)
    clock.advance(by: .seconds(200))
    #expect(cache.contains("a") == isThere[0])
    clock.advance(by: .seconds(200))
    #expect(cache.contains("a") == isThere[1])
    cache.removeExpired()
    #expect(cache.count == (isThere[1] ? 1 : 0))
  }

  @Test func `a plain read restores the image's own expiration`() throws {
    let cache = cache()
    cache.store(try solidImage(), for: "a")
    _ = cache.image(for: "a", extending: .to(.never))
    _ = cache.image(for: "a")
    clock.advance(by: .seconds(301))
    cache.removeExpired()
    #expect(cache.count == 0)
  }

  @Test func `a store that implements only the plain read supports all kinds of reads`() throws {
    let store: any MemoryStore = RequiredMembersStore(cache: cache())
    store.store(try solidImage(), for: "a", expiration: nil)
    #expect(store.image(for: "a", extending: .unchanged) != nil)
  }

  @Test func `expired images are removed while others are stored or read`() throws {
    let cache = cache()
    for number in 0..<100 { cache.store(try solidImage(), for: CacheKey("\(number)"), expiration: .seconds(number)) }
    cache.store(try solidImage(), for: "read", expiration: .never)
    #expect(cache.count == 100)
    clock.advance(by: .seconds(50))
    cache.store(try solidImage(), for: "new")
    #expect((50...52).contains(cache.count))
    clock.advance(by: .seconds(100))
    #expect(cache.image(for: "read") != nil)
    #expect(cache.count == 2)
    #expect(cache.statistics.evictions.byExpiration == 99)
  }

  @Test func `removing expired images removes all of them and no others`() throws {
    let cache = cache()
    for number in 1...1000 {
      cache.store(try solidImage(), for: CacheKey("\(number)"), expiration: .after(.milliseconds(number)))
    }
    for passed in [1, 10, 500, 999, 1000] {
      clock.advance(by: .milliseconds(passed) - clock.uptime())
      cache.removeExpired()
      #expect(cache.count == 1000 - passed)
    }
  }

  @Test func `expiration dates hold when the clock is set back and forth`() throws {
    let cache = cache()
    let noon = clock.now()
    for minute in 1...60 {
      cache.store(try solidImage(), for: CacheKey("\(minute)"), expiration: .date(noon + 60 * Double(minute)))
    }
    clock.setDate(noon - 86_400)
    cache.removeExpired()
    #expect(cache.count == 60)
    clock.setDate(noon + 1800)
    cache.removeExpired()
    #expect(cache.count == 30)
    clock.setDate(noon - 10)
    cache.store(try solidImage(), for: "soon", expiration: .date(noon))
    clock.advance(by: .seconds(10))
    cache.removeExpired()
    #expect(!cache.contains("soon"))
    #expect(cache.count == 30)
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1)])
  func `durations that overflow are handled`(duration: Duration) throws {
    let cache = cache()
    clock.advance(by: .seconds(1_000_000_000))
    #expect(cache.store(try solidImage(), for: "a", expiration: .after(duration)) == (duration > .zero))
    #expect(cache.contains("a") == (duration > .zero))
  }
}
