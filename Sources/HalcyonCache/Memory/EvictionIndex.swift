import HalcyonSupport
import HalcyonImaging

/// What a memory cache knows of its entries besides their values: sizes, order and deadlines. One for all shards.
///
/// Under the lock of the ledger the lock of a shard may be taken, never the other way round. Images that leave are
/// handed to the caller, who frees them when no lock is held.
struct EvictionIndex: Sendable {
  private(set) var configuration: MemoryCacheConfiguration
  private(set) var evictions = MemoryCacheStatistics.Evictions()
  private(set) var refusals = 0
  private let shards: CacheShards
  private var queues: EvictionQueues
  /// Where the entry of each node is within its shard; `nil` for a number that is not in use.
  private var places: [Int?] = []
  private var pool = FreeList()
  private var deadlines: TimerWheels
  /// Whether someone sees to it that what expires leaves, though the cache may not be used.
  private var isSwept = false

  init(configuration: MemoryCacheConfiguration, shards: CacheShards, at moment: Timestamp) {
    self.configuration = configuration
    self.shards = shards
    queues = EvictionQueues(policy: configuration.policy)
    deadlines = TimerWheels(at: moment)
    reportReads()
  }

  var totalCost: Int { queues.totalCost }

  var count: Int { queues.count }

  /// Keeps an entry, and makes room for it first.
  ///
  /// - Returns: Whether it was kept.
  mutating func admit(_ entry: CacheEntry, at moment: Timestamp, leaving: inout [DecodedImage]) -> Bool {
    removeExpired(at: moment, leaving: &leaving)
    let cost = entry.image.byteCount
    guard canHold(entry), entry.deadline.hasPassed(at: moment) != true else {
      refusals += canHold(entry) ? 0 : 1
      remove(entry.key, leaving: &leaving)
      return false
    }
    let digest = entry.key.digest
    if let node = shards.withShard(of: digest, { $0.node(of: digest) }) {
      replace(node, with: entry, cost: cost, leaving: &leaving)
    } else {
      insert(entry, cost: cost, leaving: &leaving)
    }
    return true
  }

  /// Keeps an entry that was evicted and is still in use, unless someone has removed or replaced it meanwhile.
  mutating func readmit(_ entry: CacheEntry, at moment: Timestamp, leaving: inout [DecodedImage]) {
    guard canHold(entry), shards.withShard(of: entry.key.digest, { $0.takeInUse(entry.key) }) else { return }
    _ = admit(entry, at: moment, leaving: &leaving)
  }

  /// Looks at an entry that was just read.
  mutating func noteRead(_ node: Int, at moment: Timestamp, leaving: inout [DecodedImage]) {
    if node < places.count, let place = places[node] {
      queues.touch(node)
      deadlines.file(node, under: shards.withShard(of: queues.digest(of: node)) { $0.deadline(at: place) })
    }
    removeExpired(at: moment, leaving: &leaving)
  }

  mutating func configure(_ new: MemoryCacheConfiguration, leaving: inout [DecodedImage]) {
    configuration = new
    if new.policy != queues.policy { queues.policy = new.policy }
    reportReads()
    if !new.findsImagesInUse { shards.forEach { $0.forgetInUse() } }
    makeRoom(for: 0, count: 0, leaving: &leaving)
  }

  /// Evicts down to a cost, which need not be the limit in force.
  mutating func trim(to costLimit: Int, leaving: inout [DecodedImage]) {
    while queues.totalCost > costLimit, let candidate = queues.candidate(capacity: queues.totalCost) {
      guard let image = settle(candidate, capacity: configuration.imageByteLimit) else { continue }
      leaving.append(image)
      evictions.byPressure += 1
    }
  }

  /// Removes what is expired: all of it where `exactly`, else within two seconds.
  mutating func removeExpired(at moment: Timestamp, exactly: Bool = false, leaving: inout [DecodedImage]) {
    for node in deadlines.takeDue(at: moment, exactly: exactly) {
      guard let place = places[node] else { continue }
      let deadline = shards.withShard(of: queues.digest(of: node)) { $0.deadline(at: place) }
      if deadline.hasPassed(at: moment) == true {
        release(node, at: place, leaving: &leaving)
        evictions.byExpiration += 1
      } else {
        deadlines.file(node, under: deadline)
      }
    }
  }

  /// Whether sweeping is to begin: something can expire, and nobody sweeps yet.
  mutating func beginSweeping() -> Bool {
    guard !isSwept, !deadlines.isEmpty else { return false }
    isSwept = true
    return true
  }

  /// Whether sweeping is to go on, because something can expire.
  mutating func goOnSweeping() -> Bool {
    isSwept = !deadlines.isEmpty
    return isSwept
  }

