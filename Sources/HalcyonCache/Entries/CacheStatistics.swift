/// Counters of one tier of a cache since it was created.
///
/// Reads that are made while the counters are copied may or may not be counted.
public struct CacheStatistics: Hashable, Sendable {
  /// Reads that found an entry. Each has saved a request, unless the entry was stale and revalidated.
  public internal(set) var hits = 0
  /// The encoded bytes that hits saved from being downloaded; for images in memory, those of files that came over HTTP.
  public internal(set) var savedByteCount = 0
  /// The part of ``hits`` that found an evicted image which was still in use; always 0 on disk.
  package internal(set) var hitsInUse = 0
  /// Reads that found no usable entry, by reason.
  public internal(set) var misses: [CacheMiss: Int] = [:]
  /// Entries stored.
  public internal(set) var stores = 0
  /// Images that were not stored because of ``MemoryCacheConfiguration/costLimit`` or
  /// ``MemoryCacheConfiguration/countLimit``; always 0 on disk.
  package internal(set) var rejections = 0
  /// Entries that the cache removed by itself, by reason; without those that were replaced or removed by a call.
  public internal(set) var evictions: [EvictionReason: Int] = [:]
  /// Failed calls, and failures of background work; always 0 in memory.
  public internal(set) var errors = 0
}

extension CacheStatistics: CustomStringConvertible {
  /// For example `8 of 10 reads hit (2 absent), 3 stored, 1 evicted`.
  public var description: String {
    let missCount = misses.values.reduce(0, +)
    let reasons = misses.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.value) \($0.key.rawValue)" }
    let detail = reasons.isEmpty ? "" : " (\(reasons.joined(separator: ", ")))"
    return "\(hits) of \(hits + missCount) reads hit\(detail), \(stores) stored, "
      + "\(evictions.values.reduce(0, +)) evicted"
  }
}
