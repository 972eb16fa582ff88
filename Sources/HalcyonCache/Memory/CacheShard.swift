import HalcyonSupport
import HalcyonImaging

/// An image in a memory cache.
struct CacheEntry: Sendable {
  let key: CacheKey
  let image: DecodedImage
  let lifetime: Lifetime
  var deadline: Deadline
}

/// Decides which reads of an image in memory count as uses of its entries in the store: about one a minute, and the first
/// one after something was stored, so that the order of eviction is right.
struct MemoryUse {
  /// The number of writes to the store so far; `nil` for a read that does not count.
  let writeCount: Int?
  /// Whether the read counts.
  var isDue = false

  /// Differs between reads that count: periods of 2^36 nanoseconds, 69 seconds, and writes only grow.
  @inline(__always)
  func period(at uptime: Int64) -> UInt16? {
    writeCount.map { UInt16(truncatingIfNeeded: uptime >> 36) &+ UInt16(truncatingIfNeeded: $0) }
  }
}

/// The entries of a memory cache in 64 shards, each with its own lock, so that readers rarely contend.
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

  /// Runs `body` on each shard, under its lock.
  func forEach(_ body: (inout CacheShard) -> Void) {
    for index in 0..<Self.count { locks[index].withLock(body) }
  }

  /// The results of `body` for each shard, under its lock.
  func map<Result>(_ body: (inout CacheShard) -> Result) -> [Result] {
    (0..<Self.count).map { locks[$0].withLock(body) }
  }
}

/// One of the shards of a memory cache, selected by the digest of the key.
struct CacheShard: Sendable {
  /// Work that a read leaves to its caller, to be done after the shard's lock is released.
  enum DeferredAction: Sendable {
    case none
    /// Report the read of an entry to the eviction index, by its node.
    case reportRead(node: Int)
    /// Remove the entry, which is expired.
    case removeExpired
    /// Read again with a date, which decides whether the entry is expired.
    case readWithDate
    /// Look for an evicted image that is still in use.
    case readWeak
  }

  /// The outcomes of the reads of one shard.
  struct ReadCounts: Sendable {
    var hits = 0
    var savedByteCount = 0
    /// The part of the hits that found an evicted image which was still in use.
    var inUse = 0
    var absent = 0
    var expired = 0
  }

  // The fields that a hit writes come first, beside the lock, so that only one cache line moves between readers.
  private(set) var counts = ReadCounts()
  /// Whether reads are reported to the index, as the LRU policy needs.
  var reportsReads = false
  private var table = DigestTable()
  private var slots: [CacheSlot] = []
  private var freeSlots = FreeList()
  private var weakEntries = WeakEntries()

  /// The image stored under `key`, or `nil`. Counts as use.
  ///
  /// - Parameter use: Set if the store learns of this use.
  @inline(__always)
  mutating func read(
    _ key: CacheKey, at now: Timestamp, use: inout MemoryUse, deferred: inout DeferredAction
  ) -> DecodedImage? {
    guard let slot = slot(of: key) else {
      deferred = weakEntries.isEmpty ? .none : .readWeak
      if weakEntries.isEmpty { counts.absent += 1 }
      return nil
    }
    // In place, because a copy of a slot retains everything in it.
    return slots.withUnsafeMutableBufferPointer { slots in
      guard let hasPassed = slots[slot].deadline.hasPassed(at: now) else {
        deferred = .readWithDate
        return nil
      }
      guard !hasPassed else {
        counts.expired += 1
        deferred = .removeExpired
        return nil
      }
      counts.hits += 1
      counts.savedByteCount += Int(slots[slot].downloadByteCount)
      slots[slot].recordRead(from: now.uptime)
      if let period = use.period(at: now.uptime), slots[slot].usePeriod != period {
        slots[slot].usePeriod = period
        use.isDue = true
      }
      deferred = reportsReads ? .reportRead(node: slots[slot].node) : .none
      return slots[slot].image
    }
  }

  /// The evicted entry under `key` if its image is still in use. Counts as a hit or miss.
  mutating func readWeak(_ key: CacheKey, at now: Timestamp, miss: inout CacheMiss) -> CacheEntry? {
    guard var entry = weakEntries.entry(for: key) else {
      counts.absent += 1
      return nil
    }
    guard entry.deadline.hasPassed(at: now) != true else {
      weakEntries.remove(key)
      counts.expired += 1
      miss = .expired
      return nil
    }
    counts.hits += 1
    counts.inUse += 1
    counts.savedByteCount += entry.image.facts.freshness?.byteCount ?? 0
    entry.deadline = entry.deadline.renewed(entry.lifetime, from: now.uptime)
    weakEntries.insert(entry)
    return entry
  }

  /// Whether an entry that is not expired is stored under `key`. Does not count as use. `now` must have a date.
  func contains(_ key: CacheKey, at now: Timestamp) -> Bool {
    let deadline = slot(of: key).map { slots[$0].deadline } ?? weakEntries.entry(for: key)?.deadline
    return deadline?.hasPassed(at: now) == false
  }

  /// The node of the entry with this digest, which may have another key.
  func node(of digest: KeyDigest) -> Int? {
    table.slot(of: digest) { slots[$0].key.digest == digest }.map { slots[$0].node }
  }

  /// The node of the entry under exactly this key.
  func node(of key: CacheKey) -> Int? {
    slot(of: key).map { slots[$0].node }
  }

