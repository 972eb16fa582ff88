import HalcyonSupport
import Foundation

/// Memory of bitmaps that are gone, kept for the next ones.
///
/// Fresh memory comes from the system page by page, when it is first written to: a bitmap of 4 MB takes 2.1 ms then, and
/// 0.75 in memory that was used before and is zeroed. The system's allocator is as quick, but when two threads replace
/// images of many sizes it holds 1.3 times the cache's limit, where this holds what is counted (`make bench-memory`).
///
/// Each memory cache of the process gives a part of its own limit for this; without any, bitmaps have their memory from
/// the allocator.
package final class PixelPool: Sendable {
  /// The one that all bitmaps share.
  package static let shared = PixelPool()

  /// Bytes below which memory is left to the allocator.
  static let smallestByteCount = 256 << 10

  /// The most bytes that one cache adds to the limit, so that those of all caches can be summed.
  private static let largestPart: Int64 = 1 << 40

  fileprivate struct State {
    /// Some hundred at most, the one that has been here longest first.
    var blocks: [PixelBlock] = []
    var byteCount = 0
    /// What the caches give together.
    var limitSum: Int64 = 0

    var byteLimit: Int { Int(clamping: limitSum) }
  }

  private let state = Lock(State())

  /// Bytes kept.
  var byteCount: Int { state.withLock(\.byteCount) }

  /// The most bytes that are kept.
  var byteLimit: Int { state.withLock(\.byteLimit) }

  /// Zeroed memory for at least so many bytes, kept or fresh; `nil` when the allocator is to give it.
  func take(byteCount: Int) -> PixelBlock? {
    guard byteCount >= Self.smallestByteCount, byteLimit > 0 else { return nil }
    guard let kept = takeKept(byteCount: byteCount) else { return PixelBlock(byteCount: byteCount) }
    memset(kept.start, 0, byteCount)
    return kept
  }

  /// Keeps memory that no one uses any more; what has been kept longest leaves for it.
  func giveBack(_ block: PixelBlock) {
    change { state, leaving in
      if block.byteCount <= state.byteLimit { state.add(block) } else { leaving.append(block) }
    }
  }

  /// Raises or lowers the limit by what has become of one cache's part, in bytes.
  package func changeLimit(from old: Int, to new: Int) {
    let difference = min(Int64(new), Self.largestPart) - min(Int64(old), Self.largestPart)
    change { state, _ in state.limitSum += difference }
  }

  /// Frees what is kept.
  package func drain() {
    change { state, leaving in
      leaving = state.blocks
      (state.blocks, state.byteCount) = ([], 0)
    }
  }

  /// The smallest block that is large enough. What it has too much stays here, or is freed where it is too small for
  /// that, so that no more is held than is counted.
  private func takeKept(byteCount: Int) -> PixelBlock? {
    var taken: PixelBlock?
    change { state, leaving in
      guard var block = state.removeSmallest(ofAtLeast: byteCount) else { return }
      if let rest = block.split(keeping: byteCount) {
        if rest.byteCount >= Self.smallestByteCount { state.add(rest) } else { leaving.append(rest) }
      }
      taken = block
    }
    return taken
  }

  /// Runs `body`, then lets go of what is over the limit; blocks are freed when the lock is given back.
  private func change(_ body: (inout State, _ leaving: inout [PixelBlock]) -> Void) {
    var leaving: [PixelBlock] = []
    state.withLock { state in
      body(&state, &leaving)
      while state.byteCount > state.byteLimit { leaving.append(state.remove(at: 0)) }
    }
    for block in leaving { block.free() }
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
