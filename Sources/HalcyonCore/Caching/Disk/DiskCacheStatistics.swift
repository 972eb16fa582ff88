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
  /// Calls that failed, and work that failed while nobody waited for it.
  public internal(set) var errors = 0
}

/// Counts for ``DiskCacheStatistics``, from any thread.
final class DiskCounters: Sendable {
  private let statistics = Lock(DiskCacheStatistics())

  var current: DiskCacheStatistics { statistics.withLock(\.self) }

  func countHit() { statistics.withLock { $0.hits += 1 } }
  func countMiss(_ reason: DiskCacheStatistics.MissReason) {
    statistics.withLock { $0.misses[reason, default: 0] += 1 }
  }
  func countStore() { statistics.withLock { $0.stores += 1 } }
  func countEvictions(_ count: Int) { statistics.withLock { $0.evictions += count } }
  func countError() { statistics.withLock { $0.errors += 1 } }
}
