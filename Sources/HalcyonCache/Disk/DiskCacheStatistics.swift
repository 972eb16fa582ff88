import HalcyonSupport

/// What a disk cache has done since it was made.
public struct DiskCacheStatistics: Hashable, Sendable {
  /// Why an entry was not found.
  @nonexhaustive
  public enum MissReason: Hashable, Sendable, CaseIterable {
    /// There is no entry under the key.
    case absent
    /// There was one, whose time had passed.
    case expired
    /// There was one, whose file was not whole.
    case damaged
    /// The file system failed.
    case failed
  }

  /// Reads that found an entry.
  public internal(set) var hits = 0
  /// Reads that did not, by the reason.
  public internal(set) var misses: [MissReason: Int] = [:]
  /// Entries written.
  public internal(set) var stores = 0
  /// Entries removed because others needed their place.
  public internal(set) var evictions = 0
  /// What the last cleaning removed, asked for or not; `nil` before the first.
  public internal(set) var lastCleaning: CleaningReport?
  /// Calls that failed, and work that failed while nobody waited for it.
  public internal(set) var errors = 0
}

/// Counts for ``DiskCacheStatistics``, from any thread.
final class DiskCounters: Sendable {
  /// Where entries that were let go are told.
  let evictionObservers = EvictionObservers(tier: .store)
  private let statistics = Lock(DiskCacheStatistics())
  /// What is to be told once no lock on the files is held.
  private let untold = Lock<[EvictionReason: Int]>([:])

  var current: DiskCacheStatistics { statistics.withLock(\.self) }

  func countHit() { statistics.withLock { $0.hits += 1 } }
  func countMiss(_ reason: DiskCacheStatistics.MissReason) {
    statistics.withLock { $0.misses[reason, default: 0] += 1 }
  }
  func countStore() { statistics.withLock { $0.stores += 1 } }
  func countEvictions(_ count: Int) {
    statistics.withLock { $0.evictions += count }
    note(count, .size)
  }
  func countCleaning(_ report: CleaningReport) {
    statistics.withLock { statistics in
      statistics.evictions += report.disk[.size]?.count ?? 0
      statistics.lastCleaning = report
    }
    for (reason, removal) in report.disk { note(removal.count, reason) }
  }

  /// Remembers what is to be told by ``tell()``.
  func note(_ count: Int, _ reason: EvictionReason) {
    guard evictionObservers.hasObservers, count > 0 else { return }
    untold.withLock { $0[reason, default: 0] += count }
  }

  /// Tells those who listen what was let go; called after each change, when no lock is held.
  func tell() {
    guard evictionObservers.hasObservers else { return }
    let counts = untold.withLock { untold in
      defer { untold = [:] }
      return untold
    }
    for reason in EvictionReason.allCases { evictionObservers.notify(count: counts[reason] ?? 0, reason) }
  }
  func countError() { statistics.withLock { $0.errors += 1 } }
}
