import HalcyonSupport
import Foundation

/// Memory of deallocated bitmaps, reused for new ones.
///
/// The system maps fresh memory page by page on the first write: filling a new bitmap of 4 MB takes 2.1 ms, and 0.75 ms
/// in memory that is reused and zeroed. The system's allocator is as fast, but when two threads replace images of many
/// sizes it holds 1.3 times the cache's limit, while the pool holds no more than it counts (`make bench-memory`).
///
/// Each memory cache of the process adds a part of its own limit to the pool's limit. At a limit of 0, bitmaps are
/// allocated by the system's allocator.
package final class PixelPool: Sendable {
  /// The pool of all bitmaps.
  package static let shared = PixelPool()

  /// Smaller bitmaps use the allocator; in bytes.
  static let smallestByteCount = 256 << 10

  /// The most bytes that one cache adds to the limit, so that the sum over all caches does not overflow.
  private static let largestContribution: Int64 = 1 << 40

  fileprivate struct State {
    /// The free blocks, a few hundred at most, oldest first.
    var blocks: [PixelBlock] = []
    var byteCount = 0
    /// The sum of the caches' contributions.
    var limitSum: Int64 = 0

    var byteLimit: Int { Int(clamping: limitSum) }
  }

  private let state = Lock(State())

  /// Bytes in the pool.
  var byteCount: Int { state.withLock(\.byteCount) }

  /// The most bytes in the pool.
  var byteLimit: Int { state.withLock(\.byteLimit) }

  /// Zeroed memory of at least `byteCount` bytes, reused or newly mapped; `nil` if the allocator should be used.
  func acquire(byteCount: Int) -> PixelBlock? {
    guard byteCount >= Self.smallestByteCount, byteLimit > 0 else { return nil }
    guard let reused = removeFitting(byteCount: byteCount) else { return PixelBlock(byteCount: byteCount) }
    memset(reused.start, 0, byteCount)
    return reused
  }

  /// Adds memory that is no longer in use; frees the oldest blocks to stay within the limit.
  func release(_ block: PixelBlock) {
    change { state, excess in
      if block.byteCount <= state.byteLimit { state.add(block) } else { excess.append(block) }
    }
  }

  /// Adjusts the limit when the contribution of one cache changes, in bytes.
  package func changeLimit(from old: Int, to new: Int) {
    let difference = min(Int64(new), Self.largestContribution) - min(Int64(old), Self.largestContribution)
    change { state, _ in state.limitSum += difference }
  }

  /// Frees all memory in the pool.
  package func drain() {
    change { state, excess in
      excess = state.blocks
      (state.blocks, state.byteCount) = ([], 0)
    }
  }

  /// Removes the smallest block that is large enough.
  ///
  /// The remainder is returned to the pool, or freed when too small, so that no more memory is held than is counted.
  private func removeFitting(byteCount: Int) -> PixelBlock? {
    var found: PixelBlock?
    change { state, excess in
      guard var block = state.removeSmallest(ofAtLeast: byteCount) else { return }
      if let rest = block.split(keeping: byteCount) {
        if rest.byteCount >= Self.smallestByteCount { state.add(rest) } else { excess.append(rest) }
      }
      found = block
    }
    return found
  }

  /// Runs `body` and removes blocks over the limit; excess blocks are freed after the lock is released.
  private func change(_ body: (inout State, _ excess: inout [PixelBlock]) -> Void) {
    var excess: [PixelBlock] = []
    state.withLock { state in
      body(&state, &excess)
      while state.byteCount > state.byteLimit { excess.append(state.remove(at: 0)) }
    }
    for block in excess { block.free() }
  }
}

extension PixelPool.State {
  fileprivate mutating func add(_ block: PixelBlock) {
    blocks.append(block)
    byteCount += block.byteCount
  }

  fileprivate mutating func remove(at index: Int) -> PixelBlock {
    byteCount -= blocks[index].byteCount
    return blocks.remove(at: index)
  }

  fileprivate mutating func removeSmallest(ofAtLeast count: Int) -> PixelBlock? {
    let large = blocks.indices.filter { blocks[$0].byteCount >= count }
    return large.min { blocks[$0].byteCount < blocks[$1].byteCount }.map { remove(at: $0) }
  }
}
