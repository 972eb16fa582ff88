public import HalcyonCache
public import HalcyonSupport

/// A store made of tiers, from the nearest to the farthest: the local disk, servers that several machines share, storage
/// for good.
///
/// ```swift
/// let tiers = TieredStore([
///   TieredStore.Tier(name: "disk", store: DiskCache()),
///   TieredStore.Tier(name: "shared", store: store, budget: .milliseconds(500), changeBudget: .seconds(5)),
/// ])
/// ```
///
/// Entries are read from the first tier that has them and copied to the working tiers before it. A new entry is stored
/// in all tiers.
///
/// A failing tier costs a read at most its budget. After some failures in a row it is skipped, until a trial call
/// succeeds. An entry whose change has not reached a tier is no longer read from there by this process (up to 100,000
/// of them), so that an older one does not come back; another process may still find it there, as long as it has none
/// in an earlier tier.
///
/// Safe from any thread.
public final class TieredStore: SourcePurgingStore, CompositeStore, MissReportingStore, ReplacingStore {
  /// A store with a name and a time budget.
  public struct Tier: Sendable {
    /// The name in statistics and traces.
    public var name: String
    /// The store.
    public var store: any DataStore
    /// The longest wait for a read; `nil` is without limit, and the tier is never skipped. Default: `nil`.
    public var budget: Duration?
    /// The longest wait for a change; `nil` is ``budget``.
    public var changeBudget: Duration?
    /// The failures in a row after which the tier is skipped, and reported as failing. Default: 3.
    public var failureLimit = 3
    /// How long the tier is skipped then; doubled up to 32 times while it fails. Default: 1 second.
    public var retryInterval = Duration.seconds(1)

    /// Creates a tier.
    public init(name: String, store: any DataStore, budget: Duration? = nil, changeBudget: Duration? = nil) {
      self.name = name
      self.store = store
      self.budget = budget
      self.changeBudget = changeBudget
    }
  }

  /// The tiers, the nearest first.
  public var tiers: [Tier] { states.map(\.tier) }

  package var stores: [any DataStore] { states.map(\.tier.store) }

  let states: [TierState]
  package let removals = RemovalHistory()
  private let reads = OverlappingReads()

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - tiers: The tiers, the nearest first; at least one, with different names.
  ///   - time: The clock of budgets and retries.
  ///   - onHealthChange: Called when a tier begins to fail, after ``Tier/failureLimit`` failures in a row of reads or of
  ///     changes, and when both work again; once each. Called synchronously on the thread of the event, without locks held.
  ///     Default: `nil`.
  public init(
    _ tiers: [Tier], time: any TimeSource = SystemTime(),
    onHealthChange: (@Sendable (TierHealthChange) -> Void)? = nil
  ) {
    precondition(!tiers.isEmpty, "a tiered store needs at least one tier")
    precondition(Set(tiers.map(\.name)).count == tiers.count, "tiers need different names, got \(tiers.map(\.name))")
    states = tiers.map { TierState($0, time: time, onHealthChange: onHealthChange) }
    TierTrace.begin()
  }

  /// The counters of the tiers, in their order, since the creation of the store.
  public var statistics: [TierStatistics] { states.map(\.statistics) }

  /// The entry in the first tier that contains it, or `nil`.
  ///
  /// - Throws: The error of the last tier, if all fail.
  public func entry(for key: CacheKey) async throws -> StoredEntry? { try await lookUp(key).value }

