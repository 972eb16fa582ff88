import HalcyonSupport
import HalcyonCache
import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@Suite(.integrationTest, .slow)
struct EvictionPolicyTests {
  /// The expected miss ratios come from the project's reference simulator, run over the same 200,000 requests.
  @Test(arguments: [
    (EvictionPolicy.adaptive, 1, 0.520), (.adaptive, 5, 0.351), (.adaptive, 10, 0.314),
    (.leastRecentlyUsed, 1, 0.591), (.leastRecentlyUsed, 5, 0.479),
  ])
  func `the miss ratio of a trace matches the reference simulator`(
    policy: EvictionPolicy, capacityPercent: Int, missRatio: Double
  ) throws {
    let trace = ScanTrace(requestCount: 200_000)
    let image = try solidImage(1, 1)
    let costLimit = 4 * Set(trace.requests).count * capacityPercent / 100
    let cache = MemoryCache(
      configuration: MemoryCacheConfiguration(
        costLimit: costLimit, expiration: .never, policy: policy, findsImagesInUse: false))
    var keys: [Int: CacheKey] = [:]
    for request in trace.requests {
      let key = keys[request] ?? CacheKey("\(request)")
      keys[request] = key
      if cache.image(for: key) == nil { cache.store(image, for: key) }
    }
    let misses = cache.statistics.misses[.absent] ?? 0
    #expect(abs(Double(misses) / Double(trace.requests.count) - missRatio) < 0.005)
    #expect(cache.totalCost <= costLimit)
  }

  private func cache(_ policy: EvictionPolicy, countLimit: Int) -> MemoryCache {
    MemoryCache(
      configuration: MemoryCacheConfiguration(costLimit: .max, countLimit: countLimit, policy: policy),
      time: TestClock())
  }

  @Test func `the LRU policy evicts the least recently used image first`() throws {
    let cache = cache(.leastRecentlyUsed, countLimit: 3)
    for key in ["a", "b", "c"] { cache.store(try solidImage(), for: CacheKey(key)) }
    _ = cache.image(for: "a")
    _ = cache.contains("b")
    cache.store(try solidImage(), for: "c")
    cache.store(try solidImage(), for: "d")
    #expect(["a", "b", "c", "d"].filter { cache.contains(CacheKey($0)) } == ["a", "c", "d"])
    cache.store(try solidImage(), for: "e")
    #expect(["a", "c", "d", "e"].filter { cache.contains(CacheKey($0)) } == ["c", "d", "e"])
  }

  @Test(arguments: [EvictionPolicy.adaptive, .leastRecentlyUsed])
  func `images read more than once survive a scan only under the adaptive policy`(policy: EvictionPolicy) throws {
    let cache = cache(policy, countLimit: 100)
    let popular = (0..<50).map { CacheKey("popular \($0)") }
    for key in popular {
      cache.store(try solidImage(), for: key)
      _ = cache.image(for: key)
    }
    for number in 0..<1000 { cache.store(try solidImage(), for: CacheKey("scan \(number)")) }
    #expect(popular.filter(cache.contains).count == (policy == .adaptive ? 50 : 0))
  }

  @Test func `the policy can be changed while the cache is full`() throws {
    let cache = cache(.adaptive, countLimit: 50)
    for step in 0..<2000 {
      if step % 100 == 0 { cache.configuration.policy = step % 200 == 0 ? .leastRecentlyUsed : .adaptive }
      cache.store(try solidImage(), for: CacheKey("\(step % 170)"))
      _ = cache.image(for: CacheKey("\(step % 13)"))
      #expect(cache.count == min(step + 1, 50))
    }
  }
}
