import HalcyonSupport

/// Counts of the operations of a disk cache since it was created.
public struct DiskCacheStatistics: Hashable, Sendable {
  /// The reason of a miss.
  @nonexhaustive
  public enum MissReason: Hashable, Sendable, CaseIterable {
    /// The key has no entry.
    case absent
    /// The entry had expired.
    case expired
    /// The file of the entry was damaged.
    case damaged
    /// The file system failed.
    case failed
  }

  /// Reads that found an entry.
  public internal(set) var hits = 0
  /// Reads that found no entry, by reason.
  public internal(set) var misses: [MissReason: Int] = [:]
  /// Entries written.
  public internal(set) var stores = 0
  /// Entries evicted for the size limit.
  public internal(set) var evictions = 0
  /// The report of the last cleaning, automatic or requested; `nil` before the first.
  public internal(set) var lastCleaning: CleaningReport?
  /// Failed calls, and failures of background work.
  public internal(set) var errors = 0
}

/// Counts for ``DiskCacheStatistics`` and the observers of removed entries. Safe from any thread.
final class DiskCounters: Sendable {
  let evictionObservers = EvictionObservers(tier: .store)
  private let statistics = Lock(DiskCacheStatistics())
  /// Removals to report once no lock is held.
  private let unreported = Lock<[EvictionReason: Int]>([:])

  var current: DiskCacheStatistics { statistics.withLock(\.self) }

  func countHit() { statistics.withLock { $0.hits += 1 } }
  func countMiss(_ reason: DiskCacheStatistics.MissReason) {
    statistics.withLock { $0.misses[reason, default: 0] += 1 }
  }
  func countStore() { statistics.withLock { $0.stores += 1 } }
  func countError() { statistics.withLock { $0.errors += 1 } }
  func countEvictions(_ count: Int) {
    statistics.withLock { $0.evictions += count }
    recordRemovals(count, .size)
  }
  func countCleaning(_ report: CleaningReport) {
    statistics.withLock { statistics in
      statistics.evictions += report.disk[.size]?.count ?? 0
      statistics.lastCleaning = report
    }
    for (reason, removal) in report.disk { recordRemovals(removal.count, reason) }
  }

  /// Records removed entries for ``notifyObservers()``.
  func recordRemovals(_ count: Int, _ reason: EvictionReason) {
    guard evictionObservers.hasObservers, count > 0 else { return }
    unreported.withLock { $0[reason, default: 0] += count }
  }

  /// Notifies observers of the recorded removals. Called after each change, without locks held.
  func notifyObservers() {
    guard evictionObservers.hasObservers else { return }
    let counts = unreported.withLock { unreported in
      defer { unreported = [:] }
      return unreported
    }
    for reason in EvictionReason.allCases { evictionObservers.notify(count: counts[reason] ?? 0, reason) }
  }
}
