import HalcyonSupport

/// The counters of a ``MemcachedStore`` since its creation.
public struct MemcachedStatistics: Hashable, Sendable {
  /// Reads that found an entry.
  public internal(set) var hits = 0
  /// Reads that found none, or an expired, invalidated or damaged one.
  public internal(set) var misses = 0
  /// The misses whose value was damaged, or not written by this store.
  public internal(set) var damaged = 0
  /// The misses whose value was written by a version of the library with another format.
  public internal(set) var otherFormats = 0
  /// Entries stored.
  public internal(set) var stores = 0
  /// Entries that were not stored, and values that were not read, because of their size.
  public internal(set) var oversized = 0
  /// Calls that failed, including those that timed out.
  public internal(set) var errors = 0
  /// Calls that took too long.
  public internal(set) var timeouts = 0
  /// Calls that were not made because all servers were ejected.
  public internal(set) var refusals = 0
  /// How often a server was ejected.
  public internal(set) var opens = 0
  /// Servers that are ejected now.
  public internal(set) var ejectedServerCount = 0

  /// Creates counters of zero.
  public init() {}
}

extension MemcachedStatistics: CustomStringConvertible {
  /// For example `8 of 10 reads hit, 3 stored, 0 errors, 0 servers ejected`.
  public var description: String {
    "\(hits) of \(hits + misses) reads hit, \(stores) stored, \(errors.counted("error")), \(ejectedServerCount.counted("server")) ejected"
  }
}
