import HalcyonSupport

/// The counters of a tier of a ``TieredStore``.
public struct TierStatistics: Hashable, Sendable {
  /// The name of the tier.
  public let name: String
  /// Reads that found an entry.
  public internal(set) var hits = 0
  /// Reads that found none.
  public internal(set) var misses = 0
  /// The misses whose entry was damaged.
  public internal(set) var damaged = 0
  /// The misses whose entry was written by a version of the library with another format.
  public internal(set) var otherFormats = 0
  /// Entries stored by callers, without those that the store has left out.
  public internal(set) var stores = 0
  /// Entries copied from a later tier.
  public internal(set) var copies = 0
  /// Calls that failed, including those that took longer than their budget, without those that were not sent.
  public internal(set) var errors = 0
  /// Calls that took longer than their budget.
  public internal(set) var timeouts = 0
  /// Calls that were not made because the tier was being skipped.
  public internal(set) var skips = 0
  /// How often the tier began to be skipped.
  public internal(set) var opens = 0
  /// Whether the tier is being skipped.
  public internal(set) var isSkipped = false

  init(name: String) { self.name = name }
}

extension TierStatistics: CustomStringConvertible {
  /// For example `s3: 8 of 10 reads hit, 3 stored, 0 errors`.
  public var description: String {
    "\(name): \(hits) of \(hits + misses) reads hit, \(stores + copies) stored, \(errors.counted("error"))"
  }
}
