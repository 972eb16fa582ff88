import HalcyonSupport
import HalcyonImaging

/// One part of the entries of a memory cache, chosen by the digest of the key.
struct CacheShard: Sendable {
  /// What looking a key up leaves to be done when the lock is given back.
  enum DeferredAction: Sendable {
    case nothing
    /// The ledger looks at the entry that was read, under the number it gave it.
    case report(node: Int)
    /// The entry is expired: it is removed, and was not given out.
    case removal
    /// Only the date tells whether the entry is expired: ask again with one.
    case date
    /// Someone outside may still hold the evicted image.
    case searchInUse
  }

  // What a hit changes comes first, beside the lock: threads that read pass but one line of memory to each other.
  private(set) var counts = ReadCounts()
  /// Whether the ledger wants to know of every read.
  var reportsReads = false
  private var table = DigestTable()
  private var slots: [CacheSlot] = []
  private var pool = FreeList()
  private var weakEntries = WeakEntries()
  private var nextReport: Int64 = 0

  /// Looks a key up, and counts that as a use.
  @inline(__always)
  mutating func read(
    _ key: CacheKey, extending: ExpirationExtension, at moment: Timestamp, followUp: inout DeferredAction
  ) -> DecodedImage? {
    guard let place = place(of: key) else {
      followUp = weakEntries.isEmpty ? .nothing : .searchInUse
      if weakEntries.isEmpty { counts.absent += 1 }
      return nil
    }
    // In place, because a copy of a slot retains everything in it.
    return slots.withUnsafeMutableBufferPointer { slots in
      let old = slots[place].deadline
      guard let hasPassed = old.hasPassed(at: moment) else {
        followUp = .date
        return nil
      }
      guard !hasPassed else {
        counts.expired += 1
        followUp = .removal
        return nil
      }
      counts.hits += 1
      slots[place].noteRead(extending: extending, from: moment.uptime)
      // Once a second someone who reads sees to it that what is expired leaves.
      let isReportDue = moment.uptime >= nextReport
      if isReportDue { nextReport = moment.uptime + 1_000_000_000 }
      let isReported = isReportDue || reportsReads || !slots[place].deadline.isNotBefore(old)
      followUp = isReported ? .report(node: slots[place].node) : .nothing
      return slots[place].image
    }
  }

  /// The evicted image under a key, if someone holds it; counts the read that found nothing better.
  mutating func readInUse(
    _ key: CacheKey, extending: ExpirationExtension, at moment: Timestamp, miss: inout CacheMiss
  ) -> CacheEntry? {
    guard var entry = weakEntries.entry(for: key) else {
      counts.absent += 1
      return nil
    }
    guard entry.deadline.hasPassed(at: moment) != true else {
      weakEntries.remove(key)
      counts.expired += 1
      miss = .expired
      return nil
    }
    counts.hits += 1
    counts.inUse += 1
    entry.deadline = entry.deadline.extended(extending, lifetime: entry.lifetime, from: moment.uptime)
    weakEntries.insert(entry)
    return entry
  }

  /// Looks a key up, and counts nothing. The moment must have a date.
  func contains(_ key: CacheKey, at moment: Timestamp) -> Bool {
    let deadline = place(of: key).map { slots[$0].deadline } ?? weakEntries.entry(for: key)?.deadline
    return deadline?.hasPassed(at: moment) == false
  }

  /// The number that the ledger gave the entry with this digest.
  func node(of digest: KeyDigest) -> Int? {
    table.place(of: digest) { slots[$0].key.digest == digest }.map { slots[$0].node }
  }

  /// The number of the entry under this very key.
  func node(of key: CacheKey) -> Int? {
    place(of: key).map { slots[$0].node }
  }

  /// Adds an entry whose digest is not there.
  ///
  /// - Returns: Its place, which stays the same until it is removed.
  mutating func insert(_ entry: CacheEntry, node: Int) -> Int {
    let place = pool.take()
    let slot = CacheSlot(entry, node: node)
    if place < slots.count { slots[place] = slot } else { slots.append(slot) }
    table.insert(entry.key.digest, place: place)
    weakEntries.remove(entry.key)
    return place
  }

