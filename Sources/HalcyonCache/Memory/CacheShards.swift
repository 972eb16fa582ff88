import HalcyonSupport

/// The entries of a memory cache, spread over locks, so that readers seldom meet.
///
/// Unchecked: the locks are created once and only borrowed afterwards.
final class CacheShards: @unchecked Sendable {
  private static let count = 64
  private let locks: UnsafeMutablePointer<Lock<CacheShard>>

  init() {
    locks = .allocate(capacity: Self.count)
    for index in 0..<Self.count { (locks + index).initialize(to: Lock(CacheShard(), isAlone: true)) }
  }

  deinit {
    locks.deinitialize(count: Self.count)
    locks.deallocate()
  }

  /// Runs `body` on the shard of a digest, under its lock.
  @inline(__always)
  func withShard<Result>(of digest: KeyDigest, _ body: (inout CacheShard) -> Result) -> Result {
    locks[Int(truncatingIfNeeded: digest.high) & (Self.count - 1)].withLock(body)
  }

  /// Runs `body` on one shard after the other.
  func forEach(_ body: (inout CacheShard) -> Void) {
    for index in 0..<Self.count { locks[index].withLock(body) }
  }

  /// What `body` gives for one shard after the other.
  func map<Result>(_ body: (inout CacheShard) -> Result) -> [Result] {
    (0..<Self.count).map { locks[$0].withLock(body) }
  }
}
