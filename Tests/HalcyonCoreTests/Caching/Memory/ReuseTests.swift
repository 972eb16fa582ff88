import Foundation
import Testing

@testable import HalcyonSupport
@testable import HalcyonImaging
@testable import HalcyonCache

/// The part of a memory cache's limit that keeps the memory of images that left.
struct ReuseTests {
  private let pool = PixelPool()

  private func cache(costLimit: Int, reuseByteLimit: Int?) -> MemoryCache {
    MemoryCache(
      configuration: MemoryCacheConfiguration(costLimit: costLimit, reuseByteLimit: reuseByteLimit),
      time: SystemTime(), pool: pool)
  }

  /// Puts memory into the pool, as a bitmap does that is gone.
  private func fillPool() throws {
    _ = try #require(PixelStorage(byteCount: PixelPool.smallestByteCount, pool: pool))
    #expect(pool.byteCount > 0)
  }

  @Test(arguments: [
    (1 << 30, 32 << 20), (256 << 20, 16 << 20), (64 << 20, 4 << 20), (64 << 20 - 1, 0), (1000, 0), (0, 0),
  ])
  func `a sixteenth of the limit is for reuse, if that is worth it`(costLimit: Int, reuseByteLimit: Int) {
    #expect(MemoryCacheConfiguration(costLimit: costLimit).reuseByteLimit == reuseByteLimit)
  }

  @Test func `what is chosen stays chosen, and within the limit`() {
    var configuration = MemoryCacheConfiguration(costLimit: 1000, reuseByteLimit: 300)
    #expect(configuration.reuseByteLimit == 300)
    configuration.costLimit = 200
    #expect(configuration.reuseByteLimit == 200)
    configuration.costLimit = 1 << 30
    #expect(configuration.reuseByteLimit == 300)
    configuration.reuseByteLimit = -1
    #expect(configuration.reuseByteLimit == 0)
  }

  @Test func `images and memory for reuse share one limit`() throws {
    let cache = cache(costLimit: 1000, reuseByteLimit: 300)
    for number in 0..<3 { cache.store(try solidImage(10, 10), for: CacheKey("\(number)")) }
    #expect(cache.totalCost == 400)
    #expect(!cache.store(try solidImage(10, 20), for: "large"))
    cache.configuration.reuseByteLimit = 0
    #expect(cache.store(try solidImage(10, 20), for: "large"))
  }

  @Test func `every cache gives its part, as long as it lives`() {
    var first: MemoryCache? = cache(costLimit: 1000, reuseByteLimit: 300)
    let second = cache(costLimit: 1000, reuseByteLimit: 100)
    #expect(pool.byteLimit == 400)
    second.configuration.reuseByteLimit = 200
    #expect(pool.byteLimit == 500)
    second.configuration.costLimit = 150
    #expect(pool.byteLimit == 450)
    first?.removeAll()
    first = nil
    #expect(pool.byteLimit == 150)
  }

  @Test func `caches without a limit raise that of all, and lower it again by as much`() {
    let modest = cache(costLimit: 1000, reuseByteLimit: 300)
    var greedy = (0..<3).map { _ in cache(costLimit: .max, reuseByteLimit: .max) }
    let limit = pool.byteLimit
    #expect(limit > 1 << 30)
    greedy[0].configuration.reuseByteLimit = 100
    #expect((401..<limit).contains(pool.byteLimit))
    greedy[0].configuration.reuseByteLimit = .max
    #expect(pool.byteLimit == limit)
    withExtendedLifetime(greedy) {}
    greedy = []
    #expect(greedy.isEmpty && pool.byteLimit == 300)
    withExtendedLifetime(modest) {}
  }

  @Test func `memory for reuse is given back when memory is asked for`() throws {
    let cache = cache(costLimit: 64 << 20, reuseByteLimit: nil)
    for giveBack in [{ cache.removeAll() }, { cache.trim(to: 0) }, { cache.relieve(.some) }, { cache.relieve(.full) }] {
      try fillPool()
      giveBack()
      #expect(pool.byteCount == 0)
    }
  }
}
