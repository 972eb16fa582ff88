import HalcyonSupport

/// A tier with its counters, its circuit breaker, and the changes that it has missed.
final class TierState: Sendable {
  private static let missedLimit = 100_000

  private struct State {
    var statistics: TierStatistics
    var breaker: CircuitBreaker
    /// The keys, and the sources, of which the tier may have older entries.
    var missed: Set<KeyDigest> = []
    var missedSources: Set<String> = []
  }

  let tier: TieredStore.Tier
  private let time: any TimeSource
  private let state: Lock<State>

  init(_ tier: TieredStore.Tier, time: any TimeSource) {
    self.tier = tier
    self.time = time
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

  func lookUp(_ key: CacheKey, extending: ExpirationExtension) async throws -> CacheResult<StoredEntry> {
    let result = try await read { try await $0.lookUp(key, extending: extending) }
    state.withLock { state in
      if result.value != nil { state.statistics.hits += 1 } else { state.statistics.misses += 1 }
    }
    return result
  }

  func store(_ entry: StoredEntry, for key: CacheKey) async throws {
    try await change { try await $0.store(entry, for: key) }
    state.withLock { $0.statistics.stores += 1 }
  }

  /// Stores an entry of a later tier; a failure is only counted.
  func copy(_ entry: StoredEntry, for key: CacheKey) async {
    guard (try? await change({ try await $0.store(entry, for: key) })) != nil else { return noteMissed(key) }
    noteChanged(key)
    state.withLock { $0.statistics.copies += 1 }
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
    try await run(budget: nil, isForced: true) { try await $0.removeAll() }
    state.withLock { state in
      state.missed = []
      state.missedSources = []
    }
  }

  func removeEntries(ofSource source: String) async throws -> Int {
    try await removeEntries(ofSource: source, budget: nil, isForced: true)
  }

  private func removeEntries(ofSource source: String, budget: Duration?, isForced: Bool) async throws -> Int {
    guard let store = tier.store as? any SourcePurgingStore else {
      throw TieredStoreError.purgeUnsupported(tier: tier.name)
    }
    do {
      let count = try await run(budget: budget, isForced: isForced) { _ in
        try await store.removeEntries(ofSource: source)
      }
      state.withLock { _ = $0.missedSources.remove(source) }
      return count
    } catch {
      state.withLock { if $0.missedSources.count < Self.missedLimit { $0.missedSources.insert(source) } }
      throw error
    }
  }

  /// Runs a read within the budget.
  func read<Value: Sendable>(_ body: @escaping @Sendable (any DataStore) async throws -> Value) async throws -> Value {
    try await run(budget: tier.budget, body)
  }

  /// Runs a change within its budget.
  func change<Value: Sendable>(_ body: @escaping @Sendable (any DataStore) async throws -> Value) async throws -> Value
  {
    try await run(budget: tier.changeBudget ?? tier.budget, body)
  }

  /// - Parameter isForced: Whether the call is made even while the tier is skipped.
  private func run<Value: Sendable>(
    budget: Duration?, isForced: Bool = false, _ body: @escaping @Sendable (any DataStore) async throws -> Value
  ) async throws -> Value {
    guard tier.budget != nil else { return try await counted { try await body(tier.store) } }
    guard isForced || isPermitted() else { throw TieredStoreError.skipped(tier: tier.name) }
    do {
      let value = try await counted {
        guard let budget else { return try await body(tier.store) }
        return try await withTimeBudget(budget, time: time) { [store = tier.store] in try await body(store) }
      }
      state.withLock { $0.breaker.recordSuccess() }
      return value
    } catch is CancellationError {
      throw CancellationError()
    } catch {
      let now = time.uptime()
      let isTimeout = error is TimeBudgetExceeded
      state.withLock { state in
        state.breaker.recordFailure(at: now)
        if isTimeout { state.statistics.timeouts += 1 }
      }
      guard isTimeout, let budget else { throw error }
      throw TieredStoreError.budgetExceeded(tier: tier.name, budget: budget)
    }
  }

  private func isPermitted() -> Bool {
    let now = time.uptime()
    return state.withLock { state in
      if case .refused = state.breaker.permission(at: now) {
        state.statistics.skips += 1
        return false
      }
      return true
    }
  }

  private func counted<Value>(_ body: () async throws -> Value) async throws -> Value {
    do {
      return try await body()
    } catch {
      if !(error is CancellationError) { state.withLock { $0.statistics.errors += 1 } }
      throw error
    }
  }
}

/// What the tier has missed.
extension TierState {
  /// Whether the tier has no older entry of a key that was changed elsewhere. If it has, what the tier has missed is
  /// removed if that is possible within the budget of a read, and the tier is not read.
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
