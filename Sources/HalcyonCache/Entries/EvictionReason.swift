/// Why a cache removed an entry by itself.
@nonexhaustive
public enum EvictionReason: String, Hashable, Sendable, CaseIterable {
  /// The cache was over its limit in bytes.
  case size
  /// The cache was over its limit in entries.
  case count
  /// The entry had expired.
  case expiration
  /// The system or the program requested memory.
  case pressure
  /// The cache had not been used for the time set in the cleaning policy.
  case idle
}
