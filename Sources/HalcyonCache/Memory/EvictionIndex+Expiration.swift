import HalcyonImaging
import HalcyonSupport

/// Entries leave the cache when they expire: found by the sweeper, or when they are read.
extension EvictionIndex {
  /// Removes all expired entries. O(n) for n entries.
  mutating func removeExpired(at now: Timestamp, discarded: inout [DecodedImage]) {
    canExpire = false
    for (expired, others) in shards.map({ $0.expiredNodes(at: now) }) {
      for node in expired { removeExpired(node, discarded: &discarded) }
      if others { canExpire = true }
    }
  }

  private mutating func removeExpired(_ node: Int, discarded: inout [DecodedImage]) {
    guard let slot = slots[node] else { return }
    removeNode(node, at: slot, discarded: &discarded)
    evictions.expiration += 1
  }

  /// Whether the sweeper is to be started: an entry can expire, and no sweeper is running.
  mutating func startSweeping() -> Bool {
    guard canExpire, !isSweeping else { return false }
    isSweeping = true
    return true
  }

  /// Removes the entry under `key` if it is expired; it may have been replaced since it was read.
  mutating func removeIfExpired(_ key: CacheKey, at now: Timestamp, discarded: inout [DecodedImage]) {
    guard let node = shards.withShard(of: key.digest, { $0.node(of: key) }), let slot = slots[node],
      shards.withShard(of: key.digest, { $0.deadline(at: slot) }).hasPassed(at: now) == true
    else { return }
    removeExpired(node, discarded: &discarded)
  }
}
