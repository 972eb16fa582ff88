public import HalcyonSupport

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