  /// Removes one entry if it is expired: it may have been replaced since it was read.
  mutating func removeIfExpired(_ key: CacheKey, at moment: Timestamp, leaving: inout [DecodedImage]) {
    guard let node = shards.withShard(of: key.digest, { $0.node(of: key) }), let place = places[node] else { return }
    let deadline = shards.withShard(of: key.digest) { $0.deadline(at: place) }
    guard deadline.hasPassed(at: moment) == true else { return }
    release(node, at: place, leaving: &leaving)
    evictions.byExpiration += 1
  }

  mutating func remove(_ key: CacheKey, leaving: inout [DecodedImage]) {
    let node = shards.withShard(of: key.digest) { shard in
      _ = shard.takeInUse(key)
      return shard.node(of: key)
    }
    guard let node, let place = places[node] else { return }
    release(node, at: place, leaving: &leaving)
    evictions.byRemoval += 1
  }

  mutating func removeAll(at moment: Timestamp, leaving: inout [DecodedImage]) {
    shards.forEach { leaving += $0.removeAll() }
    evictions.byRemoval += queues.count
    queues = EvictionQueues(policy: configuration.policy)
    places = []
    pool = FreeList()
    deadlines = TimerWheels(at: moment)
  }

  private func canHold(_ entry: CacheEntry) -> Bool {
    entry.image.byteCount <= configuration.imageByteLimit && configuration.countLimit > 0
  }

  private mutating func insert(_ entry: CacheEntry, cost: Int, leaving: inout [DecodedImage]) {
    let digest = entry.key.digest
    let capacity = queues.count < configuration.countLimit ? configuration.imageByteLimit : queues.totalCost
    let skipsProbation = queues.recall(digest, cost: cost, capacity: capacity)
    makeRoom(for: cost, count: 1, leaving: &leaving)
    let node = pool.take()
    let place = shards.withShard(of: digest) { $0.insert(entry, node: node) }
    if node < places.count { places[node] = place } else { places.append(place) }
    queues.insert(node, digest: digest, cost: cost, skipsProbation: skipsProbation)
    deadlines.file(node, under: entry.deadline)
  }

  /// The old image is found until the new one takes its place; the two are never held at once.
  private mutating func replace(_ node: Int, with entry: CacheEntry, cost: Int, leaving: inout [DecodedImage]) {
    guard let place = places[node] else { return }
    let isOnProbation = queues.isOnProbation(node)
    queues.remove(node)
    makeRoom(for: cost, count: 1, leaving: &leaving)
    let replaced = shards.withShard(of: entry.key.digest) { $0.replace(at: place, with: entry) }
    if let replaced { leaving.append(replaced) }
    queues.insert(node, digest: entry.key.digest, cost: cost, skipsProbation: !isOnProbation)
    deadlines.file(node, under: entry.deadline)
  }

  private mutating func makeRoom(for cost: Int, count: Int, leaving: inout [DecodedImage]) {
    while true {
      let isOverCost = queues.totalCost > configuration.imageByteLimit - cost
      guard isOverCost || queues.count > configuration.countLimit - count else { return }
      let capacity = isOverCost ? configuration.imageByteLimit : queues.totalCost
      guard let candidate = queues.candidate(capacity: capacity) else { return }
      guard let image = settle(candidate, capacity: capacity) else { continue }
      leaving.append(image)
      if isOverCost { evictions.byCost += 1 } else { evictions.byCount += 1 }
    }
  }

  /// Evicts a candidate, or spares it because it was read.
  private mutating func settle(_ candidate: EvictionQueues.Candidate, capacity: Int) -> DecodedImage? {
    guard let place = places[candidate.node] else { return nil }
    let isAdaptive = configuration.policy == .adaptive
    let staysInUse = configuration.findsImagesInUse
    let evicted = shards.withShard(of: queues.digest(of: candidate.node)) { shard -> DecodedImage? in
      if isAdaptive, shard.spare(at: place, forgettingAllUses: candidate.isOnProbation) { return nil }
      return shard.remove(at: place, staysInUse: staysInUse)
    }
    guard let evicted else {
      queues.spare(candidate)
      return nil
    }
    queues.evict(candidate, capacity: capacity)
    vacate(candidate.node)
    return evicted
  }

  private mutating func release(_ node: Int, at place: Int, leaving: inout [DecodedImage]) {
    let removed = shards.withShard(of: queues.digest(of: node)) { $0.remove(at: place) }
    if let removed { leaving.append(removed) }
    queues.remove(node)
    vacate(node)
  }

  private mutating func vacate(_ node: Int) {
    places[node] = nil
    deadlines.remove(node)
    pool.giveBack(node)
  }

  private func reportReads() {
    let reportsReads = configuration.policy == .leastRecentlyUsed
    shards.forEach { $0.reportsReads = reportsReads }
  }
}
