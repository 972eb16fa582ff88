package import HalcyonSupport
import HalcyonHTTP
import Foundation

/// Encoded images in memory, the least recently used evicted first, in front of a store or alone.
///
/// Writes go to the store first. An entry that the store fails to store, because the disk is full for example, is kept in
/// memory for a minute. A copy of an entry that is removed from the store together with others is not served any more;
/// other changes that are made there without this cache become visible when the copy has expired. Reading the copy counts
/// as use of the entry in the disk caches behind.
///
/// Safe from any thread; entries in memory are returned without suspending.
package final class DataMemoryCache: CompositeStore, MissReportingStore, ReplacingStore {
  /// How long an entry is kept that the store behind failed to store. The next load stores it again.
  private static let unstoredExpiration = CacheExpiration.after(.seconds(1 * 60), since: .storing)

  /// The store behind this cache, or `nil`.
  package let base: (any DataStore)?

  package let removals = RemovalHistory()
  /// The number of writes to the store behind.
  let writeCount = Atomic(0)
  private let baseRemovals: [RemovalHistory]
  private let disks: [DiskCache]
  private let expiration: CacheExpiration
  private let time: any TimeSource
  private let entries: Lock<EntryTable>

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: The maximum bytes in memory, including metadata; a larger entry is only stored in `base`.
  ///   - expiration: When an entry without an expiration of its own stops being served, and the maximum for a copy of an
  ///     entry in `base`. Default: 5 minutes after its last use.
  ///   - base: The store behind this cache. Default: `nil`, entries end with the process.
  ///   - time: The clocks for the expiration. Default: the system's.
  package init(
    byteLimit: Int, expiration: CacheExpiration = .after(.seconds(300)), over base: (any DataStore)? = nil,
    time: any TimeSource = SystemTime()
  ) {
    self.base = base
    self.expiration = expiration
    self.time = time
    baseRemovals = base.map(RemovalHistory.all) ?? []
    disks = base.map(DiskCache.all) ?? []
    entries = Lock(EntryTable(byteLimit: byteLimit))
  }

  package var stores: [any DataStore] { base.map { [$0] } ?? [] }

  /// The maximum bytes in memory. A lower limit evicts before the setter returns.
  package var byteLimit: Int {
    get { entries.withLock(\.byteLimit) }
    set { update { $0.setByteLimit(newValue, discarded: &$1) } }
  }

  /// The bytes of all entries in memory, including metadata.
  package var byteCount: Int { entries.withLock(\.byteCount) }

  /// The entry stored under `key`, from memory or the store behind it, or `nil`.
  package func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  /// The entry stored under `key`, or the reason for the miss. Reading counts as use where the entry is found.
  package func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    let (now, removalCount) = (now, removalCount(of: key))
    let copy = update { $0.read(key, removalCount: removalCount, at: now, discarded: &$1) }
    guard case .miss = copy else {
      for disk in disks { disk.recordUse(of: key) }
      return copy
    }
    let result = try await lookUpInBase(key) ?? copy
    return result.miss == .absent && self.copy(of: key.ofPartialBody) != nil ? .miss(.partial) : result
  }

  private func lookUpInBase(_ key: CacheKey) async throws -> CacheResult<StoredEntry>? {
    guard let base else { return nil }
    return try await operate(on: key) {
      let result = try await base.lookUp(key)
      return (result, result.value)
    }
  }

  /// Whether an entry is stored under `key`, in memory or the store behind it. Does not count as use.
  package func containsEntry(for key: CacheKey) async throws -> Bool {
    if copy(of: key) != nil { return true }
    return try await base?.containsEntry(for: key) ?? false
  }

  /// The metadata of the entry stored under `key`, or `nil`. Does not count as use.
  package func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    if let copy = copy(of: key) { return copy.metadata }
    return try await base?.metadata(for: key)
  }

  /// Stores an entry in the store behind, then in memory.
  ///
  /// An entry too large for memory is not an error.
  ///
  /// - Throws: The error of the store behind; the entry is in memory even then, for a minute.
  package func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    remove(key)
    defer { writeCount.add(1) }
    try await operate(on: key, unstored: entry) {
      try await base?.store(entry, for: key)
      return ((), entry)
    }
  }

  /// Replaces the metadata of an entry, in the store behind and in memory.
  ///
  /// - Returns: Whether there is an entry.
  @discardableResult
  package func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    guard let base else {
      let (now, removalCount) = (now, removalCount(of: key))
      return update { $0.update(metadata, for: key, removalCount: removalCount, at: now, discarded: &$1) }
    }
    // The store behind may lack an entry that it failed to store.
    var unstored = copy(of: key)
    unstored?.metadata = metadata
    remove(key)
    return try await operate(on: key, unstored: unstored) {
      (try await base.updateMetadata(metadata, for: key), nil)
    }
  }

  /// Pins or unpins an entry in the store behind; its copy in memory can still be evicted.
  ///
  /// - Returns: Whether there is an entry that can be pinned.
  @discardableResult
  package func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await base?.setPinned(isPinned, for: key) ?? false
  }

  /// Removes the entry stored under `key`, in memory and the store behind.
  package func removeEntry(for key: CacheKey) async throws {
    remove(key)
    try await operate(on: key) { (try await base?.removeEntry(for: key), nil) }
  }

  /// Removes all entries, in memory and the store behind.
  package func removeAll() async throws {
    try await removals.recordAll {
      try await exclusively {
        trim(to: 0)
        try await base?.removeAll()
      }
    }
  }

  /// Removes the entries of a source, in memory and the store behind.
  @discardableResult
  package func removeEntries(ofSource source: String) async throws -> Int {
    removals.record(source: source)
    defer { removals.record(source: source) }
    return try await exclusively {
      let count = removeCopies(ofSource: source)
      guard let base else { return count }
      return try await base.removeEntries(ofSource: source)
    }
  }

  package func removeReplaced(ofSource source: String, except key: CacheKey?) async throws {
    try await exclusively {
      // The store behind may remove the one under the key, too.
      _ = removeCopies(ofSource: source, except: base == nil ? key : nil)
      try await base?.removeReplacedEntries(ofSource: source, except: key)
    }
  }

  /// Runs a removal of several entries; the results of operations that overlap are not stored in memory.
  private func exclusively<Result>(_ removal: () async throws -> Result) async rethrows -> Result {
    entries.withLock { $0.pendingWrites.beginAll() }
    defer { entries.withLock { $0.pendingWrites.endAll() } }
    return try await removal()
  }

  private func removeCopies(ofSource source: String, except key: CacheKey? = nil) -> Int {
    update { $0.removeAll(where: { other, _ in other != key && other.isOf(source: source) }, discarded: &$1) }
  }

  /// Removes the copy of an entry, also of one that the store behind failed to store.
  package func removeCopy(of key: CacheKey) { remove(key) }

  /// Removes the entries in memory that have a tag.
  ///
  /// - Returns: Their number.
  package func removeCopies(taggedWith tag: String) -> Int {
    update { $0.removeAll(where: { $1.tags.contains(tag) }, discarded: &$1) }
  }

  /// Evicts entries until at most `byteCount` bytes are left in memory. The limit does not change.
  package func trim(to byteCount: Int) {
    update { $0.trim(to: byteCount, discarded: &$1) }
  }

  /// The number of the last removal of a key from the store behind.
  private func removalCount(of key: CacheKey) -> UInt64 { baseRemovals.reduce(0) { $0 + $1.last(of: key) } }

  /// The entry in memory, if it is served. Does not count as use.
  private func copy(of key: CacheKey) -> StoredEntry? {
    let (now, removalCount) = (now, removalCount(of: key))
    return entries.withLock { $0.peek(key, removalCount: removalCount, at: now) }
  }

  private var now: Timestamp { Timestamp(uptime: time.uptime().clampedNanoseconds, date: time.now()) }

  /// Runs an operation on an entry in the store behind, and stores its result in memory unless another operation on the
  /// key overlapped.
  ///
  /// - Parameter unstored: The entry to keep in memory for a while if the store behind fails.
  private func operate<Value>(
    on key: CacheKey, unstored: StoredEntry? = nil, _ body: () async throws -> (value: Value, entry: StoredEntry?)
  ) async throws -> Value {
    entries.withLock { $0.pendingWrites.begin(key) }
    let removalCount = removalCount(of: key)
    do {
      let result = try await body()
      end(key, storing: result.entry, removalCount: removalCount)
      return result.value
    } catch {
      let entry = error is CancellationError ? nil : unstored
      end(key, storing: entry, removalCount: removalCount, maximum: Self.unstoredExpiration)
      throw error
    }
  }

  private func end(
    _ key: CacheKey, storing entry: StoredEntry?, removalCount: UInt64, maximum: CacheExpiration? = nil
  ) {
    let (own, date, maximum) = (entry?.metadata.expiration ?? expiration, time.now(), maximum ?? expiration)
    // A copy is read anew now and then, and expires no later than its original.
    let isOwn = base == nil || own.end(from: date) < maximum.end(from: date)
    let (lifetime, now) = (Lifetime(isOwn ? own : maximum), now)
    update { entries, discarded in
      guard entries.pendingWrites.end(key), let entry else { return }
      entries.store(entry, for: key, lifetime, removalCount: removalCount, at: now, discarded: &discarded)
    }
  }

  private func remove(_ key: CacheKey) {
    update { $0.remove(key, discarded: &$1) }
  }

  /// Runs `body` under the lock, then frees discarded entries without it.
  private func update<Result>(_ body: (inout EntryTable, inout [StoredEntry]) -> Result) -> Result {
    var discarded: [StoredEntry] = []
    defer { withExtendedLifetime(discarded) {} }
    return entries.withLock { body(&$0, &discarded) }
  }
}

