import HalcyonImaging
import HalcyonSupport

/// Cost and count limits, and what is evicted to stay within them.
extension EvictionIndex {
  mutating func configure(_ new: MemoryCacheConfiguration, discarded: inout [DecodedImage]) {
    configuration = new
    if new.policy != queues.policy { queues.policy = new.policy }
    updateReadReports()
    if !new.findsImagesInUse { shards.forEach { $0.removeAllWeak() } }
    evict(toFit: 0, count: 0, discarded: &discarded)
  }

  /// Evicts until the total cost is at most `costLimit`, which need not be the configured limit.
  mutating func trim(to costLimit: Int, discarded: inout [DecodedImage]) {
    trim(discarded: &discarded) { $0.totalCost > costLimit }
  }

  /// Evicts until at most `countLimit` images are left, which need not be the configured limit.
  mutating func trim(toCount countLimit: Int, discarded: inout [DecodedImage]) {
    trim(discarded: &discarded) { $0.count > countLimit }
  }

  private mutating func trim(discarded: inout [DecodedImage], while isOverLimit: (EvictionQueues) -> Bool) {
    while isOverLimit(queues), let candidate = queues.candidate(capacity: queues.totalCost) {
      guard let image = evictUnlessRead(candidate, capacity: configuration.imageByteLimit) else { continue }
      discarded.append(image)
      evictions.pressure += 1
    }
  }

  /// Evicts until `count` more entries of `cost` bytes in all stay within the limits.
  mutating func evict(toFit cost: Int, count: Int, discarded: inout [DecodedImage]) {
    while true {
      let isOverCost = queues.totalCost > configuration.imageByteLimit - cost
      guard isOverCost || queues.count > configuration.countLimit - count else { return }
      let capacity = isOverCost ? configuration.imageByteLimit : queues.totalCost
      guard let candidate = queues.candidate(capacity: capacity) else { return }
      guard let image = evictUnlessRead(candidate, capacity: capacity) else { continue }
      discarded.append(image)
      if isOverCost { evictions.size += 1 } else { evictions.count += 1 }
    }
  }

  /// Evicts a candidate, or moves it to the head of the main queue if it was read.
  ///
  /// - Returns: The evicted image.
  private mutating func evictUnlessRead(_ candidate: EvictionQueues.Candidate, capacity: Int) -> DecodedImage? {
    guard let slot = slots[candidate.node] else { return nil }
    let isAdaptive = configuration.policy == .adaptive
    let keepsWeakly = configuration.findsImagesInUse
    let evicted = shards.withShard(of: queues.digest(of: candidate.node)) { shard -> DecodedImage? in
      if isAdaptive, shard.lowerFrequency(at: slot, toZero: candidate.isInSmallQueue) { return nil }
      return shard.remove(at: slot, keepsWeakly: keepsWeakly)
    }
    guard let evicted else {
      queues.promote(candidate)
      return nil
    }
    queues.evict(candidate, capacity: capacity)
    free(candidate.node)
    return evicted
  }

  func updateReadReports() {
    let reportsReads = configuration.policy == .leastRecentlyUsed
    shards.forEach { $0.reportsReads = reportsReads }
  }
}
