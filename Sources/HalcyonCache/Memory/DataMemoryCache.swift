public import HalcyonSupport
import HalcyonHTTP
import Foundation

/// Encoded images in memory, the least recently used evicted first: in front of another store, whose entries are then
/// read once, or by itself, for a process without a disk.
///
/// ```swift
/// let store = DataMemoryCache(byteLimit: 32 << 20, over: DiskCache())
/// let cache = ImageCache(store: store)
/// ```
///
/// A decoded image takes ten times the memory, and is there at once; this is for many images of which each is shown at
/// several sizes. What is stored goes to the other store first. What another process changes there is seen here when the
/// copy has expired; reading the copy counts as no use there.
///
/// Safe from any thread; what memory has is given at once.
public final class DataMemoryCache: DataStore {
  /// The store behind; `nil` where there is none.
  public let base: (any DataStore)?

  private let expiration: CacheExpiration
  private let time: any TimeSource
  private let shelf: Lock<LRUDictionary>

  /// Creates an empty cache.
  ///
  /// - Parameters:
  ///   - byteLimit: The most bytes to hold, those of metadata included; a larger entry is left to `base`. Default: 32 MiB.
  ///   - expiration: When an entry without an expiration of its own stops being served, and a copy of one in `base` with
  ///     a longer life. Default: 5 minutes after it was last read.
  ///   - base: The store behind. Default: `nil`, entries are gone with the process.
  ///   - time: Clocks for the expiration.
  public init(
    byteLimit: Int = 32 << 20, expiration: CacheExpiration = .minutes(5), over base: (any DataStore)? = nil,
    time: any TimeSource = SystemTime()
  ) {
    self.base = base
    self.expiration = expiration
    self.time = time
    shelf = Lock(LRUDictionary(byteLimit: byteLimit))
  }

  /// The most bytes to hold. A lower limit evicts before the setter returns.
  public var byteLimit: Int {
    get { shelf.withLock(\.byteLimit) }
    set { change { $0.setByteLimit(newValue, leaving: &$1) } }
  }

  /// Bytes that are held.
  public var byteCount: Int { shelf.withLock(\.byteCount) }

  /// Entries that are held in memory.
  public var count: Int { shelf.withLock(\.count) }

  /// The entry stored under a key, from memory or from the store behind.
  public func entry(for key: CacheKey) async throws -> StoredEntry? {
    try await lookUp(key, extending: .renewed).value
  }

  /// The entry stored under a key, or why there is none; `extending` says what reading does to its life, where it is.
  public func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    let moment = moment
    let own = change { $0.read(key, extending: extending, at: moment, leaving: &$1) }
    guard case .miss = own, let base else { return own }
    return try await working(on: key) {
      let answer = try await base.lookUp(key, extending: extending)
      return (answer, answer.value)
    }
  }

  /// Whether memory or the store behind has an entry.
  public func containsEntry(for key: CacheKey) async throws -> Bool {
    let moment = moment
    if shelf.withLock({ $0.peek(key, at: moment) != nil }) { return true }
    return try await base?.containsEntry(for: key) ?? false
  }

  /// What is known about an entry.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    let moment = moment
    if let entry = shelf.withLock({ $0.peek(key, at: moment) }) { return entry.metadata }
    return try await base?.metadata(for: key)
  }

  /// Keeps an entry in the store behind, and then in memory. An entry that memory has no room for is not an error.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    drop(key)
    try await working(on: key) {
      try await base?.store(entry, for: key)
      return ((), entry)
    }
  }

  /// Changes what is known about an entry in the store behind, and in memory.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    let moment = moment
    guard let base else { return change { $0.update(metadata, for: key, at: moment, leaving: &$1) } }
    drop(key)
    return try await working(on: key) { (try await base.updateMetadata(metadata, for: key), nil) }
  }

  /// Pins an entry in the store behind; memory evicts all the same.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    try await base?.setPinned(isPinned, for: key) ?? false
  }

  /// Forgets one entry, here and in the store behind.
  public func removeEntry(for key: CacheKey) async throws {
    drop(key)
    try await working(on: key) { (try await base?.removeEntry(for: key), nil) }
  }

  /// Forgets all entries, here and in the store behind.
  public func removeAll() async throws {
    shelf.withLock { $0.work.beginWhole() }
    defer { shelf.withLock { $0.work.endWhole() } }
    trim(to: 0)
    try await base?.removeAll()
  }

  /// Evicts until no more than so many bytes are held in memory. The limit stays what it is.
  public func trim(to byteCount: Int) {
    change { $0.trim(to: byteCount, leaving: &$1) }
  }

  private var moment: Timestamp { Timestamp(uptime: time.uptime().clampedNanoseconds, date: time.now()) }

  /// Does something with an entry in the store behind, and keeps what it gives unless others did something meanwhile.
  private func working<Value>(
    on key: CacheKey, _ body: () async throws -> (value: Value, entry: StoredEntry?)
  ) async throws -> Value {
    shelf.withLock { $0.work.begin(key) }
    do {
      let outcome = try await body()
      end(key, keeping: outcome.entry)
      return outcome.value
    } catch {
      end(key, keeping: nil)
      throw error
    }
  }

  private func end(_ key: CacheKey, keeping entry: StoredEntry?) {
    let own = entry?.metadata.expiration ?? expiration
    let now = time.now()
    // A copy is to be asked for anew now and then, and has no longer life than what it is a copy of.
    let isOwn = base == nil || own.end(from: now) < expiration.end(from: now)
    let (lifetime, moment) = (Lifetime(isOwn ? own : expiration), moment)
    change { shelf, leaving in
      guard shelf.work.end(key), let entry else { return }
      shelf.keep(entry, for: key, lifetime, at: moment, leaving: &leaving)
    }
  }

  private func drop(_ key: CacheKey) {
    change { $0.drop(key, leaving: &$1) }
  }

  /// Runs `body` under the lock, and frees what leaves after it.
  private func change<Result>(_ body: (inout LRUDictionary, inout [StoredEntry]) -> Result) -> Result {
    var leaving: [StoredEntry] = []
    defer { withExtendedLifetime(leaving) {} }
    return shelf.withLock { body(&$0, &leaving) }
  }
}

