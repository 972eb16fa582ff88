public import HalcyonSupport
import HalcyonHTTP
import Foundation

/// Encoded images in memory, the least recently used evicted first.
///
/// In front of another store, it saves repeated reads; without one, it serves a process without a disk.
///
/// ```swift
/// let store = DataMemoryCache(byteLimit: 32 << 20, over: DiskCache())
/// let cache = ImageCache(store: store)
/// ```
///
/// A decoded image takes about ten times the memory but needs no decoding; this cache is for many images of which each
/// is shown at several sizes. Writes go to the other store first. Changes made there by another process become visible
/// when the copy in memory has expired; reading the copy does not count as use there.
///
/// Safe from any thread; entries in memory are returned without suspending.
public final class DataMemoryCache: DataStore {
  /// The store behind this cache, or `nil`.
  public let base: (any DataStore)?

  let removals = RemovalHistory()
  private let expiration: CacheExpiration
  private let time: any TimeSource
  private let entries: Lock<LRUDictionary>

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: The maximum bytes in memory, including metadata; a larger entry is only stored in `base`.
  ///     Default: 32 MiB.
  ///   - expiration: When an entry without an expiration of its own stops being served, and the maximum for a copy of an
  ///     entry in `base`. Default: 5 minutes after its last use.
  ///   - base: The store behind this cache. Default: `nil`, entries end with the process.
  ///   - time: The clocks for the expiration. Default: the system's.
  public init(
    byteLimit: Int = 32 << 20, expiration: CacheExpiration = .minutes(5), over base: (any DataStore)? = nil,
    time: any TimeSource = SystemTime()
  ) {
    self.base = base
    self.expiration = expiration
    self.time = time
    entries = Lock(LRUDictionary(byteLimit: byteLimit))
  }

  /// The maximum bytes in memory. A lower limit evicts before the setter returns.
  public var byteLimit: Int {
    get { entries.withLock(\.byteLimit) }
    set { update { $0.setByteLimit(newValue, discarded: &$1) } }
  }

  /// The bytes of all entries in memory, including metadata.
  public var byteCount: Int { entries.withLock(\.byteCount) }

  /// The number of entries in memory.
  public var count: Int { entries.withLock(\.count) }

  /// The entry stored under `key`, from memory or the store behind it, or `nil`.
  public func entry(for key: CacheKey) async throws -> StoredEntry? {
    try await lookUp(key, extending: .renewed).value
  }

  /// The entry stored under `key`, or the reason for the miss.
  ///
  /// Reading counts as use where the entry is found; `extending` is its effect on the expiration there.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    let now = now
    let copy = update { $0.read(key, extending: extending, at: now, discarded: &$1) }
    guard case .miss = copy, let base else { return copy }
    return try await operate(on: key) {
      let result = try await base.lookUp(key, extending: extending)
      return (result, result.value)
    }
  }

  /// Whether an entry is stored under `key`, in memory or the store behind it. Does not count as use.
  public func containsEntry(for key: CacheKey) async throws -> Bool {
    let now = now
    if entries.withLock({ $0.peek(key, at: now) != nil }) { return true }
    return try await base?.containsEntry(for: key) ?? false
  }

  /// The metadata of the entry stored under `key`, or `nil`. Does not count as use.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    let now = now
    if let entry = entries.withLock({ $0.peek(key, at: now) }) { return entry.metadata }
    return try await base?.metadata(for: key)
  }

  /// Stores an entry in the store behind, then in memory.
  ///
  /// An entry too large for memory is not an error.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    remove(key)
    try await operate(on: key) {
      try await base?.store(entry, for: key)
      return ((), entry)
    }
  }

  /// Replaces the metadata of an entry, in the store behind and in memory.
  ///
  /// - Returns: Whether there is an entry.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    let now = now
    guard let base else { return update { $0.update(metadata, for: key, at: now, discarded: &$1) } }
    remove(key)
    return try await operate(on: key) { (try await base.updateMetadata(metadata, for: key), nil) }
  }

  /// Pins or unpins an entry in the store behind; its copy in memory can still be evicted.
  ///
  /// - Returns: Whether there is an entry that can be pinned.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await base?.setPinned(isPinned, for: key) ?? false
  }

  /// Removes the entry stored under `key`, in memory and the store behind.
  public func removeEntry(for key: CacheKey) async throws {
    remove(key)
    try await operate(on: key) { (try await base?.removeEntry(for: key), nil) }
  }

  /// Removes all entries, in memory and the store behind.
  public func removeAll() async throws {
    entries.withLock { $0.pendingWrites.beginAll() }
    defer { entries.withLock { $0.pendingWrites.endAll() } }
    try await removals.recordAll {
      trim(to: 0)
      try await base?.removeAll()
    }
  }

  /// Evicts entries until at most `byteCount` bytes are left in memory. The limit does not change.
  public func trim(to byteCount: Int) {
    update { $0.trim(to: byteCount, discarded: &$1) }
  }

  private var now: Timestamp { Timestamp(uptime: time.uptime().clampedNanoseconds, date: time.now()) }

  /// Runs an operation on an entry in the store behind, and stores its result in memory unless another operation on the
  /// key overlapped.
  private func operate<Value>(
    on key: CacheKey, _ body: () async throws -> (value: Value, entry: StoredEntry?)
  ) async throws -> Value {
    entries.withLock { $0.pendingWrites.begin(key) }
    do {
      let result = try await body()
      end(key, storing: result.entry)
      return result.value
    } catch {
      end(key, storing: nil)
      throw error
    }
  }

  private func end(_ key: CacheKey, storing entry: StoredEntry?) {
    let own = entry?.metadata.expiration ?? expiration
    let date = time.now()
    // A copy is read anew now and then, and expires no later than its original.
    let isOwn = base == nil || own.end(from: date) < expiration.end(from: date)
    let (lifetime, now) = (Lifetime(isOwn ? own : expiration), now)
    update { entries, discarded in
      guard entries.pendingWrites.end(key), let entry else { return }
      entries.store(entry, for: key, lifetime, at: now, discarded: &discarded)
    }
  }

  private func remove(_ key: CacheKey) {
    update { $0.remove(key, discarded: &$1) }
  }

  /// Runs `body` under the lock, then frees discarded entries without it.
  private func update<Result>(_ body: (inout LRUDictionary, inout [StoredEntry]) -> Result) -> Result {
    var discarded: [StoredEntry] = []
    defer { withExtendedLifetime(discarded) {} }
    return entries.withLock { body(&$0, &discarded) }
  }
}

