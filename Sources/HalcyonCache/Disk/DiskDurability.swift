/// What an entry survives once the call that stores it has returned.
@nonexhaustive
public enum DiskDurability: Hashable, Sendable {
  /// The end of the process, however it ends.
  ///
  /// After a power failure the newest entries may be lost; damaged remains of them are never served.
  case cache
  /// Power failures as well: the file, its folder and the index are synced to the disk first.
  ///
  /// Takes some milliseconds per entry, depending on the disk.
  case durable
}