/// Entries in the order of their last use, limited by bytes.
private struct EntryTable: Sendable {
  struct Slot: Sendable {
    var entry: StoredEntry
    let lifetime: Lifetime
    /// The removals of the key from the store behind, when the entry was read there.
    let removalCount: UInt64
    var deadline: Deadline

    func isServed(_ removalCount: UInt64, at now: Timestamp) -> Bool {
      self.removalCount == removalCount && deadline.hasPassed(at: now) == false
    }
  }

  /// Operations in progress in the store behind.
  var pendingWrites = PendingWrites()
  private(set) var byteLimit: Int
  private var slots = LRUMap<CacheKey, Slot>()

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var byteCount: Int { slots.cost }

  /// The entry under `key`. Counts as use; an entry that is not served any more is removed.
  mutating func read(
    _ key: CacheKey, removalCount: UInt64, at now: Timestamp, discarded: inout [StoredEntry]
  ) -> CacheResult<StoredEntry> {
    guard var slot = slots.use(key) else { return .miss(.absent) }
    guard slot.isServed(removalCount, at: now) else {
      remove(key, discarded: &discarded)
      return .miss(.expired)
    }
    slot.deadline = slot.deadline.renewed(slot.lifetime, from: now.uptime)
    slots[key] = slot
    return .hit(slot.entry)
  }

