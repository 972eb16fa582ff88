import HalcyonSupport
import HalcyonImaging

/// The costs and the order of all entries of a memory cache, which decide what is evicted. The entries themselves are in
/// the shards.
///
/// Only writes lock it; a hit does not, except under the LRU policy.
///
/// Lock order: the lock of a shard may be taken under the lock of the index, never the other way round. Images that are
/// removed are appended to `discarded`, so that the caller frees them without locks held.
struct EvictionIndex: Sendable {
  var configuration: MemoryCacheConfiguration
  /// The numbers of images stored, not stored because of the limits, and evicted.
  var stores = 0
  var rejections = 0
  var evictions = EvictionCounts()
  let shards: CacheShards
  var queues: EvictionQueues
  /// The slot of each node in its shard; `nil` for free nodes.
  var slots: [Int?] = []
  var freeNodes = FreeList()
  /// Whether an entry may expire that has not been removed.
  var canExpire = false
  /// Whether a sweeper removes what expires while the cache is idle.
  var isSweeping = false

  init(configuration: MemoryCacheConfiguration, shards: CacheShards) {
    self.configuration = configuration
    self.shards = shards
    queues = EvictionQueues(policy: configuration.policy)
    updateReadReports()
  }

  var totalCost: Int { queues.totalCost }

  var count: Int { queues.count }

  /// Updates the order after a read.
  mutating func recordRead(_ node: Int) {
    if node < slots.count, slots[node] != nil { queues.bump(node) }
  }

  mutating func remove(_ key: CacheKey, discarded: inout [DecodedImage]) {
    let node = shards.withShard(of: key.digest) { shard in
      _ = shard.removeWeak(key)
      return shard.node(of: key)
    }
    guard let node, let slot = slots[node] else { return }
    removeNode(node, at: slot, discarded: &discarded)
  }

  mutating func removeAll(discarded: inout [DecodedImage]) {
    shards.forEach { discarded += $0.removeAll() }
    queues = EvictionQueues(policy: configuration.policy)
    slots = []
    freeNodes = FreeList()
  }

  mutating func removeNode(_ node: Int, at slot: Int, discarded: inout [DecodedImage]) {
    let removed = shards.withShard(of: queues.digest(of: node)) { $0.remove(at: slot) }
    if let removed { discarded.append(removed) }
    queues.remove(node)
    free(node)
  }

  mutating func free(_ node: Int) {
    slots[node] = nil
    freeNodes.free(node)
  }
}

/// The numbers of evicted images. Not a dictionary, whose copy before each eviction would allocate.
struct EvictionCounts: Sendable {
  var size = 0
  var count = 0
  var expiration = 0
  var pressure = 0

  /// The counts that differ from the old ones, by reason.
  func since(_ old: EvictionCounts = EvictionCounts()) -> [EvictionReason: Int] {
    let counts: [EvictionReason: Int] = [
      .size: size - old.size, .count: count - old.count, .expiration: expiration - old.expiration,
      .pressure: pressure - old.pressure,
    ]
    return counts.filter { $0.value > 0 }
  }
}
