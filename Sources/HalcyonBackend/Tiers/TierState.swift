import HalcyonCache
import HalcyonSupport

/// A tier with its counters, its circuit breaker, and the changes that it has missed.
final class TierState: Sendable {
  private static let missedLimit = 100_000

  private struct State {
    var statistics: TierStatistics
    var breaker: CircuitBreaker
    var health = TierHealth()
    /// The keys and sources whose entries in the tier may be outdated.
    var missed: Set<KeyDigest> = []
    var missedSources: Set<String> = []
  }

  let tier: TieredStore.Tier
  private let time: any TimeSource
  private let onHealthChange: (@Sendable (TierHealthChange) -> Void)?
  private let state: Lock<State>

  init(_ tier: TieredStore.Tier, time: any TimeSource, onHealthChange: (@Sendable (TierHealthChange) -> Void)?) {
    self.tier = tier
    self.time = time
    self.onHealthChange = onHealthChange
    state = Lock(
      State(
        statistics: TierStatistics(name: tier.name),
        breaker: CircuitBreaker(failureLimit: tier.failureLimit, retryInterval: tier.retryInterval)))
  }

  var statistics: TierStatistics {
    state.withLock { state in
      var statistics = state.statistics
      (statistics.opens, statistics.isSkipped) = (state.breaker.openCount, state.breaker.isOpen)
      return statistics
    }
  }

  /// Whether the tier stores entries under a key. It has none under other keys, for which no calls are made: they would
  /// say nothing about its health.
  func canStore(_ key: CacheKey) -> Bool { (tier.store as? any SelectiveStore)?.canStore(key) ?? true }

  func lookUp(_ key: CacheKey) async throws -> CacheResult<StoredEntry> {
    let result = try await read { try await $0.lookUp(key) }
    state.withLock { state in
      if result.value != nil { state.statistics.hits += 1 } else { state.statistics.misses += 1 }
      if result.miss == .damaged { state.statistics.damaged += 1 }
      if result.miss == .otherFormat { state.statistics.otherFormats += 1 }
    }
    return result
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    if try await storeIfPossible(entry, for: key) { state.withLock { $0.statistics.stores += 1 } }
  }

  /// Stores an entry of a later tier; a failure is only counted.
  func copy(_ entry: StoredEntry, for key: CacheKey) async {
    guard let isStored = try? await storeIfPossible(entry, for: key) else { return noteMissed(key) }
    noteChanged(key)
    if isStored { state.withLock { $0.statistics.copies += 1 } }
  }

  /// Whether the entry was stored, and not left out by the store.
  private func storeIfPossible(_ entry: StoredEntry, for key: CacheKey) async throws -> Bool {
    try await change { store in
      if let selective = store as? any SelectiveStore {
        return try await selective.storeIfPossible(entry, for: key)
      }
      try await store.store(entry, for: key)
      return true
    }
  }

  func removeEntry(for key: CacheKey) async throws {
    do {
      try await change { try await $0.removeEntry(for: key) }
      noteChanged(key)
    } catch {
      noteMissed(key)
      throw error
    }
  }

  func removeAll() async throws {
    try await run(.changes, budget: nil, isForced: true) { try await $0.removeAll() }
    state.withLock { state in
      state.missed = []
      state.missedSources = []
    }
  }

  func removeEntries(ofSource source: String) async throws -> Int {
    try await removeEntries(ofSource: source, budget: nil, isForced: true)
  }

  /// Removes the entries of a source whose original was replaced, if the tier finds entries by their source.
  func removeReplaced(ofSource source: String) async throws {
    guard tier.store is any SourcePurgingStore else { return _ = try await tier.store.removeEntries(ofSource: source) }
    _ = try await removeEntries(ofSource: source, budget: nil, isForced: true) { store in
      try await store.removeReplacedEntries(ofSource: source)
      return 0
    }
  }

  private func removeEntries(ofSource source: String, budget: Duration?, isForced: Bool) async throws -> Int {
    guard tier.store is any SourcePurgingStore else { throw TieredStoreError.purgeUnsupported(tier: tier.name) }
    return try await removeEntries(ofSource: source, budget: budget, isForced: isForced) { store in
      try await store.removeEntries(ofSource: source)
    }
  }