/// Entries in the order of their last use, limited by bytes.
private struct LRUDictionary: Sendable {
  private struct Slot: Sendable {
    let key: CacheKey
    var entry: StoredEntry
    var byteCount: Int
    let lifetime: Lifetime
    var deadline: Deadline
  }

  /// Operations in progress in the store behind.
  var pendingWrites = PendingWrites()
  private(set) var byteLimit: Int
  private(set) var byteCount = 0
  private var indices: [CacheKey: Int] = [:]
  private var slots: [Slot?] = []
  private var order = LinkedLists(listCount: 1)
  private var freeSlots = FreeList()

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var count: Int { indices.count }

  /// The entry under `key`. Counts as use; an expired entry is removed.
  mutating func read(
    _ key: CacheKey, extending: ExpirationExtension, at now: Timestamp, discarded: inout [StoredEntry]
  ) -> CacheResult<StoredEntry> {
    guard let index = indices[key], let slot = slots[index] else { return .miss(.absent) }
    guard slot.deadline.hasPassed(at: now) == false else {
      remove(key, discarded: &discarded)
      return .miss(.expired)
    }
    slots[index]?.deadline = slot.deadline.extended(extending, lifetime: slot.lifetime, from: now.uptime)
    order.prepend(index, to: 0)
    return .hit(slot.entry)
  }

  /// The entry under `key` if it is not expired. Does not count as use.
  func peek(_ key: CacheKey, at now: Timestamp) -> StoredEntry? {
    guard let index = indices[key], let slot = slots[index], slot.deadline.hasPassed(at: now) == false else {
      return nil
    }
    return slot.entry
  }

  /// Stores an entry if it fits the limit, and removes an older one in any case.
  mutating func store(
    _ entry: StoredEntry, for key: CacheKey, _ lifetime: Lifetime, at now: Timestamp, discarded: inout [StoredEntry]
  ) {
    remove(key, discarded: &discarded)
    let slot = Slot(
      key: key, entry: entry, byteCount: Self.byteCount(of: entry, key), lifetime: lifetime,
      deadline: Deadline(lifetime, from: now.uptime))
    guard slot.byteCount <= byteLimit, slot.deadline.hasPassed(at: now) == false else { return }
    trim(to: byteLimit - slot.byteCount, discarded: &discarded)
    let index = freeSlots.allocate()
    if index < slots.count { slots[index] = slot } else { slots.append(slot) }
    indices[key] = index
    byteCount += slot.byteCount
    order.prepend(index, to: 0)
  }

  /// Replaces the metadata of an entry; returns whether there is one.
  mutating func update(
    _ metadata: EntryMetadata, for key: CacheKey, at now: Timestamp, discarded: inout [StoredEntry]
  ) -> Bool {
    guard var entry = peek(key, at: now), let lifetime = indices[key].flatMap({ slots[$0] })?.lifetime else {
      return false
    }
    entry.metadata = metadata
    store(entry, for: key, metadata.expiration.map(Lifetime.init) ?? lifetime, at: now, discarded: &discarded)
    return true
  }

  mutating func remove(_ key: CacheKey, discarded: inout [StoredEntry]) {
    guard let index = indices.removeValue(forKey: key), let slot = slots[index] else { return }
    slots[index] = nil
    order.remove(index)
    freeSlots.free(index)
    byteCount -= slot.byteCount
    discarded.append(slot.entry)
  }

  mutating func setByteLimit(_ limit: Int, discarded: inout [StoredEntry]) {
    byteLimit = limit
    trim(to: limit, discarded: &discarded)
  }

  /// Evicts the least recently used entries until at most `limit` bytes are left.
  mutating func trim(to limit: Int, discarded: inout [StoredEntry]) {
    while byteCount > limit, let index = order.last(of: 0), let slot = slots[index] {
      remove(slot.key, discarded: &discarded)
    }
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