/// Entries in the order of their use, limited in bytes.
private struct LRUDictionary: Sendable {
  private struct Slot: Sendable {
    let key: CacheKey
    var entry: StoredEntry
    var byteCount: Int
    let lifetime: Lifetime
    var deadline: Deadline
  }

  /// What is being done with entries in the store behind.
  var work = PendingWrites()
  private(set) var byteLimit: Int
  private(set) var byteCount = 0
  private var places: [CacheKey: Int] = [:]
  private var slots: [Slot?] = []
  private var order = LinkedLists(listCount: 1)
  private var pool = FreeList()

  init(byteLimit: Int) { self.byteLimit = byteLimit }

  var count: Int { places.count }

  /// The entry under a key, which counts as use; an expired one goes.
  mutating func read(
    _ key: CacheKey, extending: ExpirationExtension, at moment: Timestamp, leaving: inout [StoredEntry]
  ) -> CacheResult<StoredEntry> {
    guard let place = places[key], let slot = slots[place] else { return .miss(.absent) }
    guard slot.deadline.hasPassed(at: moment) == false else {
      drop(key, leaving: &leaving)
      return .miss(.expired)
    }
    slots[place]?.deadline = slot.deadline.extended(extending, lifetime: slot.lifetime, from: moment.uptime)
    order.prepend(place, to: 0)
    return .hit(slot.entry)
  }

  /// The entry under a key, unless it is expired; that counts for nothing.
  func peek(_ key: CacheKey, at moment: Timestamp) -> StoredEntry? {
    guard let place = places[key], let slot = slots[place], slot.deadline.hasPassed(at: moment) == false else {
      return nil
    }
    return slot.entry
  }

  /// Keeps an entry in the place of the one before, if there is room for it.
  mutating func keep(
    _ entry: StoredEntry, for key: CacheKey, _ lifetime: Lifetime, at moment: Timestamp, leaving: inout [StoredEntry]
  ) {
    drop(key, leaving: &leaving)
    let slot = Slot(
      key: key, entry: entry, byteCount: Self.byteCount(of: entry, key), lifetime: lifetime,
      deadline: Deadline(lifetime, from: moment.uptime))
    guard slot.byteCount <= byteLimit, slot.deadline.hasPassed(at: moment) == false else { return }
    trim(to: byteLimit - slot.byteCount, leaving: &leaving)
    let place = pool.take()
    if place < slots.count { slots[place] = slot } else { slots.append(slot) }
    places[key] = place
    byteCount += slot.byteCount
    order.prepend(place, to: 0)
  }

  /// Changes what is known about an entry; returns whether there is one.
  mutating func update(
    _ metadata: EntryMetadata, for key: CacheKey, at moment: Timestamp, leaving: inout [StoredEntry]
  ) -> Bool {
    guard var entry = peek(key, at: moment), let lifetime = places[key].flatMap({ slots[$0] })?.lifetime else {
      return false
    }
    entry.metadata = metadata
    keep(entry, for: key, metadata.expiration.map(Lifetime.init) ?? lifetime, at: moment, leaving: &leaving)
    return true
  }

  mutating func drop(_ key: CacheKey, leaving: inout [StoredEntry]) {
    guard let place = places.removeValue(forKey: key), let slot = slots[place] else { return }
    slots[place] = nil
    order.remove(place)
    pool.giveBack(place)
    byteCount -= slot.byteCount
    leaving.append(slot.entry)
  }

  mutating func setByteLimit(_ limit: Int, leaving: inout [StoredEntry]) {
    byteLimit = limit
    trim(to: limit, leaving: &leaving)
  }

  /// Evicts the least recently used until no more than so many bytes are left.
  mutating func trim(to limit: Int, leaving: inout [StoredEntry]) {
    while byteCount > limit, let place = order.last(of: 0), let slot = slots[place] {
      drop(slot.key, leaving: &leaving)
    }
  }

  /// About the memory that an entry takes.
  private static func byteCount(of entry: StoredEntry, _ key: CacheKey) -> Int {
    let headers = entry.metadata.headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    return entry.body.count + key.text.utf8.count + headers + (entry.metadata.userInfo?.count ?? 0) + 512
  }
}

/// Which keys are worked on, so that the outcome of work that overlapped with other work on its key is not kept: nobody
/// could say which of them came last.
private struct PendingWrites: Sendable {
  private struct Work: Sendable {
    var count = 1
    var isAlone: Bool
  }

  private var works: [CacheKey: Work] = [:]
  /// Work on all keys at once.
  private var wholeCount = 0

  mutating func begin(_ key: CacheKey) {
    guard let work = works[key] else {
      works[key] = Work(isAlone: wholeCount == 0)
      return
    }
    works[key] = Work(count: work.count + 1, isAlone: false)
  }

  /// Ends what was begun; returns whether nothing else was done with the key meanwhile.
  mutating func end(_ key: CacheKey) -> Bool {
    guard let work = works[key] else { return false }
    works[key] = work.count == 1 ? nil : Work(count: work.count - 1, isAlone: false)
    return work.isAlone
  }

  mutating func beginWhole() {
    wholeCount += 1
    for key in works.keys { works[key]?.isAlone = false }
  }

  mutating func endWhole() { wholeCount -= 1 }
}