  /// The entry under `key` if it is served. Does not count as use.
  func peek(_ key: CacheKey, removalCount: UInt64, at now: Timestamp) -> StoredEntry? {
    slots[key].flatMap { $0.isServed(removalCount, at: now) ? $0.entry : nil }
  }

  /// Stores an entry if it fits the limit, and removes an older one in any case.
  mutating func store(
    _ entry: StoredEntry, for key: CacheKey, _ lifetime: Lifetime, removalCount: UInt64, at now: Timestamp,
    discarded: inout [StoredEntry]
  ) {
    remove(key, discarded: &discarded)
    let slot = Slot(
      entry: entry, lifetime: lifetime, removalCount: removalCount, deadline: Deadline(lifetime, from: now.uptime))
    let byteCount = Self.byteCount(of: entry, key)
    guard byteCount <= byteLimit, slot.deadline.hasPassed(at: now) == false else { return }
    trim(to: byteLimit - byteCount, discarded: &discarded)
    _ = slots.insert(slot, for: key, cost: byteCount)
  }

  /// Replaces the metadata of an entry; returns whether there is one.
  mutating func update(
    _ metadata: EntryMetadata, for key: CacheKey, removalCount: UInt64, at now: Timestamp,
    discarded: inout [StoredEntry]
  ) -> Bool {
    guard var slot = slots[key], slot.isServed(removalCount, at: now) else { return false }
    slot.entry.metadata = metadata
    store(
      slot.entry, for: key, metadata.expiration.map(Lifetime.init) ?? slot.lifetime, removalCount: removalCount,
      at: now, discarded: &discarded)
    return true
  }

  mutating func remove(_ key: CacheKey, discarded: inout [StoredEntry]) {
    if let slot = slots.remove(key) { discarded.append(slot.entry) }
  }

  mutating func removeAll(
    where isRemoved: (CacheKey, EntryMetadata) -> Bool, discarded: inout [StoredEntry]
  ) -> Int {
    let keys = slots.keys.filter { key in slots[key].map { isRemoved(key, $0.entry.metadata) } ?? false }
    for key in keys { remove(key, discarded: &discarded) }
    return keys.count
  }

  mutating func setByteLimit(_ limit: Int, discarded: inout [StoredEntry]) {
    byteLimit = limit
    trim(to: limit, discarded: &discarded)
  }

  /// Evicts the least recently used entries until at most `limit` bytes are left.
  mutating func trim(to limit: Int, discarded: inout [StoredEntry]) {
    while byteCount > limit, let slot = slots.removeFirst() { discarded.append(slot.entry) }
  }

  /// The approximate memory of an entry.
  private static func byteCount(of entry: StoredEntry, _ key: CacheKey) -> Int {
    let headers = entry.metadata.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    return entry.body.count + key.text.utf8.count + headers + (entry.metadata.userInfo?.count ?? 0) + 512
  }
}

/// The keys with operations in progress in the store behind. The results of operations on one key that overlap are not
/// stored in memory, because their order is unknown.
private struct PendingWrites: Sendable {
  private struct Operations: Sendable {
    var count = 1
    var isExclusive: Bool
  }

  private var operations: [CacheKey: Operations] = [:]
  /// The number of operations in progress on all keys at once.
  private var allCount = 0

  mutating func begin(_ key: CacheKey) {
    guard let current = operations[key] else {
      operations[key] = Operations(isExclusive: allCount == 0)
      return
    }
    operations[key] = Operations(count: current.count + 1, isExclusive: false)
  }

  /// Ends an operation; returns whether no other one on the key overlapped.
  mutating func end(_ key: CacheKey) -> Bool {
    guard let current = operations[key] else { return false }
    operations[key] = current.count == 1 ? nil : Operations(count: current.count - 1, isExclusive: false)
    return current.isExclusive
  }

  mutating func beginAll() {
    allCount += 1
    for key in operations.keys { operations[key]?.isExclusive = false }
  }

  mutating func endAll() { allCount -= 1 }
}