  private func removeEntries(
    ofSource source: String, budget: Duration?, isForced: Bool,
    by removal: @escaping @Sendable (any DataStore) async throws -> Int
  ) async throws -> Int {
    do {
      let count = try await run(.changes, budget: budget, isForced: isForced, removal)
      state.withLock { _ = $0.missedSources.remove(source) }
      return count
    } catch {
      state.withLock { if $0.missedSources.count < Self.missedLimit { $0.missedSources.insert(source) } }
      throw error
    }
  }

  /// Runs a read within the budget.
  func read<Value: Sendable>(_ body: @escaping @Sendable (any DataStore) async throws -> Value) async throws -> Value {
    try await run(.reads, budget: tier.budget, body)
  }

  /// Runs a change within its budget.
  func change<Value: Sendable>(_ body: @escaping @Sendable (any DataStore) async throws -> Value) async throws -> Value
  {
    try await run(.changes, budget: tier.changeBudget ?? tier.budget, body)
  }

  /// - Parameter isForced: Whether the call is made even while the tier is skipped.
  private func run<Value: Sendable>(
    _ kind: TierHealth.Kind, budget: Duration?, isForced: Bool = false,
    _ body: @escaping @Sendable (any DataStore) async throws -> Value
  ) async throws -> Value {
    let permission = isForced || tier.budget == nil ? .granted : permission()
    if permission == .refused { throw TieredStoreError.skipped(tier: tier.name) }
    do {
      let value: Value
      if let budget, tier.budget != nil {
        value = try await withTimeBudget(budget, time: time) { [store = tier.store] in try await body(store) }
      } else {
        value = try await body(tier.store)
      }
      recordSuccess(kind)
      return value
    } catch  where error is CancellationError || (error as? any StoreError)?.isFaultOfStore == false {
      if permission == .trial { state.withLock { $0.breaker.abandonTrial(at: time.uptime()) } }
      throw error
    } catch {
      var (failure, isTimeout) = (error, false)
      if error is TimeBudgetExceeded, let budget {
        (failure, isTimeout) = (TieredStoreError.budgetExceeded(tier: tier.name, budget: budget), true)
      }
      recordFailure(kind, failure, isTimeout: isTimeout)
      throw failure
    }
  }

  private func permission() -> CircuitBreaker.Permission {
    let now = time.uptime()
    return state.withLock { state in
      let permission = state.breaker.permission(at: now)
      if permission == .refused { state.statistics.skips += 1 }
      return permission
    }
  }

  private func recordSuccess(_ kind: TierHealth.Kind) {
    let change = state.withLock { state in
      state.breaker.recordSuccess()
      return state.health.record(kind, nil, limit: tier.failureLimit, tier: tier.name)
    }
    if let change { onHealthChange?(change) }
  }

  private func recordFailure(_ kind: TierHealth.Kind, _ error: any Error, isTimeout: Bool) {
    let now = time.uptime()
    let change = state.withLock { state in
      // Without a budget the tier is never skipped.
      if tier.budget != nil { state.breaker.recordFailure(at: now) }
      state.statistics.errors += 1
      if isTimeout { state.statistics.timeouts += 1 }
      return state.health.record(kind, error, limit: tier.failureLimit, tier: tier.name)
    }
    if let change { onHealthChange?(change) }
  }
}

/// Changes that the tier has missed.
extension TierState {
  /// Whether the tier has no outdated entry of a key that was changed elsewhere. If it may have one, the tier is not
  /// read, and its outdated entries are removed if that is possible within the budget of a read.
  func isCurrent(_ key: CacheKey) async -> Bool {
    let (isMissed, missedSource) = state.withLock { state -> (Bool, String?) in
      let isMissed = !state.missed.isEmpty && state.missed.contains(key.digest)
      guard !state.missedSources.isEmpty, let source = key.source?.text else { return (isMissed, nil) }
      return (isMissed, state.missedSources.contains(source) ? source : nil)
    }
    if let missedSource {
      _ = try? await removeEntries(ofSource: missedSource, budget: tier.budget, isForced: false)
      return false
    }
    guard isMissed else { return true }
    if (try? await read({ try await $0.removeEntry(for: key) })) != nil { noteChanged(key) }
    return false
  }

  func noteMissed(_ key: CacheKey) {
    state.withLock { if $0.missed.count < Self.missedLimit { $0.missed.insert(key.digest) } }
  }

  func noteChanged(_ key: CacheKey) {
    state.withLock { if !$0.missed.isEmpty { $0.missed.remove(key.digest) } }
  }
}
