import Foundation
import HalcyonTestTraits
import Testing

@testable import HalcyonImaging

@Suite(.unitTest)
struct PixelPoolTests {
  private static let smallest = PixelPool.smallestByteCount

  private func pool(byteLimit: Int) -> PixelPool {
    let pool = PixelPool()
    pool.changeLimit(from: 0, to: byteLimit)
    return pool
  }

  /// Allocates a bitmap's memory from the pool, writes all its bytes and returns it.
  private func use(_ byteCount: Int, from pool: PixelPool) throws {
    let storage = try #require(PixelStorage(byteCount: byteCount, pool: pool))
    overwrite(storage)
  }

  private func overwrite(_ storage: PixelStorage) {
    for index in storage.bytes.indices { storage.bytes[index] = 7 }
  }

  private func isZeroed(_ storage: PixelStorage) -> Bool {
    storage.bytes.allSatisfy { $0 == 0 }
  }

  @Test(arguments: [0, 8 * smallest]) func `memory is discarded up to a byte`(_ byteLimit: Int) throws {
    let count = 4 * Self.smallest
    let storage = try #require(PixelStorage(byteCount: count, pool: pool(byteLimit: byteLimit)))
    for discarded in [0, 1, Self.smallest + 100, count] {
      overwrite(storage)
      storage.discard(first: discarded)
      #expect(storage.bytes[discarded...].allSatisfy { $0 == 7 })
      #if os(Linux)
      #expect(storage.bytes[..<discarded].count { $0 == 0 } > discarded - Self.smallest)
      #endif
    }
  }

  @Test func `the memory of a deallocated bitmap is zeroed and reused by the next one`() throws {
    let pool = pool(byteLimit: 8 * Self.smallest)
    try use(4 * Self.smallest, from: pool)
    #expect(pool.byteCount == 4 * Self.smallest)
    let storage = try #require(PixelStorage(byteCount: 4 * Self.smallest - 5, pool: pool))
    #expect(pool.byteCount == 0)
    #expect(storage.bytes.count == 4 * Self.smallest - 5)
    #expect(isZeroed(storage))
  }

  @Test func `the remainder of a block is reused`() throws {
    let pool = pool(byteLimit: 8 * Self.smallest)
    try use(4 * Self.smallest, from: pool)
    let first = try #require(PixelStorage(byteCount: Self.smallest, pool: pool))
    #expect(pool.byteCount == 3 * Self.smallest)
    let second = try #require(PixelStorage(byteCount: 3 * Self.smallest, pool: pool))
    #expect(pool.byteCount == 0)
    overwrite(first)
    #expect(isZeroed(second))
  }

  @Test func `a remainder that is too small is freed`() throws {
    let pool = pool(byteLimit: 8 * Self.smallest)
    try use(2 * Self.smallest, from: pool)
    try use(2 * Self.smallest - 70_000, from: pool)
    #expect(pool.byteCount < 2 * Self.smallest - 40_000)
  }

  @Test func `the smallest sufficient block is used`() throws {
    let pool = pool(byteLimit: 16 * Self.smallest)
    var storages = try [5, 3, 4].map { try #require(PixelStorage(byteCount: $0 * Self.smallest, pool: pool)) }
    let addresses = storages.map { $0.bytes.baseAddress }
    storages = []
    #expect(storages.isEmpty && pool.byteCount == 12 * Self.smallest)
    let storage = try #require(PixelStorage(byteCount: 2 * Self.smallest + 1, pool: pool))
    #expect(storage.bytes.baseAddress == addresses[1])
  }

  @Test func `the pool stays within its limit, and the oldest block is freed first`() throws {
    let pool = pool(byteLimit: 4 * Self.smallest)
    var storages = try (1...6).map { _ in try #require(PixelStorage(byteCount: Self.smallest, pool: pool)) }
    let addresses = storages.map { $0.bytes.baseAddress }
    while !storages.isEmpty { storages.removeFirst() }
    #expect(pool.byteCount == 4 * Self.smallest)
    let again = try (1...4).map { _ in try #require(PixelStorage(byteCount: Self.smallest, pool: pool)) }
    // Optimised code would release them after their last use.
    defer { withExtendedLifetime(again) {} }
    #expect(Set(again.map { $0.bytes.baseAddress }) == Set(addresses[2...]))
    #expect(pool.byteCount == 0)
  }

  @Test func `a block larger than the whole limit is freed immediately`() throws {
    let pool = pool(byteLimit: 2 * Self.smallest)
    try use(Self.smallest, from: pool)
    try use(3 * Self.smallest, from: pool)
    #expect(pool.byteCount == Self.smallest)
  }

  @Test func `lowering the limit and draining free memory immediately`() throws {
    let pool = pool(byteLimit: 4 * Self.smallest)
    var storages = try (1...4).map { _ in try #require(PixelStorage(byteCount: Self.smallest, pool: pool)) }
    storages = []
    #expect(storages.isEmpty && pool.byteCount == 4 * Self.smallest)
    pool.changeLimit(from: 4 * Self.smallest, to: 2 * Self.smallest)
    #expect(pool.byteCount == 2 * Self.smallest)
    pool.drain()
    #expect(pool.byteCount == 0)
    #expect(pool.byteLimit == 2 * Self.smallest)
  }

  @Test(arguments: [0, 1 << 20]) func `small bitmaps are not pooled, nor any at a limit of 0`(byteLimit: Int) throws {
    let pool = pool(byteLimit: byteLimit)
    try use(byteLimit == 0 ? 4 * Self.smallest : Self.smallest - 1, from: pool)
    #expect(pool.byteCount == 0)
  }

  @Test func `an allocation that cannot be made returns nil`() {
    let pool = pool(byteLimit: 1 << 20)
    #expect(pool.acquire(byteCount: .max)?.byteCount == nil)
    #expect(pool.acquire(byteCount: .max / 2)?.byteCount == nil)
  }

  @Test func `threads never share a block`() async {
    let pool = pool(byteLimit: 8 * Self.smallest)
    let isExclusive = await withTaskGroup(of: Bool.self) { group in
      for thread in 1...8 { group.addTask { Self.hasExclusiveMemory(UInt8(thread), in: pool) } }
      return await group.allSatisfy(\.self)
    }
    #expect(isExclusive)
  }

  /// Whether memory is always zeroed when it is allocated, and no other thread writes to it.
  private static func hasExclusiveMemory(_ thread: UInt8, in pool: PixelPool) -> Bool {
    (0..<50).allSatisfy { round in
      let byteCount = smallest * (1 + (Int(thread) + round) % 3) - round
      guard let storage = PixelStorage(byteCount: byteCount, pool: pool) else { return false }
      return withExtendedLifetime(storage) {
        let offsets = stride(from: 0, to: byteCount, by: 512)
        let isZeroed = offsets.allSatisfy { storage.bytes[$0] == 0 }
        for offset in offsets { storage.bytes[offset] = thread }
        return isZeroed && offsets.allSatisfy { storage.bytes[$0] == thread } && pool.byteCount <= pool.byteLimit
      }
    }
  }
}
