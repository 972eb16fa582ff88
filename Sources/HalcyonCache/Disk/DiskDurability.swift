/// What a stored entry survives, once the call that stores it has returned.
@nonexhaustive
public enum DiskDurability: Hashable, Sendable {
  /// The end of the process, however it ends. When the machine loses power the newest entries may be lost; what is left
  /// of them is never served.
  case cache
  /// A loss of power too: the file, its folder and the index are on the disk first. It takes some milliseconds for each
  /// entry, as fast as the disk is.
  case durable
}