  /// Adds an entry whose digest is not in the shard.
  ///
  /// - Returns: Its slot, which stays the same until the entry is removed.
  mutating func insert(_ entry: CacheEntry, node: Int) -> Int {
    let slot = freeSlots.allocate()
    let newSlot = CacheSlot(entry, node: node)
    if slot < slots.count { slots[slot] = newSlot } else { slots.append(newSlot) }
    table.insert(entry.key.digest, slot: slot)
    weakEntries.remove(entry.key)
    return slot
  }

  /// Replaces the entry in a slot by one with the same digest, which counts as use.
  ///
  /// - Returns: The replaced image.
  mutating func replace(at slot: Int, with entry: CacheEntry) -> DecodedImage? {
    let replaced = slots[slot].image
    let frequency = slots[slot].frequency
    slots[slot] = CacheSlot(entry, node: slots[slot].node)
    slots[slot].frequency = min(3, frequency + 1)
    weakEntries.remove(entry.key)
    return replaced
  }

  /// Decrements the frequency counter of an entry, or resets it to zero.
  ///
  /// - Returns: Whether the counter was above zero.
  mutating func lowerFrequency(at slot: Int, toZero: Bool) -> Bool {
    guard slots[slot].frequency > 0 else { return false }
    slots[slot].frequency = toZero ? 0 : slots[slot].frequency - 1
    return true
  }

  /// Removes an entry. With `keepsWeakly` it is still found as long as its image is in use.
  mutating func remove(at slot: Int, keepsWeakly: Bool = false) -> DecodedImage? {
    table.remove(slots[slot].key.digest, slot: slot)
    freeSlots.free(slot)
    let isInUse = slots[slot].image?.isUniquelyReferenced == false
    if keepsWeakly, isInUse, let entry = slots[slot].entry { weakEntries.insert(entry) }
    defer { slots[slot] = .vacant }
    return slots[slot].image
  }

  /// The keys of the entries, also of the weak ones, that fulfil a condition.
  func keys(where isIncluded: (CacheKey) -> Bool) -> [CacheKey] {
    slots.lazy.filter { $0.image != nil }.map(\.key).filter(isIncluded) + weakEntries.keys.filter(isIncluded)
  }

  func deadline(at slot: Int) -> Deadline {
    slots[slot].deadline
  }

  /// The nodes of the expired entries, and whether any other can expire. `now` must have a date.
  func expiredNodes(at now: Timestamp) -> (nodes: [Int], canOthersExpire: Bool) {
    var (nodes, canOthersExpire) = ([Int](), false)
    for slot in slots where slot.image != nil && slot.deadline != .never {
      if slot.deadline.hasPassed(at: now) == true { nodes.append(slot.node) } else { canOthersExpire = true }
    }
    return (nodes, canOthersExpire)
  }

  /// Removes the weak entry under `key`.
  ///
  /// - Returns: Whether there was one.
  mutating func removeWeak(_ key: CacheKey) -> Bool {
    weakEntries.remove(key)
  }

  mutating func removeAllWeak() {
    weakEntries = WeakEntries()
  }

  /// The entries that are not expired, without those that are only in use elsewhere. `now` must have a date.
  func entries(at now: Timestamp) -> [MemoryCacheEntry] {
    slots.compactMap { slot in
      guard let image = slot.image, slot.deadline.hasPassed(at: now) == false else { return nil }
      return MemoryCacheEntry(key: slot.key, image: image)
    }
  }

  /// Removes all entries, and returns their images.
  mutating func removeAll() -> [DecodedImage] {
    let removed = slots.compactMap(\.image)
    table = DigestTable()
    slots = []
    freeSlots = FreeList()
    weakEntries = WeakEntries()
    return removed
  }

  @inline(__always)
  private func slot(of key: CacheKey) -> Int? {
    let slot = table.slot(of: key.digest) { slots[$0].key.digest == key.digest }
    guard let slot, slots[slot].key.text == key.text else { return nil }
    return slot
  }
}

/// An entry in its shard, and the state that reads change.
private struct CacheSlot: Sendable {
  static let vacant = CacheSlot()

  let key: CacheKey
  /// `nil` in a vacant slot.
  var image: DecodedImage?
  let lifetime: Lifetime
  /// The frequency counter of S3-FIFO: reads since the policy last lowered it, at most 3. Stands here to fill padding.
  var frequency: UInt8 = 0
  /// The ``MemoryUse/period(at:)`` of the last use of which the store learned. Stands here for the same reason.
  var usePeriod = UInt16.max
  /// The bytes that a hit saves. Stands here to fill padding.
  let downloadByteCount: UInt32
  private(set) var deadline: Deadline
  /// The number of the entry in the eviction index.
  let node: Int

  init(_ entry: CacheEntry, node: Int) {
    key = entry.key
    image = entry.image
    lifetime = entry.lifetime
    deadline = entry.deadline
    downloadByteCount = UInt32(clamping: entry.image.facts.freshness?.byteCount ?? 0)
    self.node = node
  }

  private init() {
    key = ""
    lifetime = .never
    deadline = .never
    downloadByteCount = 0
    node = 0
  }

  /// The entry, or `nil` in a vacant slot.
  var entry: CacheEntry? {
    image.map { CacheEntry(key: key, image: $0, lifetime: lifetime, deadline: deadline) }
  }

  @inline(__always)
  mutating func recordRead(from uptime: Int64) {
    if frequency < 3 { frequency += 1 }
    let renewed = deadline.renewed(lifetime, from: uptime)
    // Most reads within one clock tick change nothing, and skip the write so that processors can share the cache line.
    if renewed != deadline { deadline = renewed }
  }
}
