/// What reading an entry does to the time it has left.
///
/// On disk it changes the time of entries that end some time after their last use (``CacheExpiration/after(_:)``) only.
public enum ExpirationExtension: Hashable, Sendable {
  /// It leaves when it would have left.
  case unchanged
  /// It starts its own time again: that of ``CacheExpiration/after(_:)``; a date stays what it is.
  case renewed
  /// It leaves at another time, counted from this reading; the next reading by ``renewed`` goes back to its own.
  case to(CacheExpiration)
}
