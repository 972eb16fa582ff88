import HalcyonSupport

/// The counters of a disk cache, and the observers of the entries that it removes. Safe from any thread.
final class DiskCounters: Sendable {
  private struct State {
    var statistics = CacheStatistics()
    var lastCleaning: CleaningReport?
    /// Evictions to report once no lock is held.
    var unreported: [EvictionReason: Int] = [:]
  }

  let evictionObservers = EvictionObservers(tier: .store)
  private let state = Lock(State())

  var statistics: CacheStatistics { state.withLock(\.statistics) }
  var lastCleaning: CleaningReport? { state.withLock(\.lastCleaning) }

  func countHit(_ byteCount: Int) {
    state.withLock { state in
      state.statistics.hits += 1
      state.statistics.savedByteCount += byteCount
    }
  }

  func countMiss(_ reason: CacheMiss) { state.withLock { $0.statistics.misses[reason, default: 0] += 1 } }
  func countStore() { state.withLock { $0.statistics.stores += 1 } }
  func countError() { state.withLock { $0.statistics.errors += 1 } }

  /// Counts removed entries, of which ``notifyObservers()`` reports.
  func countEvictions(_ count: Int, _ reason: EvictionReason) {
    guard count > 0 else { return }
    state.withLock { state in
      state.statistics.evictions[reason, default: 0] += count
      if evictionObservers.hasObservers { state.unreported[reason, default: 0] += count }
    }
  }

  func countCleaning(_ report: CleaningReport) {
    state.withLock { $0.lastCleaning = report }
    for (reason, removal) in report.disk { countEvictions(removal.count, reason) }
  }

  /// Notifies observers of the removed entries. Called after each change, without locks held.
  func notifyObservers() {
    guard evictionObservers.hasObservers else { return }
    let counts = state.withLock { state in
      defer { state.unreported = [:] }
      return state.unreported
    }
    for reason in EvictionReason.allCases { evictionObservers.notify(count: counts[reason] ?? 0, reason) }
  }
}
