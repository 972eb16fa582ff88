import Foundation
import Halcyon
import HalcyonProcessing
import HalcyonSupport
import HalcyonTesting
import HalcyonTestTraits
import Testing

@testable import HalcyonService

/// Results in memory that are sent without any look-up.
@Suite(.unitTest)
struct ResponseCacheTests {
  private func result(_ count: Int) -> ResultResponse {
    ResultResponse(
      ImageResult(data: Data(count: count), format: .png, isHit: false), ProcessingOptions(), source: "http://a/b.png",
      ServiceConfiguration(), sharing: SharedBodies(byteLimit: 0), now: Date())
  }

  @Test func `results are kept up to a number of bytes, the oldest dropped first`() {
    let cache = ResponseCache(byteLimit: 100_000, time: SystemTime())
    let keys = (0..<12).map { ResponseCache.Key(path: "/\($0)", accepted: .none) }
    for key in keys { cache.insert(result(10_000), for: key, freshness: .seconds(1000), isCurrent: nil, since: 0) }
    #expect(keys.map { cache[$0] != nil } == Array(repeating: false, count: 3) + Array(repeating: true, count: 9))
    for _ in 0..<1000 {
      cache.insert(result(10_000), for: keys[0], freshness: .seconds(1000), isCurrent: nil, since: 0)
    }
    #expect(cache[keys[0]] != nil && cache[keys[11]] != nil)
    cache.removeAll()
    #expect(keys.allSatisfy { cache[$0] == nil })
  }

  @Test func `a result whose load began before everything was dropped is not kept`() {
    let cache = ResponseCache(byteLimit: 100_000, time: SystemTime())
    let (key, generation) = (ResponseCache.Key(path: "/a", accepted: .none), cache.generation)
    cache.removeAll()
    cache.insert(result(10), for: key, freshness: .seconds(1000), isCurrent: nil, since: generation)
    #expect(cache[key] == nil)
    cache.insert(result(10), for: key, freshness: .seconds(1000), isCurrent: nil, since: cache.generation)
    #expect(cache[key] != nil)
  }

  @Test func `a result is kept as long as it is fresh, and not longer than some seconds`() {
    let clock = TestClock()
    let cache = ResponseCache(byteLimit: 100_000, time: clock)
    let keys = ["/short", "/long"].map { ResponseCache.Key(path: $0, accepted: .none) }
    for (key, seconds) in zip(keys, [2, 1000]) {
      cache.insert(result(10), for: key, freshness: .seconds(seconds), isCurrent: nil, since: 0)
    }
    for kept in [[true, true], [false, true], [false, false]] {
      #expect(keys.map { cache[$0] != nil } == kept)
      clock.advance(by: .seconds(3))
    }
  }

  @Test func `paths are compared by their bytes`() {
    let cache = ResponseCache(byteLimit: 100_000, time: SystemTime())
    cache.insert(
      result(10), for: ResponseCache.Key(path: "/caf\u{e9}", accepted: .none), freshness: .seconds(1000),
      isCurrent: nil,
      since: 0)
    #expect(cache[ResponseCache.Key(path: "/caf\u{e9}", accepted: .none)] != nil)
    #expect(cache[ResponseCache.Key(path: "/cafe\u{301}", accepted: .none)] == nil)
  }

  @Test func `a result that is stale, too large or of a changed file is not sent`() {
    let cache = ResponseCache(byteLimit: 100_000, time: SystemTime())
    let (stale, large, changed) = (
      ResponseCache.Key(path: "/a", accepted: .none), ResponseCache.Key(path: "/b", accepted: .none),
      ResponseCache.Key(path: "/c", accepted: FormatRules.Accepted(still: .webp, animated: .webp))
    )
    cache.insert(result(10), for: stale, freshness: .zero, isCurrent: nil, since: 0)
    cache.insert(result(20_000), for: large, freshness: .seconds(1000), isCurrent: nil, since: 0)
    cache.insert(result(10), for: changed, freshness: .seconds(1000), isCurrent: { false }, since: 0)
    #expect([stale, large, changed].allSatisfy { cache[$0] == nil })
  }
}
