import HalcyonTesting
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonCache

/// The counters of reads by which S3-FIFO spares an image.
@Suite(.unitTest)
struct FrequencyTests {
  /// A shard with one entry, which was read so often and, with `isReplaced`, then replaced.
  private func shard(readCount: Int, isReplaced: Bool = false) throws -> (shard: CacheShard, slot: Int) {
    var shard = CacheShard()
    let entry = CacheEntry(key: "a", image: try solidImage(), lifetime: .never, deadline: .never)
    let slot = shard.insert(entry, node: 0)
    for _ in 0..<readCount {
      var deferred = CacheShard.DeferredAction.none
      var use = MemoryUse(writeCount: nil)
      let image = shard.read("a", at: Timestamp(uptime: 0), use: &use, deferred: &deferred)
      #expect(image != nil)
    }
    if isReplaced { _ = shard.replace(at: slot, with: entry) }
    return (shard, slot)
  }

  @Test(arguments: [(0, false, 0), (2, false, 2), (3, false, 3), (10, false, 3), (2, true, 3), (10, true, 3)])
  func `an image that was read often is spared three times at most`(
    readCount: Int, isReplaced: Bool, sparedCount: Int
  ) throws {
    var (shard, slot) = try shard(readCount: readCount, isReplaced: isReplaced)
    var count = 0
    while shard.lowerFrequency(at: slot, toZero: false) { count += 1 }
    #expect(count == sparedCount)
  }

  @Test func `an image that is promoted starts without its reads`() throws {
    var (shard, slot) = try shard(readCount: 3)
    let isLowered = [shard.lowerFrequency(at: slot, toZero: true), shard.lowerFrequency(at: slot, toZero: false)]
    #expect(isLowered == [true, false])
    // In a cache, storing "e" moves "a" to the main queue, from which "a" is evicted next.
    let cache = MemoryCache(configuration: MemoryCacheConfiguration(costLimit: .max, countLimit: 4), time: TestClock())
    for key in ["a", "b", "c", "d"] as [CacheKey] { cache.store(try solidImage(), for: key) }
    for _ in 1...3 { _ = cache.image(for: "a") }
    cache.store(try solidImage(), for: "e")
    #expect(cache.contains("a"))
    #expect(!cache.contains("b"))
    for key in ["c", "d", "e"] as [CacheKey] { _ = cache.image(for: key) }
    cache.store(try solidImage(), for: "f")
    #expect(!cache.contains("a"))
    #expect((["c", "d", "e", "f"] as [CacheKey]).allSatisfy(cache.contains))
  }
}