  /// The entry in the first tier that contains it, or the reason of the miss in the first; partial, if any tier has the
  /// beginning of the entry.
  ///
  /// - Throws: The error of the last tier, if all fail.
  package func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    let read = reads.begin(key)
    defer { reads.end(key) }
    var firstMiss: CacheMiss?
    var misses: [TierState] = []
    let found = try await first(key) { state -> (entry: StoredEntry, tier: TierState)? in
      switch try await state.lookUp(key) {
      case .hit(let entry): return (entry, state)
      case .miss(let miss):
        firstMiss = miss == .partial ? miss : firstMiss ?? miss
        misses.append(state)
        return nil
      }
    }
    guard let found else { return .miss(firstMiss ?? .absent) }
    TierTrace.record(found.tier.tier.name)
    // Not to tiers that have failed, which would cost their budget once more.
    await copy(found.entry, for: key, to: misses, read)
    return .hit(found.entry)
  }

  /// Whether any tier contains an entry for the key.
  public func containsEntry(for key: CacheKey) async throws -> Bool {
    let isFound = try await first(key) { state -> Bool? in
      try await state.read { try await $0.containsEntry(for: key) } ? true : nil
    }
    return isFound != nil
  }

  /// The metadata of the entry in the first tier that contains it.
  public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
    try await first(key) { state in try await state.read { try await $0.metadata(for: key) } }
  }

  /// Stores an entry in all tiers: in the first one, then in the others at once.
  ///
  /// - Throws: The error of the first tier. Errors of the others are counted.
  public func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await change(key) { state in try await state.store(entry, for: key) }
  }

  /// Replaces the metadata of an entry in all tiers that contain it.
  ///
  /// - Throws: The error of the first tier. Errors of the others are counted.
  @discardableResult
  public func updateMetadata(_ metadata: EntryMetadata, for key: CacheKey) async throws -> Bool {
    let isUpdated = Lock(false)
    try await change(key) { state in
      let isFound = try await state.change { try await $0.updateMetadata(metadata, for: key) }
      if isFound { isUpdated.withLock { $0 = true } }
    }
    return isUpdated.withLock { $0 }
  }

  /// Pins or unpins an entry in the tiers that support it.
  @discardableResult
  public func setPinned(_ isPinned: Bool, for key: CacheKey) async throws -> Bool {
    var (isFound, failure): (Bool, (any Error)?) = (false, nil)
    for state in states where state.canStore(key) {
      do {
        if try await state.change({ try await $0.setPinned(isPinned, for: key) }) { isFound = true }
      } catch { failure = failure ?? error }
    }
    if !isFound, let failure { throw failure }
    return isFound
  }

  /// Removes one entry from all tiers.
  ///
  /// - Throws: The error of the nearest tier that failed, after all were tried.
  public func removeEntry(for key: CacheKey) async throws {
    reads.beginChange(key)
    defer { reads.endChange(key) }
    try await remove { state in if state.canStore(key) { try await state.removeEntry(for: key) } }
  }

  /// Removes all entries from all tiers, without their budgets. Loads in flight do not store them again.
  ///
  /// - Throws: The error of the nearest tier that failed, after all were tried.
  public func removeAll() async throws {
    reads.beginChange(nil)
    defer { reads.endChange(nil) }
    try await removals.recordAll { try await remove { state in try await state.removeAll() } }
  }

  /// Removes all entries of a source from all tiers, without their budgets. Loads in flight do not store them again.
  ///
  /// - Returns: The number of entries removed; tiers that do not count them add none.
  /// - Throws: The error of the nearest tier that failed, after all were tried; ``TieredStoreError/purgeUnsupported(tier:)`` for a tier whose
  ///   store is no ``SourcePurgingStore``.
  @discardableResult
  public func removeEntries(ofSource source: String) async throws -> Int {
    reads.beginChange(nil)
    defer { reads.endChange(nil) }
    removals.record(source: source)
    defer { removals.record(source: source) }
    let count = Lock(0)
    try await remove { state in
      let removed = try await state.removeEntries(ofSource: source)
      count.withLock { $0 += removed }
    }
    return count.withLock { $0 }
  }
}

extension TieredStore {
  /// Removes from the tiers that find entries by their source.
  package func removeReplaced(ofSource source: String, except _: CacheKey?) async throws {
    reads.beginChange(nil)
    defer { reads.endChange(nil) }
    try await remove { state in try await state.removeReplaced(ofSource: source) }
  }

  /// The first result that a tier has. Those that fail are skipped, and so are those that may have an older entry.
  private func first<Result>(
    _ key: CacheKey, _ read: (TierState) async throws -> Result?
  ) async throws -> Result? {
    var (hasRead, failure): (Bool, (any Error)?) = (false, nil)
    for state in states where state.canStore(key) {
      do {
        guard await state.isCurrent(key) else { continue }
        if let result = try await read(state) { return result }
        hasRead = true
      } catch {
        try Task.checkCancellation()
        failure = error
      }
    }
    if !hasRead, let failure { throw failure }
    return nil
  }

  /// Copies an entry that was found, unless it was changed since the read began.
  private func copy(
    _ entry: StoredEntry, for key: CacheKey, to earlier: [TierState], _ read: OverlappingReads.Read
  ) async {
    guard !earlier.isEmpty, !reads.isChanged(key, since: read) else { return }
    for state in earlier { await state.copy(entry, for: key) }
    // A change that came between may have been undone by the copy.
    guard reads.isChanged(key, since: read) else { return }
    for state in earlier { try? await state.removeEntry(for: key) }
  }

  /// Applies a change to the first tier, then to the others at once.
  private func change(_ key: CacheKey, _ change: @escaping @Sendable (TierState) async throws -> Void) async throws {
    reads.beginChange(key)
    defer { reads.endChange(key) }
    let failure = await Self.failure(of: change, states[0], key)
    if states.count == 2 { _ = await Self.failure(of: change, states[1], key) }
    if states.count > 2 {
      await withTaskGroup { group in
        for state in states.dropFirst() { group.addTask { _ = await Self.failure(of: change, state, key) } }
      }
    }
    if let failure { throw failure }
  }

  /// The error of a change, after which the tier may have an older entry.
  private static func failure(
    of change: (TierState) async throws -> Void, _ state: TierState, _ key: CacheKey
  ) async -> (any Error)? {
    do {
      if state.canStore(key) { try await change(state) }
      state.noteChanged(key)
      return nil
    } catch {
      state.noteMissed(key)
      return error
    }
  }

  /// Removes from the last tier first, so that nothing is copied to an earlier one afterwards.
  private func remove(_ removal: (TierState) async throws -> Void) async throws {
    var failure: (any Error)?
    for state in states.reversed() {
      do { try await removal(state) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
