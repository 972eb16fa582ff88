/// How reading an entry changes its expiration.
///
/// On disk, it affects only entries that expire some time after their last use (``CacheExpiration/after(_:)``).
public enum ExpirationExtension: Hashable, Sendable {
  /// The expiration does not change.
  case unchanged
  /// The entry's own ``CacheExpiration/after(_:)`` starts again at this read; a date does not change.
  case renewed
  /// The entry expires as given, counted from this read. The next read with ``renewed`` restores its own expiration.
  case to(CacheExpiration)
}
