/// Why a cache removed an entry that nobody asked it to remove.
@nonexhaustive
public enum EvictionReason: String, Hashable, Sendable, CaseIterable {
  /// To stay within the limit in bytes.
  case size
  /// To stay within the limit in entries.
  case count
  /// Its time had passed.
  case expiration
  /// The system, or the program, asked for memory.
  case pressure
  /// Nothing had been used for as long as the cleaning policy allows.
  case idle
}
