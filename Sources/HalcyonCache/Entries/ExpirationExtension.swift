/// How reading an entry changes its expiration.
///
/// On disk it applies only to entries that expire some time after their last use (``CacheExpiration/after(_:)``).
public enum ExpirationExtension: Hashable, Sendable {
  /// The expiration does not change.
  case unchanged
  /// The time of ``CacheExpiration/after(_:)`` starts again; a date does not change.
  case renewed
  /// The entry gets another expiration, counted from this read; the next read with ``renewed`` restores its own.
  case to(CacheExpiration)
}
