import HalcyonSupport
import HalcyonImaging

/// The costs, order and deadlines of all entries of a memory cache, which decide what is evicted. The entries
/// themselves are in the shards.
///
/// Lock order: the lock of a shard may be taken under the lock of the index, never the other way round. Images that are
/// removed are appended to `discarded`, so that the caller frees them without locks held.
struct EvictionIndex: Sendable {
  var configuration: MemoryCacheConfiguration
  var evictions = MemoryCacheStatistics.Evictions()
  var rejections = 0
  let shards: CacheShards
  var queues: EvictionQueues
  /// The slot of each node in its shard; `nil` for free nodes.
  var slots: [Int?] = []
  private var freeNodes = FreeList()
  var timers: TimerWheels
  /// Whether a sweeper removes what expires while the cache is idle.
  var isSweeping = false

  init(configuration: MemoryCacheConfiguration, shards: CacheShards, at now: Timestamp) {
    self.configuration = configuration
    self.shards = shards
    queues = EvictionQueues(policy: configuration.policy)
    timers = TimerWheels(at: now)
    updateReadReports()
  }

  var totalCost: Int { queues.totalCost }

  var count: Int { queues.count }

  /// Stores an entry, after evicting others to stay within the limits.
  ///
  /// - Returns: Whether it was stored. If not, an older entry under its key is removed.
  mutating func admit(_ entry: CacheEntry, at now: Timestamp, discarded: inout [DecodedImage]) -> Bool {
    removeExpired(at: now, discarded: &discarded)
    let cost = entry.image.byteCount
    guard fitsLimits(entry), entry.deadline.hasPassed(at: now) != true else {
      rejections += fitsLimits(entry) ? 0 : 1
      remove(entry.key, discarded: &discarded)
      return false
    }
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

  /// Updates the order and the timer of an entry that was read.
  mutating func recordRead(_ node: Int, at now: Timestamp, discarded: inout [DecodedImage]) {
    if node < slots.count, let slot = slots[node] {
      queues.bump(node)
      timers.schedule(node, at: shards.withShard(of: queues.digest(of: node)) { $0.deadline(at: slot) })
    }
    removeExpired(at: now, discarded: &discarded)
  }

  mutating func remove(_ key: CacheKey, discarded: inout [DecodedImage]) {
    let node = shards.withShard(of: key.digest) { shard in
      _ = shard.removeWeak(key)
      return shard.node(of: key)
    }
    guard let node, let slot = slots[node] else { return }
    removeNode(node, at: slot, discarded: &discarded)
    evictions.byRemoval += 1
  }

  mutating func removeAll(at now: Timestamp, discarded: inout [DecodedImage]) {
    shards.forEach { discarded += $0.removeAll() }
    evictions.byRemoval += queues.count
    queues = EvictionQueues(policy: configuration.policy)
    slots = []
    freeNodes = FreeList()
    timers = TimerWheels(at: now)
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
    timers.schedule(node, at: entry.deadline)
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
    timers.schedule(node, at: entry.deadline)
  }

  mutating func removeNode(_ node: Int, at slot: Int, discarded: inout [DecodedImage]) {
    let removed = shards.withShard(of: queues.digest(of: node)) { $0.remove(at: slot) }
    if let removed { discarded.append(removed) }
    queues.remove(node)
    free(node)
  }

  mutating func free(_ node: Int) {
    slots[node] = nil
    timers.cancel(node)
    freeNodes.free(node)
  }
}
