import HalcyonSupport
import HalcyonImaging
import Foundation
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonCache

@Suite(.unitTest)
struct MemoryCacheExpirationTests {
  private let clock = TestClock()

  private func cache() -> MemoryCache {
    MemoryCache(configuration: MemoryCacheConfiguration(costLimit: .max), time: clock)
  }

  @Test(arguments: [
    (CacheExpiration?.none, [true, false]), (.after(.seconds(300), since: .storing), [false, false]),
    (.after(.seconds(300)), [true, false]), (.after(.seconds(3600), since: .storing), [true, true]),
    (.never, [true, true]),
    (.date(Date(timeIntervalSince1970: 1_700_000_450)), [true, false]),
  ])
  func `a read extends only an expiration since the last use`(expiration: CacheExpiration?, isThere: [Bool]) throws {
    let cache = cache()
    cache.store(try solidImage(), for: "a", expiration: expiration)
    clock.advance(by: .seconds(200))
    #expect(cache.image(for: "a") != nil)
    clock.advance(by: .seconds(200))
    #expect(cache.contains("a") == isThere[0])
    clock.advance(by: .seconds(200))
    #expect(cache.contains("a") == isThere[1])
    cache.removeExpired()
    #expect(cache.count == (isThere[1] ? 1 : 0))
  }

  @Test func `an evicted image in use keeps the expiration since it was stored`() throws {
    let cache = cache()
    let image = try solidImage()
    cache.store(image, for: "a", expiration: .after(.seconds(300), since: .storing))
    cache.trim(to: 0)
    clock.advance(by: .seconds(200))
    #expect(cache.image(for: "a") != nil)
    clock.advance(by: .seconds(101))
    #expect(cache.image(for: "a") == nil)
    cache.store(image, for: "b", expiration: .after(.seconds(300), since: .storing))
    cache.trim(to: 0)
    clock.advance(by: .seconds(300))
    #expect(cache.lookUp("b").miss == .expired)
    withExtendedLifetime(image) {}
  }

  @Test func `an expired image is removed when it is looked up`() throws {
    let cache = cache()
    for key in ["a", "b"] as [CacheKey] { cache.store(try solidImage(), for: key, expiration: .after(.seconds(10))) }
    clock.advance(by: .seconds(10))
    #expect(cache.image(for: "a") == nil)
    #expect(cache.count == 1)
    #expect(cache.statistics.evictions[.expiration] == 1)
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

  @Test(
    arguments: [
      (3, .seconds(259_200)), (0, .zero), (-2, .seconds(-172_800)), (.max, .seconds(Int64.max)),
      (.min, .seconds(Int64.min)),
    ] as [(Int, Duration)])
  func `a number of days is as many times 24 hours, or the longest time`(count: Int, duration: Duration) {
    #expect(CacheExpiration.days(count) == .after(duration, since: .lastUse))
    #expect(CacheExpiration.days(count, since: .storing) == .after(duration, since: .storing))
  }

  @Test(
    arguments: [
      (.never, 3_153_600_000), (.expired, 0), (.after(.seconds(60)), 60), (.after(.seconds(-60), since: .storing), -60),
      (.date(Date(timeIntervalSince1970: 1_700_000_450)), 450),
    ] as [(CacheExpiration, Double)])
  func `an expiration ends on a date`(expiration: CacheExpiration, seconds: Double) {
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    #expect(expiration.end(from: now) == now + seconds)
  }

  @Test(
    arguments: [
      (.zero, 0), (.nanoseconds(7), 7), (.milliseconds(3001), 3_001_000_000),
      (.milliseconds(-1500), -1_500_000_000),
      (.seconds(9_223_372_036), 9_223_372_036_000_000_000), (.seconds(9_223_372_037), .max),
      (.seconds(-9_223_372_037), .min),
      (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
      (Duration(secondsComponent: 9_223_372_036, attosecondsComponent: 854_775_808_000_000_000), .max),
    ] as [(Duration, Int64)])
  func `a duration is a number of nanoseconds, or the nearest one`(duration: Duration, nanoseconds: Int64) {
    #expect(duration.clampedNanoseconds == nanoseconds)
  }

  @Test func `a deadline has passed from its time on, and a date is needed for a date`() {
    let date = Date(timeIntervalSince1970: 100)
    let rows: [(Deadline, Timestamp, Bool?)] = [
      (.never, Timestamp(uptime: .max, date: .distantFuture), false), (.uptime(5), Timestamp(uptime: 4), false),
      (.uptime(5), Timestamp(uptime: 5), true), (.date(date), Timestamp(uptime: .max), nil),
      (.date(date), Timestamp(uptime: 0, date: date - 1), false), (.date(date), Timestamp(uptime: 0, date: date), true),
    ]
    for (deadline, now, expected) in rows { #expect(deadline.hasPassed(at: now) == expected, "\(deadline), \(now)") }
    #expect(Deadline(.sliding(.max), from: 1) == .never)
    #expect(Deadline(.fixed(3), from: 4) == .uptime(7))
    #expect(Deadline.uptime(5).renewed(.sliding(10), from: 3) == .uptime(13))
    #expect(Deadline.uptime(5).renewed(.fixed(10), from: 3) == .uptime(5))
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.min), .nanoseconds(1)])
  func `durations that overflow are handled`(duration: Duration) throws {
    let cache = cache()
    clock.advance(by: .seconds(1_000_000_000))
    #expect(cache.store(try solidImage(), for: "a", expiration: .after(duration)) == (duration > .zero))
    #expect(cache.contains("a") == (duration > .zero))
  }
}
