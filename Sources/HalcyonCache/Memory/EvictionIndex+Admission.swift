import HalcyonImaging
import HalcyonSupport

/// Which images are stored, and where they enter the order of eviction.
extension EvictionIndex {
  /// Stores an entry, after evicting others to stay within the limits.
  ///
  /// - Returns: Whether it was stored. If not, an older entry under its key is removed.
  mutating func admit(_ entry: CacheEntry, at now: Timestamp, discarded: inout [DecodedImage]) -> Bool {
    let cost = entry.image.byteCount
    guard fitsLimits(entry), entry.deadline.hasPassed(at: now) != true else {
      rejections += fitsLimits(entry) ? 0 : 1
      remove(entry.key, discarded: &discarded)
      return false
    }
    stores += 1
    if entry.deadline != .never { canExpire = true }
    let digest = entry.key.digest
    if let node = shards.withShard(of: digest, { $0.node(of: digest) }) {
      replace(node, with: entry, cost: cost, discarded: &discarded)
    } else {
      insert(entry, cost: cost, discarded: &discarded)
    }
    return true
  }

  /// Stores an evicted entry again, unless its weak entry was removed or replaced meanwhile.
  mutating func readmit(_ entry: CacheEntry, at now: Timestamp, discarded: inout [DecodedImage]) {
    guard fitsLimits(entry), shards.withShard(of: entry.key.digest, { $0.removeWeak(entry.key) }) else { return }
    _ = admit(entry, at: now, discarded: &discarded)
  }

  private mutating func insert(_ entry: CacheEntry, cost: Int, discarded: inout [DecodedImage]) {
    let digest = entry.key.digest
    let capacity = queues.count < configuration.countLimit ? configuration.imageByteLimit : queues.totalCost
    let entersMainQueue = queues.consumeGhost(digest, cost: cost, capacity: capacity)
    evict(toFit: cost, count: 1, discarded: &discarded)
    let node = freeNodes.allocate()
    let slot = shards.withShard(of: digest) { $0.insert(entry, node: node) }
    if node < slots.count { slots[node] = slot } else { slots.append(slot) }
    queues.insert(node, digest: digest, cost: cost, entersMainQueue: entersMainQueue)
  }

  /// The old image is found until the new one replaces it; the cost never includes both.
  private mutating func replace(_ node: Int, with entry: CacheEntry, cost: Int, discarded: inout [DecodedImage]) {
    guard let slot = slots[node] else { return }
    let isInSmallQueue = queues.isInSmallQueue(node)
    queues.remove(node)
    evict(toFit: cost, count: 1, discarded: &discarded)
    let replaced = shards.withShard(of: entry.key.digest) { $0.replace(at: slot, with: entry) }
    if let replaced { discarded.append(replaced) }
    queues.insert(node, digest: entry.key.digest, cost: cost, entersMainQueue: !isInSmallQueue)
  }

  func fitsLimits(_ entry: CacheEntry) -> Bool {
    entry.image.byteCount <= configuration.imageByteLimit && configuration.countLimit > 0
  }
}
