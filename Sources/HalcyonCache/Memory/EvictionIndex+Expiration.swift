import HalcyonImaging
import HalcyonSupport

/// Entries leave the cache when they expire: found by the timers, or when they are read.
extension EvictionIndex {
  /// Removes expired entries: all of them if `exactly`, otherwise those that expired up to two seconds ago may stay.
  mutating func removeExpired(at now: Timestamp, exactly: Bool = false, discarded: inout [DecodedImage]) {
    for node in timers.advance(to: now, exactly: exactly) {
      guard let slot = slots[node] else { continue }
      let deadline = shards.withShard(of: queues.digest(of: node)) { $0.deadline(at: slot) }
      if deadline.hasPassed(at: now) == true {
        removeNode(node, at: slot, discarded: &discarded)
        evictions.expiration += 1
      } else {
        timers.schedule(node, at: deadline)
      }
    }
  }

  /// Whether the sweeper is to be started: an entry can expire, and no sweeper is running.
  mutating func startSweeping() -> Bool {
    guard !isSweeping, !timers.isEmpty else { return false }
    isSweeping = true
    return true
  }

  /// Whether the sweeper is to continue, because an entry can expire.
  mutating func continueSweeping() -> Bool {
    isSweeping = !timers.isEmpty
    return isSweeping
  }

  /// Removes the entry under `key` if it is expired; it may have been replaced since it was read.
  mutating func removeIfExpired(_ key: CacheKey, at now: Timestamp, discarded: inout [DecodedImage]) {
    guard let node = shards.withShard(of: key.digest, { $0.node(of: key) }), let slot = slots[node] else { return }
    let deadline = shards.withShard(of: key.digest) { $0.deadline(at: slot) }
    guard deadline.hasPassed(at: now) == true else { return }
    removeNode(node, at: slot, discarded: &discarded)
    evictions.expiration += 1
  }
}