  /// Puts another entry in the place of one with the same digest, which counts as a use.
  mutating func replace(at place: Int, with entry: CacheEntry) -> DecodedImage? {
    let replaced = slots[place].image
    let uses = slots[place].uses
    slots[place] = CacheSlot(entry, node: slots[place].node)
    slots[place].uses = min(3, uses + 1)
    weakEntries.remove(entry.key)
    return replaced
  }

  /// Takes back uses, so that the policy spares an entry: all of them or one.
  ///
  /// - Returns: Whether there were any.
  mutating func spare(at place: Int, forgettingAllUses: Bool) -> Bool {
    guard slots[place].uses > 0 else { return false }
    slots[place].uses = forgettingAllUses ? 0 : slots[place].uses - 1
    return true
  }

  /// Removes an entry; where `staysInUse`, it is still found as long as someone holds its image.
  mutating func remove(at place: Int, staysInUse: Bool = false) -> DecodedImage? {
    table.remove(slots[place].key.digest, place: place)
    pool.giveBack(place)
    let isInUse = slots[place].image?.isUniquelyReferenced == false
    if staysInUse, isInUse, let entry = slots[place].entry { weakEntries.insert(entry) }
    defer { slots[place] = .vacant }
    return slots[place].image
  }

  func deadline(at place: Int) -> Deadline {
    slots[place].deadline
  }

  /// Takes the evicted image under a key out of those that are looked for.
  ///
  /// - Returns: Whether it was there.
  mutating func takeInUse(_ key: CacheKey) -> Bool {
    weakEntries.remove(key)
  }

  mutating func forgetInUse() {
    weakEntries = WeakEntries()
  }

  mutating func removeAll() -> [DecodedImage] {
    let removed = slots.compactMap(\.image)
    table = DigestTable()
    slots = []
    pool = FreeList()
    weakEntries = WeakEntries()
    return removed
  }

  @inline(__always)
  private func place(of key: CacheKey) -> Int? {
    let place = table.place(of: key.digest) { slots[$0].key.digest == key.digest }
    guard let place, slots[place].key.text == key.text else { return nil }
    return place
  }
}

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

/// An image in a memory cache.
struct CacheEntry: Sendable {
  let key: CacheKey
  let image: DecodedImage
  let lifetime: Lifetime
  var deadline: Deadline
}

/// The place of an entry within its shard, and what its reads leave behind.
private struct CacheSlot: Sendable {
  static let vacant = CacheSlot()

  let key: CacheKey
  /// `nil` in a vacant slot.
  var image: DecodedImage?
  let lifetime: Lifetime
  /// Reads since the policy last looked, 3 at most. It lies where there is room.
  var uses: UInt8 = 0
  private(set) var deadline: Deadline
  /// The number that the ledger gave the entry.
  let node: Int

  init(_ entry: CacheEntry, node: Int) {
    key = entry.key
    image = entry.image
    lifetime = entry.lifetime
    deadline = entry.deadline
    self.node = node
  }

  private init() {
    key = ""
    lifetime = .never
    deadline = .never
    node = 0
  }

  /// What the slot holds.
  var entry: CacheEntry? {
    image.map { CacheEntry(key: key, image: $0, lifetime: lifetime, deadline: deadline) }
  }

  @inline(__always)
  mutating func noteRead(extending: ExpirationExtension, from uptime: Int64) {
    if uses < 3 { uses += 1 }
    let extended = deadline.extended(extending, lifetime: lifetime, from: uptime)
    // Most reads within a tick of the clock find nothing to write, and leave the slot to all processors.
    if extended != deadline { deadline = extended }
  }
}

/// What became of the reads of one shard.
struct ReadCounts: Sendable {
  var hits = 0
  /// Those of the hits that found an evicted image in use.
  var inUse = 0
  var absent = 0
  var expired = 0
}
