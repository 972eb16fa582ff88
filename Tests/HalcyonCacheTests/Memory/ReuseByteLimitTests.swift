import Foundation
import HalcyonTestDoubles
import HalcyonTestTraits
import Testing

@testable import HalcyonSupport
@testable import HalcyonImaging
@_spi(Programs) @testable import HalcyonCache

/// The part of a memory cache's limit that is used to keep the memory of evicted images for reuse.
@Suite(.unitTest)
struct ReuseByteLimitTests {
  private let pool = PixelPool()

  private func cache(costLimit: Int, reuseByteLimit: Int?) -> MemoryCache {
    var configuration = MemoryCacheConfiguration(costLimit: costLimit)
    if let reuseByteLimit { configuration.reuseByteLimit = reuseByteLimit }
    return MemoryCache(configuration: configuration, time: SystemTime(), pool: pool)
  }

  /// Returns memory to the pool, as a deallocated bitmap does.
  private func fillPool() throws {
    _ = try #require(PixelStorage(byteCount: PixelPool.smallestByteCount, pool: pool))
    #expect(pool.byteCount > 0)
  }

  @Test(arguments: [
    (1 << 30, 32 << 20), (256 << 20, 16 << 20), (64 << 20, 4 << 20), (64 << 20 - 1, 0), (1000, 0), (0, 0),
  ])
  func `a sixteenth of the cost limit is for reuse, unless the limit is small`(costLimit: Int, reuseByteLimit: Int) {
    #expect(MemoryCacheConfiguration(costLimit: costLimit).reuseByteLimit == reuseByteLimit)
  }

  @Test func `an explicit limit is kept, clamped to the cost limit`() {
    var configuration = MemoryCacheConfiguration(costLimit: 1000)
    configuration.reuseByteLimit = 300
    #expect(configuration.reuseByteLimit == 300)
    configuration.costLimit = 200
    #expect(configuration.reuseByteLimit == 200)
    configuration.costLimit = 1 << 30
    #expect(configuration.reuseByteLimit == 300)
    configuration.reuseByteLimit = -1
    #expect(configuration.reuseByteLimit == 0)
  }

  @Test func `images and memory for reuse share the cost limit`() throws {
    let cache = cache(costLimit: 1000, reuseByteLimit: 300)
    for number in 0..<3 { cache.store(try solidImage(10, 10), for: CacheKey("\(number)")) }
    #expect(cache.totalCost == 400)
    #expect(!cache.store(try solidImage(10, 20), for: "large"))
    cache.configuration.reuseByteLimit = 0
    #expect(cache.store(try solidImage(10, 20), for: "large"))
  }

  @Test func `every cache adds its share to the pool until it is deallocated`() {
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

  @Test func `caches without a limit raise the pool's limit, and lower it again by as much`() {
    let small = cache(costLimit: 1000, reuseByteLimit: 300)
    var unlimited = (0..<3).map { _ in cache(costLimit: .max, reuseByteLimit: .max) }
    let limit = pool.byteLimit
    #expect(limit > 1 << 30)
    unlimited[0].configuration.reuseByteLimit = 100
    #expect((401..<limit).contains(pool.byteLimit))
    unlimited[0].configuration.reuseByteLimit = .max
    #expect(pool.byteLimit == limit)
    withExtendedLifetime(unlimited) {}
    unlimited = []
    #expect(unlimited.isEmpty)
    #expect(pool.byteLimit == 300)
    withExtendedLifetime(small) {}
  }

  @Test func `memory for reuse is freed when the cache is emptied or under memory pressure`() throws {
    let cache = cache(costLimit: 64 << 20, reuseByteLimit: nil)
    for release in [
      { cache.removeAll() }, { cache.trim(to: 0) }, { cache.trim(for: .some) }, { cache.trim(for: .full) },
    ] {
      try fillPool()
      release()
      #expect(pool.byteCount == 0)
    }
  }
}
